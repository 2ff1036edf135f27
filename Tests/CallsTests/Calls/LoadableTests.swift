import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// The states of loading as a value and as a signal.
struct LoadableTests {
  private struct Odd: Error {}
  private let error = NetworkError(.status(500), reason: "broken")

  @Test func valueErrorAndLoadingAreReadFromEachState() {
    let states: [Loadable<Int>] = [
      .idle, .loading(previous: nil), .loading(previous: 1), .loaded(2), .failed(error, previous: nil),
      .failed(error, previous: 3),
    ]
    expectEqual(states.map(\.value), [nil, nil, 1, 2, nil, 3])
    expectEqual(states.map(\.isLoading), [false, true, true, false, false, false])
    expectEqual(states.map { $0.error?.code }, [nil, nil, nil, nil, .status(500), .status(500)])
    let texts = states.map { state in state.map { "\($0)" } }
    expectEqual(texts.map(\.value), [nil, nil, "1", "2", nil, "3"])
    expectEqual(texts.map(\.isLoading), states.map(\.isLoading))
    expectEqual(texts.map { $0.error?.code }, states.map { $0.error?.code })
    #expect(throws: Odd.self) { try Loadable.loaded(1).map { (_: Int) throws(Odd) -> Int in throw Odd() } }
  }

  @Test func equalStatesHaveEqualValuesAndErrors() {
    let states: [Loadable<Int>] = [
      .idle, .loading(previous: nil), .loading(previous: 1), .loaded(1), .loaded(2), .failed(error, previous: nil),
      .failed(error, previous: 1), .failed(NetworkError(.status(500), reason: "other"), previous: 1),
      .failed(NetworkError(.status(501), reason: "broken"), previous: 1),
      .failed(NetworkError(.status(500), message: "sorry", reason: "broken"), previous: 1),
      .failed(NetworkError(.network(500), reason: "broken"), previous: 1),
    ]
    for (index, state) in states.enumerated() {
      expectEqual(states.indices.filter { states[$0] == state }, [index])
    }
  }

  @Test func loadingComesFirstThenEachValueAndTheFailure() {
    typealias Numbers = Signal<Int, NetworkError>
    func states(_ signal: Numbers) -> [Event<Loadable<Int>, Never>] { SignalRecorder(signal.loadable()).events }
    let loading = Event<Loadable<Int>, Never>.value(.loading(previous: nil))
    expectEqual(states(.just(1)), [loading, .value(.loaded(1)), .completed])
    expectEqual(states(.from([1, 2])), [loading, .value(.loaded(1)), .value(.loaded(2)), .completed])
    expectEqual(states(.fail(error)), [loading, .value(.failed(error, previous: nil)), .completed])
    expectEqual(
      states(.just(1).concat(.fail(error))),
      [
        loading, .value(.loaded(1)), .value(.failed(error, previous: 1)), .completed,
      ])
    expectEqual(states(.empty), [loading, .value(.idle), .completed])
    expectEqual(states(.fail(.cancellation)), [loading, .value(.idle), .completed])
    expectEqual(states(.just(1).concat(.fail(.cancellation))), [loading, .value(.loaded(1)), .completed])
  }

  @Test func loadingIsSentBeforeTheWorkStartsAndDisposalCancelsSilently() {
    let kit = TestKit()
    kit.stub.on(.get, "/a", .never)
    let signal = kit.client.enqueue(request: "/a", resultType: Int.self).loadable()
      .on(value: { if $0.isLoading { expectEqual(kit.stub.activeCount, 0) } })
    let recorder = SignalRecorder(signal)
    expectEqual(recorder.values.map(\.isLoading), [true])
    expectEqual(kit.stub.activeCount, 1)
    recorder.dispose()
    expectEqual(recorder.events.count, 1)
    expectEqual(kit.stub.activeCount, 0)
    expectEqual(kit.stub.cancelledCount, 1)
    let again = SignalRecorder(signal)
    expectEqual(again.values.count, 1)
    expectEqual(kit.stub.activeCount, 1)
  }
}
