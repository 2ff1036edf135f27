import Foundation
import Synchronization

@testable import Courier

/// An output that keeps what is written, like a file or like a terminal.
final class Recorder: Output {
  private struct State {
    var data = Data()
    var isEnded = false
    var waiting: [(condition: @Sendable (String) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
  }

  let columns: Int?
  private let failure: Failure?
  private let state = Mutex(State())

  init(columns: Int? = nil, failure: Failure? = nil) {
    (self.columns, self.failure) = (columns, failure)
  }

  var data: Data { state.withLock { $0.data } }
  var text: String { String(decoding: data, as: UTF8.self) }
  var lines: [String] { text.split(separator: "\n").map(String.init) }

  func write(_ data: Data) throws(Failure) {
    if let failure { throw failure }
    let ready = state.withLock { state in
      state.data += data
      if state.waiting.isEmpty { return [CheckedContinuation<Void, Never>]() }
      let text = String(decoding: state.data, as: UTF8.self)
      let ready = state.waiting.filter { $0.condition(text) }
      state.waiting.removeAll { $0.condition(text) }
      return ready.map(\.continuation)
    }
    for continuation in ready { continuation.resume() }
  }

  /// Ends every wait: nothing more is written.
  func end() {
    let waiting = state.withLock { state in
      state.isEnded = true
      defer { state.waiting = [] }
      return state.waiting.map(\.continuation)
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Waits until the text satisfies a condition, or the command has ended.
  func wait(until condition: @escaping @Sendable (String) -> Bool) async {
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        if state.isEnded || condition(String(decoding: state.data, as: UTF8.self)) { return true }
        state.waiting.append((condition, continuation))
        return false
      }
      if isReady { continuation.resume() }
    }
  }
}
