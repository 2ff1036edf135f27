import Foundation
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport

/// A server that answers each request with the number that is its path, and `/0` a second time when it is told to.
final class RepeatingServer: Sendable {
  private let acceptor: LoopbackAcceptor
  private let isTold = DispatchSemaphore(value: 0)  // blocks: a thread of its own
  private let hasRepeated = CurrentValue(false)

  var url: URL? { URL(string: "http://127.0.0.1:\(acceptor.port)") }

  init() throws {
    acceptor = try LoopbackAcceptor { [isTold, hasRepeated] client in
      // The client may open another connection while this one is open.
      Thread.detachNewThread {
        let connection = FileHandle(fileDescriptor: client, closeOnDealloc: true)
        while let head = LoopbackSocket.readHead(connection.fileDescriptor) {
          let number = String(decoding: head.dropFirst("GET /".utf8.count).prefix(1), as: UTF8.self)
          let answer = Data("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(number)".utf8)
          LoopbackSocket.write(answer, to: connection.fileDescriptor)
          guard number == "0" else { continue }
          isTold.wait()
          LoopbackSocket.write(answer, to: connection.fileDescriptor)
          hasRepeated.value = true
        }
      }
    }
  }

  // A test may end before.
  deinit { isTold.signal() }

  /// Sends the first answer again; the client's socket has it when this returns.
  func repeatFirst() async {
    isTold.signal()
    await SignalRecorder(hasRepeated.signal).wait { $0.last?.value == true }
  }
}
