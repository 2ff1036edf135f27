import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// A signal of an exclusive lane that is cut downstream.
struct LaneCutTests {
  enum Cut: CaseIterable { case take, takeWhile, takeUntil, first, takeInside, timeout }

  private func cut(_ cut: Cut, _ signal: Numbers, _ lane: Lane, _ end: Numbers) -> Numbers {
    switch cut {
    case .take: lane.enqueue(signal).take(2)
    case .takeWhile: lane.enqueue(signal).take(while: { $0 < 2 })
    case .takeUntil: lane.enqueue(signal).take(until: end)
    case .first: lane.enqueue(signal.skip(1)).first()
    case .takeInside: lane.enqueue(signal.take(2))
    case .timeout: lane.enqueue(signal).flatMap(.latest) { $0 == 2 ? .just(2) : .never }.first()
    }
  }

  private typealias Numbers = Signal<Int, NetworkError>

  @Test(arguments: [Lane.Duplicate.drop, .join], Cut.allCases)
  func leavesTheLaneFreeForTheHandlerOfItsCompletion(_ duplicate: Lane.Duplicate, _ form: Cut) {
    let lane = Lane(.exclusive(duplicate))
    let (subject, end) = (PublishSubject<Int, NetworkError>(), PublishSubject<Int, NetworkError>())
    let log = CurrentValue<[Int]>([])
    cut(form, subject.signal, lane, end.signal).subscribe { event in
      guard case .completed = event else { return }
      lane.enqueue(Numbers.just(7)).subscribe { event in
        if let value = event.value { log.modify { $0.append(value) } }
      }
    }
    subject.send(1)
    subject.send(2)
    end.send(0)
    expectEqual(log.value, [7])
  }
}
