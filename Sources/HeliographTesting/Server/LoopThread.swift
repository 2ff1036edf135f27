import Dispatch
import Foundation
import Signals

/// A thread that can be waited for, also by several others and not by itself.
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

  /// Returns when the body has; at once on the thread itself, which would wait for ever.
  func join() {
    let current = ObjectIdentifier(Thread.current)
    guard identity.withLock({ $0 }) != current else { return }
    running.wait()
  }
}
