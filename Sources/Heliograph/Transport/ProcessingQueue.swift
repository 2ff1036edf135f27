import Signals

#if HELIOGRAPH_CURL
import CCurl
#endif

/// A scheduler that batches the processing of responses that arrive together in one turn of the system's queue.
///
/// A turn on the system's queue wakes a thread, which costs more than decoding a small body. Work items are taken one
/// by one, by whichever thread comes first. Before an item runs while others are waiting, another turn is scheduled, so
/// that a long body delays no other. Over any other scheduler, each work item is passed on.
final class ProcessingQueue: SignalScheduler {
  private struct State {
    var work = FIFOQueue<@Sendable () -> Void>()
    /// Whether a turn has been scheduled and has not begun.
    var isTurnPending = false

    mutating func takeNext() -> (work: @Sendable () -> Void, needsTurn: Bool)? {
      guard let next = work.popFirst() else { return nil }
      let needsTurn = !work.isEmpty && !isTurnPending
      if needsTurn { isTurnPending = true }
      return (next, needsTurn)
    }
  }

  private static let turnLength = 64
  private let queue: any SignalScheduler
  /// Whether work is batched; `true` only over the system's concurrent queue.
  let isBatching: Bool
  private let state = Guarded(State())

  init(_ queue: any SignalScheduler, isBatching: Bool = true) {
    self.queue = queue
    self.isBatching = isBatching
  }

  static func over(_ scheduler: any SignalScheduler) -> ProcessingQueue {
    ProcessingQueue(scheduler, isBatching: (scheduler as? DispatchScheduler)?.isSystemQueue == true)
  }

  var now: Duration { queue.now }

  /// Runs work as soon as possible, in no order; work added during a transport's turn runs at the end of that turn.
  func schedule(_ work: @escaping @Sendable () -> Void) {
    if !isBatching { return queue.schedule(work) }
    let isFirst = state.withLock { state in
      state.work.append(work)
      defer { state.isTurnPending = true }
      return !state.isTurnPending
    }
    if !isFirst { return }
    if let turn = TransportTurn.current { turn.waiting.append(self) } else { scheduleTurn() }
  }

  func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> Disposable {
    queue.schedule(after: delay, work)
  }

  func scheduleTurn() { queue.schedule { self.run() } }

  private func run() {
    state.withLock { $0.isTurnPending = false }
    // Work beyond the limit runs in another turn.
    for _ in 0..<ProcessingQueue.turnLength {
      guard let next = state.withLock({ $0.takeNext() }) else { return }
      if next.needsTurn { scheduleTurn() }
      next.work()
    }
  }
}

/// One turn of a transport's loop, on its thread; the responses completed in it are passed on together at its end.
final class TransportTurn {
  /// The queues that schedule their turns at the end of this one.
  fileprivate var waiting: [ProcessingQueue] = []

  #if HELIOGRAPH_CURL
  /// The turn of the calling thread; `nil` outside of a transport's loop.
  static var current: TransportTurn? {
    ccurl_turn().map { Unmanaged<TransportTurn>.fromOpaque($0).takeUnretainedValue() }
  }

  func run(_ work: () -> Void) {
    ccurl_set_turn(Unmanaged.passUnretained(self).toOpaque())
    work()
    ccurl_set_turn(nil)
    for queue in waiting { queue.scheduleTurn() }
    waiting.removeAll(keepingCapacity: true)
  }
  #else
  /// The turn of the calling thread: always `nil`, because no transport has turns here.
  static var current: TransportTurn? { nil }
  #endif
}
