import Heliograph
import HeliographTesting
import Testing

/// The states of loading as a value and as a signal.
@Suite struct LoadableTests {
  private struct Odd: Error {}
  private let error = NetworkError(.server, 500, reason: "broken")

  @Test func valueErrorAndLoadingAreReadFromEachState() {
    let states: [Loadable<Int>] = [
      .idle, .loading(previous: nil), .loading(previous: 1), .loaded(2), .failed(error, previous: nil),
      .failed(error, previous: 3),
    ]
    #expect(states.map(\.value) == [nil, nil, 1, 2, nil, 3])
    #expect(states.map(\.isLoading) == [false, true, true, false, false, false])
    #expect(states.map { $0.error?.code } == [nil, nil, nil, nil, 500, 500])
    let texts = states.map { state in state.map { "\($0)" } }
    #expect(texts.map(\.value) == [nil, nil, "1", "2", nil, "3"])
    #expect(texts.map(\.isLoading) == states.map(\.isLoading))
    #expect(texts.map { $0.error?.code } == states.map { $0.error?.code })
    #expect(throws: Odd.self) { try Loadable.loaded(1).map { (_: Int) throws(Odd) -> Int in throw Odd() } }
  }

  @Test func equalStatesHaveEqualValuesAndErrors() {
    let states: [Loadable<Int>] = [
      .idle, .loading(previous: nil), .loading(previous: 1), .loaded(1), .loaded(2), .failed(error, previous: nil),
      .failed(error, previous: 1), .failed(NetworkError(.server, 500, reason: "other"), previous: 1),
      .failed(NetworkError(.server, 501, reason: "broken"), previous: 1),
      .failed(NetworkError(.server, 500, message: "sorry", reason: "broken"), previous: 1),
      .failed(NetworkError(.network, 500, reason: "broken"), previous: 1),
    ]
    for (index, state) in states.enumerated() {
      #expect(states.indices.filter { states[$0] == state } == [index])
    }
  }

  @Test func loadingComesFirstThenEachValueAndTheFailure() {
    typealias Numbers = Signal<Int, NetworkError>
    func states(_ signal: Numbers) -> [Event<Loadable<Int>, Never>] { SignalRecorder(signal.loadable()).events }
    let loading = Event<Loadable<Int>, Never>.value(.loading(previous: nil))
    #expect(states(.just(1)) == [loading, .value(.loaded(1)), .completed])
    #expect(states(.from([1, 2])) == [loading, .value(.loaded(1)), .value(.loaded(2)), .completed])
    #expect(states(.fail(error)) == [loading, .value(.failed(error, previous: nil)), .completed])
    #expect(
      states(.just(1).concat(.fail(error))) == [
        loading, .value(.loaded(1)), .value(.failed(error, previous: 1)), .completed,
      ])
    #expect(states(.empty) == [loading, .value(.idle), .completed])
    #expect(states(.fail(.cancellation)) == [loading, .value(.idle), .completed])
    #expect(states(.just(1).concat(.fail(.cancellation))) == [loading, .value(.loaded(1)), .completed])
  }

  @Test func loadingIsSentBeforeTheWorkStartsAndDisposalCancelsSilently() {
    let kit = TestKit()
    kit.stub.on(.get, "/a", .never)
    let signal = kit.client.enqueue(request: "/a", resultType: Int.self).loadable()
      .on(value: { if $0.isLoading { #expect(kit.stub.activeCount == 0) } })
    let recorder = SignalRecorder(signal)
    #expect(recorder.values.map(\.isLoading) == [true] && kit.stub.activeCount == 1)
    recorder.dispose()
    #expect(recorder.events.count == 1 && kit.stub.activeCount == 0 && kit.stub.cancelledCount == 1)
    let again = SignalRecorder(signal)
    #expect(again.values.count == 1 && kit.stub.activeCount == 1)
  }
}
