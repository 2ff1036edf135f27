import Foundation
import Signals
import Synchronization

/// A pipe that ends the loop's wait from any thread, with one byte.
final class Wakeup: Sendable {
  /// The end of the pipe that the loop polls.
  let readEnd: Int32
  private let writeEnd: Int32
  private let isPending = Atomic(false)
  private let stopRequest = Atomic(false)

  init() throws(LoopbackServerError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw LoopbackServerError(operation: "pipe", code: errno) }
    readEnd = ends[0]
    writeEnd = ends[1]
    try Socket.makeNonBlocking(readEnd)
    try Socket.makeNonBlocking(writeEnd)
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  var isStopRequested: Bool { stopRequest.load(ordering: .acquiring) }

  func requestStop() {
    stopRequest.store(true, ordering: .releasing)
    signal()
  }

  /// Ends the loop's wait; signals before the next `clear()` count as one, so the pipe never fills.
  func signal() {
    guard !isPending.exchange(true, ordering: .acquiringAndReleasing) else { return }
    var byte: UInt8 = 1
    _ = write(writeEnd, &byte, 1)
  }

  /// Empties the pipe; called by the loop before it handles the reason of the signal.
  func clear() {
    var byte: UInt8 = 0
    while read(readEnd, &byte, 1) > 0 {}
    isPending.store(false, ordering: .releasing)
  }
}

/// A queue of the responses that tasks of routes have computed for the loop.
final class RouteResponses: Sendable {
  private let responses = Guarded<[(id: Int, response: LoopbackResponse)]>([])
  private let wakeup: Wakeup

  init(wakeup: Wakeup) {
    self.wakeup = wakeup
  }

  func add(_ response: LoopbackResponse, on connection: Int) {
    responses.withLock { $0.append((connection, response)) }
    wakeup.signal()
  }

  func takeAll() -> [(id: Int, response: LoopbackResponse)] {
    responses.withLock { responses in
      defer { responses = [] }
      return responses
    }
  }
}

/// An error of a system call that prevented a `LoopbackServer` from starting.
package struct LoopbackServerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name of the failed call, such as `"bind"`.
  package let operation: String
  /// The value of `errno` after the call, such as `EADDRINUSE` if the port is in use.
  package let code: Int32

  /// The call and its error number, such as `bind failed with errno 98`.
  package var description: String { "\(operation) failed with errno \(code)" }
}
