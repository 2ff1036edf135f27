#if HELIOGRAPH_CURL
import CCurl

/// Which socket each connection has: libcurl tells of a request's connection by its port on this side.
struct CurlSockets {
  private var sockets: [Int32: Int32] = [:]
  private var ports: [Int32: Int32] = [:]

  /// Notes the socket of a new connection.
  ///
  /// - Parameters:
  ///   - candidates: those that were made for it: of several addresses only one was connected.
  ///   - port: the connection's port on this side.
  mutating func note(_ candidates: [Int32], _ port: Int32) {
    // Unix sockets have no port, and so are not told apart.
    guard port > 0, let socket = candidates.last(where: { ccurl_local_port($0) == port }) else { return }
    // The number is used again when a socket is closed: so there are never more of them than open ones.
    if let before = ports[socket], before != port { sockets[before] = nil }
    ports[socket] = port
    sockets[port] = socket
  }

  /// Whether there is something to read on a connection, if only that it is closed; `false` if it is not known.
  func hasInput(_ port: Int32) -> Bool {
    guard let socket = sockets[port], ccurl_has_input(socket) != 0 else { return false }
    // It may be another's by now.
    return ccurl_local_port(socket) == port
  }
}
#endif
