#if HELIOGRAPH_CURL
import CCurl

/// The socket of each connection by its local port, the only fact that libcurl reports about a request's connection.
struct CurlSockets {
  private var sockets: [Int32: Int32] = [:]
  private var ports: [Int32: Int32] = [:]

  /// Records the socket of a new connection.
  ///
  /// - Parameters:
  ///   - candidates: The sockets that were created for the connection; only one of them was connected.
  ///   - port: The connection's local port.
  mutating func record(_ candidates: [Int32], _ port: Int32) {
    // Unix domain sockets have no port and are not distinguished.
    guard port > 0, let socket = candidates.last(where: { ccurl_local_port($0) == port }) else { return }
    // The descriptor of a closed socket is reused, so there are never more entries than open sockets.
    if let formerPort = ports[socket], formerPort != port { sockets[formerPort] = nil }
    ports[socket] = port
    sockets[port] = socket
  }

  /// Returns whether a connection has something to read, even if only its end; `false` for an unknown connection.
  func hasInput(_ port: Int32) -> Bool { check(port, ccurl_has_input) }

  /// Returns whether the peer has closed a connection; `false` for an unknown connection.
  func isClosed(_ port: Int32) -> Bool { check(port, ccurl_is_closed) }

  private func check(_ port: Int32, _ condition: (Int32) -> Int32) -> Bool {
    guard let socket = sockets[port], condition(socket) != 0 else { return false }
    // The descriptor may belong to another connection by now.
    return ccurl_local_port(socket) == port
  }
}
#endif
