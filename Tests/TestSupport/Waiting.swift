import Dispatch
import HeliographTesting
import Signals
import Testing

// Waits have no limit of their own: on a busy machine any limit is too short for somebody. The watchdog finds what hangs.

/// Waits until a condition holds that no event announces, such as the end of an object's life.
package func until(
  isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: Int = #line,
  _ condition: () -> Bool
) async {
  let wait = Watchdog.shared.begin("a condition", at: "\(fileID):\(line)")
  defer { Watchdog.shared.end(wait) }
  var pause = Duration.microseconds(50)
  while !condition(), !Task.isCancelled {
    // sleeps: nothing announces it; yielding instead would occupy a thread of the pool.
    try? await Task.sleep(for: pause)
    pause = min(pause * 2, .milliseconds(5))
  }
}

/// Returns after all that waits in the main queue has run.
package func mainQueueTurn() async {
  await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
}

extension SignalRecorder {
  /// Waits until the signal has failed or completed.
  @discardableResult
  package func waitForEnd() async -> Bool {
    await wait { $0.last?.isTerminal ?? false }
  }

  /// Waits until the recorded events meet a condition, which is evaluated at each event: it looks at nothing else.
  @discardableResult
  package func wait(until condition: @escaping @Sendable ([Event<Value, Failure>]) -> Bool) async -> Bool {
    let wait = Watchdog.shared.begin("\(Event<Value, Failure>.self) of a recorder")
    defer { Watchdog.shared.end(wait) }
    return await self.wait(for: Watchdog.unlimited, until: condition)
  }
}

extension LoopbackServer {
  /// Waits until the log satisfies a condition, which is evaluated at each change of the log: it looks at nothing else.
  @discardableResult
  package func wait(until condition: @escaping @Sendable (LoopbackLog) -> Bool) async -> Bool {
    let wait = Watchdog.shared.begin("the log of a LoopbackServer")
    defer { Watchdog.shared.end(wait) }
    return await self.wait(for: Watchdog.unlimited, until: condition)
  }
}

extension StubTransport {
  /// Waits until the stub has been sent this number of requests.
  @discardableResult
  package func requested(_ count: Int) async -> Bool {
    let wait = Watchdog.shared.begin("\(count) requests to a StubTransport")
    defer { Watchdog.shared.end(wait) }
    return await self.requested(count, within: Watchdog.unlimited)
  }
}
