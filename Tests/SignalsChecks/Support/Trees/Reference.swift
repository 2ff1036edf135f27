import SignalsTestSupport

/// The reference interpreter's parts: a subscription, a source and a clock of one thread, as plain as can be.
///
/// It shares nothing with the library but the meaning of its operators.
final class ReferenceRun {
  private(set) var isTerminated = false
  private var cleanups: [() -> Void] = []
  private let receive: (ReferenceRun, ReferenceEvent) -> Void

  /// Begins a subscription whose events go to a closure, until an end or the disposal.
  init(_ receive: @escaping (ReferenceRun, ReferenceEvent) -> Void) {
    self.receive = receive
  }

  func send(_ event: ReferenceEvent) {
    if isTerminated { return }
    if event.isEnd { dispose() }
    receive(self, event)
  }

  func dispose() {
    isTerminated = true
    let cleanups = cleanups
    self.cleanups = []
    for cleanup in cleanups { cleanup() }
  }

  /// Runs a closure at the end, or now if that is past.
  func whenOver(_ cleanup: @escaping () -> Void) {
    if isTerminated { cleanup() } else { cleanups.append(cleanup) }
  }

  /// Subscribes to a signal upstream, for as long as this subscription lasts.
  func run(_ signal: ReferenceSignal, _ receive: @escaping (ReferenceEvent) -> Void) {
    if isTerminated { return }
    let upstream = ReferenceRun { _, event in receive(event) }
    whenOver { upstream.dispose() }
    signal(upstream)
  }
}

enum ReferenceEvent: Equatable {
  case value(Int)
  case failed(Fault)
  case completed

  var isEnd: Bool {
    if case .value = self { false } else { true }
  }
}

/// Starts the work of a signal for one subscription.
typealias ReferenceSignal = (ReferenceRun) -> Void

final class ReferenceSource {
  private var runs: [ReferenceRun] = []

  func signal(_ run: ReferenceRun) { runs.append(run) }

  /// Sends events to those who are subscribed now, all of them to one after the other.
  func send(_ events: ReferenceEvent...) {
    for run in runs {
      for event in events { run.send(event) }
    }
  }
}

final class ReferenceClock {
  private var entries: [(instant: Int, order: Int, work: () -> Void)] = []
  private var nextOrder = 0
  private(set) var now = 0

  func schedule(after delay: Int, _ work: @escaping () -> Void) {
    nextOrder += 1
    entries.append((now + delay, nextOrder, work))
  }

  /// Runs what is due until then, in the order of the instants and then of the calls.
  func advance(by duration: Int) {
    let end = now + duration
    while let next = takeNext(until: end) {
      now = next.instant
      next.work()
    }
    now = end
  }

  private func takeNext(until end: Int) -> (instant: Int, order: Int, work: () -> Void)? {
    let due = entries.filter { $0.instant <= end }
    let next = due.min { ($0.instant, $0.order) < ($1.instant, $1.order) }
    entries.removeAll { $0.order == next?.order }
    return next
  }
}
