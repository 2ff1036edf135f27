import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

struct CallbackTests {
  private final class Calls: Sendable {
    private let state = Guarded<[String]>([])
    var texts: [String] { state.withLock { $0 } }

    func add(_ value: Int?, _ error: NetworkError?) {
      let text = "\(value.map(String.init) ?? "-") \(error?.code.description ?? "-")"
      state.withLock { $0.append(text) }
    }
  }

  private let calls = Calls()

  private func record(_ signal: Signal<Int, NetworkError>) -> [String] {
    signal.subscribe(onResult: { [calls] in calls.add($0, $1) })
    return calls.texts
  }

  @Test("S0-37") func aValueIsOneCall() { expectEqual(record(.just(1)), ["1 -"]) }

  @Test("S0-37") func aFailureIsOneCall() { expectEqual(record(.fail(NetworkError(.api(7)))), ["- 7"]) }

  @Test("S0-37") func aCompletionWithoutAValueIsOneCallWithNeither() { expectEqual(record(.empty), ["- -"]) }

  @Test func severalValuesAreSeveralCalls() { expectEqual(record(.from([1, 2])), ["1 -", "2 -"]) }

  @Test func valuesAndThenAFailureAreACallEach() {
    let subject = PublishSubject<Int, NetworkError>()
    expect(record(subject.signal).isEmpty)
    subject.send(1)
    subject.fail(NetworkError(.api(7)))
    expectEqual(calls.texts, ["1 -", "- 7"])
  }

  @Test func disposalIsSilent() {
    let subject = PublishSubject<Int, NetworkError>()
    let handle = subject.signal.subscribe(onResult: { [calls] in calls.add($0, $1) })
    handle.dispose()
    subject.send(1)
    subject.complete()
    expect(calls.texts.isEmpty)
  }

  @Test func eachSubscriptionCountsItsOwnValues() {
    let signal = Signal<Int, NetworkError>.deferred { [calls] in calls.texts.isEmpty ? .just(1) : .empty }
    expectEqual(record(signal), ["1 -"])
    expectEqual(record(signal), ["1 -", "- -"])
  }

  /// The other forms keep their meaning beside it.
  @Test func aTrailingClosureOfOneArgumentIsStillTheEvents() {
    let events = Guarded(0)
    Signal<Int, NetworkError>.just(1).subscribe { event in
      if event.value == 1 || event.isTerminal { events.withLock { $0 += 1 } }
    }
    expectEqual(events.withLock { $0 }, 2)
    Signal<Int, NetworkError>.just(1).subscribe { [calls] value, error in calls.add(value, error) }
    expectEqual(calls.texts, ["1 -"])
  }

  @Test("S0-37") @MainActor func theMainActorGetsEachOnce() async {
    let signals: [Signal<Int, NetworkError>] = [.just(1), .fail(NetworkError(.api(7))), .empty]
    for signal in signals {
      await withCheckedContinuation { continuation in
        signal.subscribe(on: .global).subscribeOnMain(onResult: { [calls] value, error in
          MainActor.assertIsolated()
          calls.add(value, error)
          continuation.resume()
        })
      }
    }
    expectEqual(calls.texts, ["1 -", "- 7", "- -"])
  }

  @Test("S0-37", arguments: [(200, "7 -"), (503, "- 503"), (304, "- -")])
  func aRequestIsOneCall(_ status: Int, _ text: String) async throws {
    let shop = try Shop()
    shop.serve("/thing", #"{"id":7,"name":"Lamp"}"#, status: status)
    let request = Request(.get, "/thing", headers: ["If-None-Match": "\"v1\""])
    await withCheckedContinuation { continuation in
      shop.client.enqueue(request: request, resultType: Product.self)
        .subscribe(onResult: { [calls] response, error in
          calls.add(response?.value.id, error)
          continuation.resume()
        })
    }
    expectEqual(calls.texts, [text])
  }
}
