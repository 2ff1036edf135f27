import CCurl
import Foundation
import Signals
import Synchronization

/// The thread that does all input and output of a transport, and what others leave for it.
final class CurlLoop: Sendable {
  enum Command: Sendable {
    case start(CurlExchange)
    case cancel(CurlExchange)
    /// A transfer that was paused may go on.
    case resume(CurlExchange)
    /// The total time-out of an exchange has passed.
    case expire(CurlExchange)
    /// Nobody can start anything any more: end when all has ended.
    case finish
  }

  private struct Inbox {
    var commands: [Command] = []
    /// Whether the thread has ended: nobody would take what is left there.
    var isClosed = false
  }

  // Used by the loop's thread, but for waking it, which any thread may do; freed when nobody can any more.
  nonisolated(unsafe) let multi: OpaquePointer
  // Written and read by the loop's thread: the time of its present turn. Asking the clock for each line would cost more.
  @exclusivity(unchecked) nonisolated(unsafe) var now = ContinuousClock.now
  // Used by the loop's thread alone: whatever asks for it comes from its transfers.
  nonisolated(unsafe) var sockets = CurlSockets()
  private let inbox = Guarded(Inbox())
  private let isAsleep = Atomic<Bool>(false)
  private let isStarted = Atomic<Bool>(false)
  let settings: TransportSettings

  init(_ settings: TransportSettings) throws(NetworkError) {
    guard let multi = ccurl_multi_make() else {
      throw NetworkError(.client, .badTransport, reason: "libcurl could not be set up")
    }
    self.multi = multi
    self.settings = settings
  }

  deinit { ccurl_multi_free(multi) }

  /// Leaves something for the loop to do; from any thread.
  func submit(_ command: Command) {
    inbox.withLock { if !$0.isClosed { $0.commands.append(command) } }
    startThread(for: command)
    // Waking costs a system call: only when it sleeps, and only the first who comes.
    if isAsleep.exchange(false, ordering: .sequentiallyConsistent) { _ = ccurl_multi_wake(multi) }
  }

  /// The thread starts with the first exchange, so that a transport which is never used costs nothing.
  private func startThread(for command: Command) {
    guard case .start = command, !isStarted.load(ordering: .acquiring) else { return }
    guard !isStarted.exchange(true, ordering: .acquiringAndReleasing) else { return }
    let thread = Thread { [self] in CurlEngine(self, settings).run() }
    thread.name = "heliograph.curl"
    thread.start()
  }

  /// Takes what was left; on the loop's thread.
  func takeCommands(into commands: inout [Command]) {
    commands.removeAll(keepingCapacity: true)
    inbox.withLock { swap(&$0.commands, &commands) }
  }

  /// Takes nothing any more; on the loop's thread, at its end.
  func close() {
    var left: [Command] = []
    inbox.withLock { inbox in
      inbox.isClosed = true
      swap(&inbox.commands, &left)
    }
    // Freed outside the lock.
    withExtendedLifetime(left) {}
  }

  /// Waits for something to happen, unless there are commands already; on the loop's thread.
  func wait(milliseconds: Int32) {
    isAsleep.store(true, ordering: .sequentiallyConsistent)
    if inbox.withLock({ $0.commands.isEmpty }) { _ = ccurl_multi_wait(multi, milliseconds) }
    isAsleep.store(false, ordering: .sequentiallyConsistent)
  }
}
