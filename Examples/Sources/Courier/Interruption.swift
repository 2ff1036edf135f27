import Dispatch
import Foundation
import Synchronization

/// Ctrl-C and other requests to end the program: the first one ends it in order, the second one at once.
final class Interruption: Sendable {
  private struct State {
    var first: Int32?
    var handler: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  /// Handles SIGINT, SIGTERM and SIGHUP until the program ends, and ignores SIGPIPE: a closed output fails `write`.
  init() {
    signal(SIGPIPE, SIG_IGN)
    for number in [SIGINT, SIGTERM, SIGHUP] {
      // A signal that was ignored from the start, as with nohup or in the background of a script, stays so.
      let previous = signal(number, SIG_IGN)
      if unsafeBitCast(previous, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { continue }
      // Output that blocks may take all threads of tasks, so the signals have their own.
      let source = DispatchSource.makeSignalSource(signal: number, queue: DispatchQueue(label: "courier.signals"))
      // The handler keeps its source.
      source.setEventHandler { [self] in
        _ = source
        handle(number)
      }
      source.activate()
    }
  }

  /// Sets what the first signal does; if it has come already, does it at once.
  func onFirst(_ handler: @escaping @Sendable () -> Void) {
    let hasCome = state.withLock { state in
      state.handler = handler
      return state.first != nil
    }
    if hasCome { handler() }
  }

  /// The exit code of a program that a signal has ended: 128 and the signal's number; `nil` without a signal.
  var exitCode: Int32? { state.withLock { $0.first.map { 128 + $0 } } }

  private func handle(_ number: Int32) {
    let (isFirst, handler) = state.withLock { state in
      defer { state.first = state.first ?? number }
      return (state.first == nil, state.handler)
    }
    if isFirst { handler?() } else { _exit(128 + number) }
  }
}
