#if HELIOGRAPH_CURL
import CCurl
import Foundation
import Signals
import Synchronization

/// The thread that does all input and output of a transport, and what others leave for it.
final class CurlLoop: Sendable {
  enum Command: Sendable {
    case start(CurlExchange)
    case cancel(CurlExchange)
    /// The consumer of a paused download is ready for more.
    case resumeReceiving(CurlExchange)
    /// The source of a paused upload has more.
    case resumeSending(CurlExchange)
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

  // Used by the loop's thread, but for waking it, which any thread may do; freed by the thread at its end, or without one
  // at deallocation.
  nonisolated(unsafe) let multi: OpaquePointer
  // Written and read by the loop's thread: the time of its present turn. Asking the clock for each line would cost more.
  @exclusivity(unchecked) nonisolated(unsafe) var now = SuspendingClock.now
  // Used by the loop's thread alone: whatever asks for it comes from its transfers.
  nonisolated(unsafe) var sockets = CurlSockets()
  // Used by the loop's thread alone.
  nonisolated(unsafe) var connections = CurlConnections()
  // Used by the loop's thread alone.
  nonisolated(unsafe) var addresses = CurlAddresses()
  private let inbox = Guarded(Inbox())
  private let isAsleep = Atomic<Bool>(false)
  private let isStarted = Atomic<Bool>(false)
  /// Threads that may be about to wake the loop: its end waits for them.
  private let wakerCount = Atomic<Int>(0)
  private let resolved: ResolvedSettings

  init(_ resolved: ResolvedSettings) throws(NetworkError) {
    guard let multi = ccurl_multi_make() else {
      throw NetworkError(.client, .invalidTransport, reason: "libcurl could not be set up")
    }
    self.multi = multi
    self.resolved = resolved
    if CurlQuirks.childrenInheritWakeup { ccurl_keep_wakeup_from_children(multi) }
  }

  deinit { if !isStarted.load(ordering: .acquiring) { ccurl_multi_free(multi) } }

  /// Leaves something for the loop to do; from any thread.
  func submit(_ command: Command) {
    wakerCount.add(1, ordering: .sequentiallyConsistent)
    defer { wakerCount.subtract(1, ordering: .sequentiallyConsistent) }
    let isClosed = inbox.withLock { inbox in
      if !inbox.isClosed { inbox.commands.append(command) }
      return inbox.isClosed
    }
    if isClosed { return }
    startThread(for: command)
    // Waking costs a system call: only when it sleeps, and only the first who comes.
    if isAsleep.exchange(false, ordering: .sequentiallyConsistent) { _ = ccurl_multi_wake(multi) }
  }

  /// The thread starts with the first exchange, so that a transport which is never used costs nothing.
  private func startThread(for command: Command) {
    guard case .start = command, !isStarted.load(ordering: .acquiring) else { return }
    guard !isStarted.exchange(true, ordering: .acquiringAndReleasing) else { return }
    let thread = Thread { [self] in
      ccurl_begin_loop()
      runEngine()
      close()
    }
    thread.name = "heliograph.curl"
    thread.start()
  }

  // Apart, so that the engine and its handles are freed before what they belong to.
  @inline(never) private func runEngine() { CurlEngine(self, resolved).run() }

  /// Takes what was left; on the loop's thread.
  func takeCommands(into commands: inout [Command]) {
    commands.removeAll(keepingCapacity: true)
    inbox.withLock { swap(&$0.commands, &commands) }
  }

  /// Takes nothing any more, and closes all connections; on the loop's thread, at its end.
  private func close() {
    var left: [Command] = []
    inbox.withLock { inbox in
      inbox.isClosed = true
      swap(&inbox.commands, &left)
    }
    // Freed outside the lock.
    withExtendedLifetime(left) {}
    // Whoever comes later finds the inbox closed.
    while wakerCount.load(ordering: .sequentiallyConsistent) > 0 { sched_yield() }
    ccurl_multi_free(multi)
  }

  /// Waits for something to happen, unless there are commands already; on the loop's thread.
  func wait(milliseconds: Int32) {
    isAsleep.store(true, ordering: .sequentiallyConsistent)
    if inbox.withLock({ $0.commands.isEmpty }) { _ = ccurl_multi_wait(multi, milliseconds) }
    isAsleep.store(false, ordering: .sequentiallyConsistent)
  }
}
#endif
