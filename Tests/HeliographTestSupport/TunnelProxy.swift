import Foundation
import Signals
import TestSupport

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A proxy on loopback that makes tunnels (RFC 9110 §9.3.6), whatever the host's name, to 127.0.0.1.
package final class TunnelProxy: Sendable {
  private let acceptor: LoopbackAcceptor
  /// What has come; the threads outlive the proxy.
  private let log = Log<String>()
  private let tunnels = Tunnels()

  private final class Tunnels: Sendable {
    /// The last of them to be silent carries nothing, nor do those before it.
    let state = Guarded((madeCount: 0, openCount: 0, lastSilent: 0))
  }

  /// Starts it.
  ///
  /// - Parameter status: what it answers to `CONNECT`; only after 200 there is a tunnel.
  /// - Throws: when no port can be had.
  package init(status: Int = 200) throws {
    acceptor = try LoopbackAcceptor { [log, tunnels] client in
      Thread.detachNewThread { Self.serve(client, status, log, tunnels) }
    }
  }

  package var port: UInt16 { acceptor.port }

  /// The heads that have come, in order.
  package var heads: [String] { log.entries }

  /// The number of tunnels that are open.
  package var openCount: Int { tunnels.state.withLock { $0.openCount } }

  /// Silences the tunnels that are open: they stay open, and what comes is taken and thrown away.
  package func silenceTunnels() { tunnels.state.withLock { $0.lastSilent = $0.madeCount } }

  private static func serve(_ client: Int32, _ status: Int, _ log: Log<String>, _ tunnels: Tunnels) {
    defer { close(client) }
    guard let head = LoopbackSocket.readHead(client) else { return }
    let text = String(decoding: head, as: UTF8.self)
    log.add(text)
    let target = text.split(separator: " ").dropFirst().first ?? ""
    guard text.hasPrefix("CONNECT "), let port = UInt16(target.split(separator: ":").last ?? "") else { return }
    guard let server = try? LoopbackSocket.make() else { return }
    defer { close(server) }
    let isConnected = LoopbackSocket.connect(server, to: port)
    let answer = status == 200 && !isConnected ? 502 : status
    let length = answer == 200 ? "" : "Content-Length: 0\r\n"
    let response = Data("HTTP/1.1 \(answer) \(answer)\r\n\(length)\r\n".utf8)
    guard LoopbackSocket.write(response, to: client), answer == 200 else { return }
    let number = tunnels.state.withLock { state in
      state.madeCount += 1
      state.openCount += 1
      return state.madeCount
    }
    pump(client, server) { tunnels.state.withLock { number <= $0.lastSilent } }
    tunnels.state.withLock { $0.openCount -= 1 }
  }

  /// Carries bytes both ways until both sides have ended.
  private static func pump(_ client: Int32, _ server: Int32, _ isSilent: () -> Bool) {
    var ends: [Int32: Int32] = [client: server, server: client]
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while !ends.isEmpty {
      var waiting = ends.keys.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      guard poll(&waiting, nfds_t(waiting.count), -1) > 0 else { return }
      for ready in waiting where ready.revents != 0 {
        guard let target = ends[ready.fd] else { continue }
        let count = recv(ready.fd, &buffer, buffer.count, 0)  // blocks: a thread of its own
        if count > 0 {
          if isSilent() { continue }
          guard LoopbackSocket.write(Data(buffer[..<count]), to: target) else { return }
        } else {
          ends[ready.fd] = nil
          shutdown(target, Int32(SHUT_WR))
        }
      }
    }
  }
}
