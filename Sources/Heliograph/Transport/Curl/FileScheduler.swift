#if HELIOGRAPH_CURL
import Dispatch
import Signals

/// The scheduler on which the files of uploads are opened, read and closed, so that no loop waits for a disk.
///
/// At most eight threads of the process do so, in the order of the calls, and each occupies one for a single chunk. A
/// file on a network mount that does not respond occupies its thread until the mount responds again, even if the upload
/// was disposed. Eight such files hold up the other uploads of files. No other
/// request waits for them, but an upload that waits keeps its place in the limits of concurrent exchanges.
struct FileScheduler: SignalScheduler {
  private final class Access: SlotHolder {
    static let slots = SlotQueue<Access>(slotCount: 8)

    private let work: @Sendable () -> Void

    init(_ work: @escaping @Sendable () -> Void) { self.work = work }

    // The work of a disposed upload is empty.
    var isTerminated: Bool { false }

    func begin(hasWaited: Bool) -> Bool {
      // A serial queue has a thread of its own. The concurrent queue has as few as the machine has cores, and all of the
      // process would wait for them.
      DispatchQueue(label: "Heliograph.Upload").async { [self] in
        work()
        Access.slots.releaseSlot()
      }
      return true
    }
  }

  var now: Duration { DispatchScheduler.global.now }

  func schedule(_ work: @escaping @Sendable () -> Void) { Access.slots.join(Access(work), .normal) }

  func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> Disposable {
    DispatchScheduler.global.schedule(after: delay) { schedule(work) }
  }
}
#endif
