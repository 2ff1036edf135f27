import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A server that answers each request when it has read the head, and reads the body afterwards, or none of it.
///
/// The connection stays open until the client closes it, and an hour at most, unless another ending is asked for.
package final class EarlyServer: Sendable {
  /// The end of a connection on the side of the server, after its answer.
  package enum Ending: Sendable {
    case none, close, reset
  }

  private let acceptor: LoopbackAcceptor

  /// Starts it.
  ///
  /// - Parameters:
  ///   - answer: the whole answer.
  ///   - reads: whether it reads the body.
  ///   - ending: what it does after its answer; of a closed connection it still reads. Default: nothing.
  ///   - path: that of a Unix domain socket. Default: a port is listened at.
  /// - Throws: when the port or the path cannot be had.
  package init(_ answer: String, reads: Bool, then ending: Ending = .none, at path: String? = nil) throws {
    acceptor = try LoopbackAcceptor(at: path) { client in
      defer { close(client) }
      guard LoopbackSocket.readHead(client) != nil else { return }
      LoopbackSocket.write(Data(answer.utf8), to: client)
      switch ending {
      case .none: break
      case .close: shutdown(client, Int32(SHUT_WR))
      case .reset:
        var atOnce = linger(l_onoff: 1, l_linger: 0)
        setsockopt(client, SOL_SOCKET, SO_LINGER, &atOnce, socklen_t(MemoryLayout<linger>.size))
        return
      }
      if reads { EarlyServer.readAll(client) } else { EarlyServer.waitForHangUp(client) }
    }
  }

  package var url: URL? { URL(string: "http://127.0.0.1:\(acceptor.port)") }

  private static func readAll(_ client: Int32) {
    var limit = timeval(tv_sec: 3_600, tv_usec: 0)
    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while recv(client, &buffer, buffer.count, 0) > 0 {}  // blocks: a thread of its own
  }

  private static func waitForHangUp(_ client: Int32) {
    #if canImport(Darwin)
    var item = pollfd(fd: client, events: Int16(POLLHUP), revents: 0)
    #else
    var item = pollfd(fd: client, events: Int16(0x2000), revents: 0)  // POLLRDHUP
    #endif
    _ = poll(&item, 1, 3_600_000)
  }
}
