import Dispatch
import Foundation
import Signals

/// A thread that several other threads may join.
final class LoopThread: Sendable {
  private let group = DispatchGroup()
  private let threadID = Guarded<ObjectIdentifier?>(nil)

  func start(_ body: @escaping @Sendable () -> Void) {
    group.enter()
    let thread = Thread { [self] in
      threadID.withLock { $0 = ObjectIdentifier(Thread.current) }
      body()
      threadID.withLock { $0 = nil }
      group.leave()
    }
    thread.name = "LoopbackServer"
    thread.start()
  }

  /// Waits until the body has returned; on the thread itself, where it would deadlock, it returns immediately.
  func join() {
    let current = ObjectIdentifier(Thread.current)
    guard threadID.withLock({ $0 }) != current else { return }
    group.wait()
  }
}
