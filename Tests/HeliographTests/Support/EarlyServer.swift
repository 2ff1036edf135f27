import Foundation
import Heliograph

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A server that answers each request when it has read the head, and reads the body afterwards, or none of it.
///
/// The connection stays open until the client closes it, and a minute at most.
final class EarlyServer: Sendable {
  private let acceptor: LoopbackAcceptor
  private let seen: Seen

  private final class Seen: Sendable {
    let byteCounts = Guarded<[Int]>([])
  }

  /// Starts it.
  ///
  /// - Parameters:
  ///   - answer: the whole answer.
  ///   - reads: whether it reads the body.
  /// - Throws: when no port can be had.
  init(_ answer: String, reads: Bool) throws {
    let seen = Seen()
    self.seen = seen
    acceptor = try LoopbackAcceptor { client in
      defer { close(client) }
      var byteCount = 0
      guard EarlyServer.readHead(client, &byteCount) else { return }
      LoopbackSocket.write(Data(answer.utf8), to: client)
      if reads { EarlyServer.readAll(client, &byteCount) } else { EarlyServer.waitForHangUp(client) }
      seen.byteCounts.withLock { $0.append(byteCount) }
    }
  }

  var url: URL? { URL(string: "http://127.0.0.1:\(acceptor.port)") }

  /// The bytes that were read from each connection that has ended.
  var byteCounts: [Int] { seen.byteCounts.withLock { $0 } }

  private static func readHead(_ client: Int32, _ byteCount: inout Int) -> Bool {
    var head = Data()
    var buffer = [UInt8](repeating: 0, count: 1024)
    while head.range(of: Data("\r\n\r\n".utf8)) == nil {
      let count = recv(client, &buffer, buffer.count, 0)
      guard count > 0 else { return false }
      head.append(contentsOf: buffer[..<count])
    }
    byteCount = head.count
    return true
  }

  private static func readAll(_ client: Int32, _ byteCount: inout Int) {
    var limit = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(client, &buffer, buffer.count, 0)
      guard count > 0 else { return }
      byteCount += count
    }
  }

  private static func waitForHangUp(_ client: Int32) {
    #if canImport(Darwin)
    var item = pollfd(fd: client, events: Int16(POLLHUP), revents: 0)
    #else
    var item = pollfd(fd: client, events: Int16(0x2000), revents: 0)  // POLLRDHUP
    #endif
    _ = poll(&item, 1, 60_000)
  }
}
