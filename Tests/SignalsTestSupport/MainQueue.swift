import Dispatch
import Foundation
import HeliographTesting
import Signals
import TestSupport

/// Runs work on another thread while the main thread waits for it, so that what it schedules on the main queue waits, too.
@MainActor package func whileTheMainThreadWaits(_ work: @escaping @Sendable () -> Void) {
  let group = DispatchGroup()  // blocks: the main thread, which is none of the pool's
  group.enter()
  Thread.detachNewThread {
    work()
    group.leave()
  }
  group.wait()
}

/// Something that happens once, for a test to wait for.
package final class Moment: Sendable {
  private let subject = PublishSubject<Void, Never>()
  private let recorder: SignalRecorder<Void, Never>

  package init() {
    recorder = SignalRecorder(subject.signal)
  }

  package func arrive() { subject.complete() }

  /// Waits for it; returns whether it came, which is `false` only in a cancelled task.
  package func wait() async -> Bool { await recorder.waitForEnd() }
}
