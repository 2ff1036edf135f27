#if HELIOGRAPH_CURL
import CCurl
#endif

/// One turn of a transport's loop; the responses that completed in it are passed on together at its end.
///
/// It belongs to the thread of the loop.
final class TransportTurn {
  private var waiting: [ProcessingQueue] = []

  /// Makes a queue schedule its turn at the end of this one.
  func add(_ queue: ProcessingQueue) { waiting.append(queue) }

  #if HELIOGRAPH_CURL
  /// The turn of the calling thread; `nil` outside of a transport's loop.
  static var current: TransportTurn? {
    ccurl_turn().map { Unmanaged<TransportTurn>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Runs the work of the turn.
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
