import Dispatch
import HeliographTesting
import Signals

/// Returns after all that waits in the main queue has run.
func mainQueueTurn() async {
  await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
}

/// Something that happens once, for a test to wait for.
final class Moment: Sendable {
  private let subject = PublishSubject<Void, Never>()
  private let recorder: SignalRecorder<Void, Never>

  init() {
    recorder = SignalRecorder(subject.signal)
  }

  func arrive() { subject.complete() }

  /// Waits for it; returns whether it came in time.
  func wait() async -> Bool { await recorder.waitForEnd(.seconds(60)) }
}
