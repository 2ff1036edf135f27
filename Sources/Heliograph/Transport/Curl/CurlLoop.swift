#if HELIOGRAPH_CURL
import CCurl
import Foundation
import Signals
import Synchronization

/// The thread that does all input and output of a transport, with its inbox for commands.
final class CurlLoop: Sendable {
  enum Command: Sendable {
    case start(CurlExchange)
    case cancel(CurlExchange)
    /// The consumer of a paused download is ready for more.
    case resumeReceiving(CurlExchange)
    /// The source of a paused upload has more data.
    case resumeSending(CurlExchange)
    /// The total timeout of an exchange has passed.
    case expire(CurlExchange)
    /// The transport was deallocated: the loop ends after its last exchange.
    case finish
  }

  private struct Inbox {
    var commands: [Command] = []
    /// Whether the thread has ended and takes no more commands.
    var isClosed = false
  }

  // Used on the loop's thread, except for waking it, which any thread may do. Freed by the thread at its end, or at
  // deallocation if no thread was started.
  nonisolated(unsafe) let multi: OpaquePointer
  // The time of the current iteration, used on the loop's thread only. Reading the clock for each line would cost more.
  @exclusivity(unchecked) nonisolated(unsafe) var now = SuspendingClock.now
  // The earliest instant at which a transfer has to be checked, in place of a timer for each. Used on the loop's thread
  // only.
  nonisolated(unsafe) var nextExpiry: SuspendingClock.Instant?
  // Used on the loop's thread only, by its transfers.
  nonisolated(unsafe) var sockets = CurlSockets()
  // Used on the loop's thread only.
  nonisolated(unsafe) var connections = CurlConnections()
  // Used on the loop's thread only.
  nonisolated(unsafe) var addresses = CurlAddresses()
  private let inbox = Guarded(Inbox())
  private let isAsleep = Atomic<Bool>(false)
  private let isStarted = Atomic<Bool>(false)
  /// The number of threads that may be about to wake the loop, for which its end waits.
  private let wakerCount = Atomic<Int>(0)
  private let resolved: ResolvedSettings

  init(_ resolved: ResolvedSettings) throws(NetworkError) {
    guard let multi = ccurl_multi_make() else {
      throw NetworkError(.invalidTransport, reason: "libcurl could not be initialized: no memory or file descriptors")
    }
    self.multi = multi
    self.resolved = resolved
    if CurlQuirks.childrenInheritWakeup { ccurl_keep_wakeup_from_children(multi) }
    // Without free descriptors older libcurls make a loop that no other thread can wake, and report it only here.
    guard ccurl_multi_wake(multi) == CCURL_OK else {
      throw NetworkError(.invalidTransport, reason: "no file descriptors for the wakeup of libcurl's loop")
    }
  }

  deinit { if !isStarted.load(ordering: .acquiring) { ccurl_multi_free(multi) } }

  /// Submits a command to the loop; may be called on any thread.
  func submit(_ command: Command) {
    wakerCount.add(1, ordering: .sequentiallyConsistent)
    defer { wakerCount.subtract(1, ordering: .sequentiallyConsistent) }
    let isClosed = inbox.withLock { inbox in
      if !inbox.isClosed { inbox.commands.append(command) }
      return inbox.isClosed
    }
    if isClosed { return }
    startThread(for: command)
    // Waking costs a system call, so it is done only while the loop sleeps, and only once.
    if isAsleep.exchange(false, ordering: .sequentiallyConsistent) { _ = ccurl_multi_wake(multi) }
  }

  /// Starts the thread with the first exchange, so that an unused transport costs nothing.
  private func startThread(for command: Command) {
    guard case .start = command, !isStarted.load(ordering: .acquiring) else { return }
    guard !isStarted.exchange(true, ordering: .acquiringAndReleasing) else { return }
    let context = Unmanaged.passRetained(self)
    let error = ccurl_start_thread(
      { context in
        if let context { Unmanaged<CurlLoop>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, context.toOpaque())
    if error == 0 { return }
    context.release()
    failExchanges(error)
  }

  /// Fails the submitted exchanges, because no thread could be created; the next exchange tries again.
  private func failExchanges(_ error: Int32) {
    let commands = inbox.withLock { inbox in
      // Inside the lock, so that an exchange submitted meanwhile is among the commands or starts a thread itself.
      isStarted.store(false, ordering: .releasing)
      let commands = inbox.commands
      // A transport that was deallocated meanwhile remains so.
      inbox.commands.removeAll { if case .finish = $0 { false } else { true } }
      return commands
    }
    let failure = NetworkError(
      .invalidTransport, reason: "the system could not create a thread for the transport",
      underlying: POSIXErrorCode(rawValue: error).map { POSIXError($0) })
    // All first, because the failure of one may dispose others, whose `cancel` would wait in the inbox and retain the loop.
    // A thread that another submission has created may be ending some of them.
    let failed = commands.compactMap { command in
      if case .start(let exchange) = command, exchange.claimEnd() { exchange } else { nil }
    }
    for exchange in failed { exchange.observer.fail(failure.attaching(exchange.request)) }
  }

  private func run() {
    ccurl_begin_loop()
    runEngine()
    close()
  }

  // A separate function, so that the engine and its handles are freed before the multi handle.
  @inline(never) private func runEngine() { CurlEngine(self, resolved).run() }

  /// Schedules a check of the transfers no later than an instant; on the loop's thread.
  func scheduleCheck(_ instant: SuspendingClock.Instant?) {
    guard let instant else { return }
    nextExpiry = nextExpiry.map { min($0, instant) } ?? instant
  }

  /// Takes the submitted commands; on the loop's thread.
  func takeCommands(into commands: inout [Command]) {
    commands.removeAll(keepingCapacity: true)
    inbox.withLock { swap(&$0.commands, &commands) }
  }

  /// Closes the inbox and all connections; on the loop's thread, at its end.
  private func close() {
    inbox.discardWithLock { inbox in
      inbox.isClosed = true
      defer { inbox.commands = [] }
      return inbox.commands
    }
    // A thread that submits a command from now on finds the inbox closed.
    while wakerCount.load(ordering: .sequentiallyConsistent) > 0 { sched_yield() }
    ccurl_multi_free(multi)
  }

  /// Waits for an event, unless there are commands; on the loop's thread.
  func wait(milliseconds: Int32) {
    isAsleep.store(true, ordering: .sequentiallyConsistent)
    if inbox.withLock({ $0.commands.isEmpty }) { ccurl_multi_wait(multi, milliseconds) }
    isAsleep.store(false, ordering: .sequentiallyConsistent)
  }
}
#endif
