import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// The refresh that several requests share.
struct SharedRefreshTests {
  private let clock = VirtualScheduler()

  @Test func thoseThatWaitLearnOfItsEndInTheirOrder() {
    let recovery = Recovery(scheduler: clock) { [clock] in
      Signal<Void, NetworkError>.timer(after: .seconds(1), on: clock)
    }
    let order = Log<Int>()
    for index in 0..<8 {
      recovery.recovering(Script(.failure(.status(401)), .value(index)).signal).subscribe { event in
        if let value = event.value { order.add(value) }
      }
    }
    clock.run()
    expectEqual(order.entries, Array(0..<8))
  }

  /// A lock that it held would be taken twice.
  @Test func theErrorOfAFormerRefreshIsFreedOutsideTheLock() {
    let freedCount = Guarded(0)
    let errors = Guarded(2)
    let own = Guarded<Recovery?>(nil)
    let recovery = Recovery(scheduler: clock) {
      let isFailing = errors.withLock { count in
        count -= 1
        return count >= 0
      }
      if !isFailing { return Signal<Void, NetworkError>.empty }
      let probe = SendingProbe {
        freedCount.withLock { $0 += 1 }
        own.withLock { $0 }?.recovering(Script(.value(1)).signal).subscribe { _ in }
      }
      return .fail(NetworkError(NetworkError.Code(.client, 1), underlying: probe))
    }
    own.withLock { $0 = recovery }
    for freed in [0, 1, 2] {
      _ = SignalRecorder(recovery.recovering(Script(.failure(.status(401)), .value(1)).signal))
      expectEqual(freedCount.withLock { $0 }, freed)
    }
    own.withLock { $0 = nil }
  }
}

/// An error that sends a request when it is freed, as a logger does.
private final class SendingProbe: Error {
  private let send: @Sendable () -> Void

  init(_ send: @escaping @Sendable () -> Void) { self.send = send }

  deinit { send() }
}
