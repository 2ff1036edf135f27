import Foundation
import TestSupport

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Keeps the bytes of requests as they come from the socket, and answers each with an empty 200 and a close.
///
/// The other server of the tests reads what it gets, and forgives white space and framing that bytes must show.
package final class WireServer: Sendable {
  private let acceptor: LoopbackAcceptor
  /// What has come; the thread outlives the server.
  private let log = Log<Data>()

  /// Starts it.
  ///
  /// - Parameter early: what it writes instead, before it has read the request. Default: nothing.
  /// - Throws: when no port can be had.
  package init(early: Data? = nil) throws {
    acceptor = try LoopbackAcceptor { [log] client in
      if let early { LoopbackSocket.write(early, to: client) }
      if let request = Self.read(client) { log.add(request) }
      if early == nil { LoopbackSocket.write(Self.emptyAnswer, to: client) }
      close(client)
    }
  }

  package var port: UInt16 { acceptor.port }

  /// The requests that have come, in order, each with its head and its framing.
  package var requests: [Data] { log.entries }

  /// One whole request; `nil` if the client goes away before its end.
  private static func read(_ client: Int32) -> Data? {
    var received = Data()
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while !WireRequest.isComplete(received) {
      let count = recv(client, &buffer, buffer.count, 0)  // blocks: a thread of its own
      guard count > 0 else { return nil }
      received.append(contentsOf: buffer[..<count])
    }
    return received
  }

  private static let emptyAnswer = Data("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
}
