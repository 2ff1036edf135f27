import Dispatch
import Foundation
import Synchronization

/// Ctrl-C and other requests to end the program: the first one ends it in order, the second one at once.
final class Interruption: Sendable {
  /// The signals, also those that came before anything listened.
  let signals: AsyncStream<Int32>
  private let first = Mutex<Int32?>(nil)

  /// Handles SIGINT, SIGTERM and SIGHUP until the program ends, and ignores SIGPIPE: a closed output fails `write`.
  init() {
    let (signals, input) = AsyncStream.makeStream(of: Int32.self)
    self.signals = signals
    signal(SIGPIPE, SIG_IGN)
    for number in [SIGINT, SIGTERM, SIGHUP] {
      // A signal that was ignored from the start, as with nohup or in the background of a script, stays so.
      let previous = signal(number, SIG_IGN)
      if unsafeBitCast(previous, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { continue }
      let source = DispatchSource.makeSignalSource(signal: number)
      // The handler keeps its source.
      source.setEventHandler { [self] in
        _ = source
        if note(number) { input.yield(number) } else { _exit(128 + number) }
      }
      source.activate()
    }
  }

  /// The exit code of a program that a signal has ended: 128 and the signal's number; `nil` without a signal.
  var exitCode: Int32? { first.withLock { $0.map { 128 + $0 } } }

  /// Returns whether it is the first signal.
  private func note(_ number: Int32) -> Bool {
    first.withLock { first in
      defer { first = first ?? number }
      return first == nil
    }
  }
}
