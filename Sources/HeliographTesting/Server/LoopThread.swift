import Dispatch
import Foundation
import Signals

/// A thread that several other threads may join.
final class LoopThread: Sendable {
  private let running = DispatchGroup()
  private let identity = Guarded<ObjectIdentifier?>(nil)

  func start(_ body: @escaping @Sendable () -> Void) {
    running.enter()
    let thread = Thread { [self] in
      identity.withLock { $0 = ObjectIdentifier(Thread.current) }
      body()
      identity.withLock { $0 = nil }
      running.leave()
    }
    thread.name = "LoopbackServer"
    thread.start()
  }

  /// Waits until the body has returned; on the thread itself, where it would deadlock, it returns immediately.
  func join() {
    let current = ObjectIdentifier(Thread.current)
    guard identity.withLock({ $0 }) != current else { return }
    running.wait()
  }
}
