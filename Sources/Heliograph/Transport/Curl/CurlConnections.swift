#if HELIOGRAPH_CURL
import CCurl
import Foundation

/// The connections that are known to use HTTP/2, by libcurl's connection numbers.
struct CurlConnections {
  /// The number of recent connections after which earlier ones are forgotten.
  ///
  /// Each response records its connection again, so no connection in use is forgotten. If one were, a request that the
  /// server refuses on it would not be resent.
  private static let limit = 1024

  private struct Record {
    /// The instant of the latest input that is known; `nil` before the first head.
    var lastInputAt: SuspendingClock.Instant?
  }

  private var recent: [Int64: Record] = [:]
  private var former: [Int64: Record] = [:]
  /// The first transfer that waits for a response, for each connection that is not known to use HTTP/2.
  private var firstWaiting: [Int64: ObjectIdentifier] = [:]

  /// Records that a connection uses HTTP/2, and that something arrived on it at an instant.
  mutating func record(_ connection: Int64, inputAt instant: SuspendingClock.Instant? = nil) {
    let last = self[connection]?.lastInputAt
    if recent.count >= CurlConnections.limit { (former, recent) = (recent, [:]) }
    recent[connection] = Record(lastInputAt: instant.map { max($0, last ?? $0) } ?? last)
  }

  func isMultiplexing(_ connection: Int64) -> Bool { self[connection] != nil }

  /// Returns the instant of the latest input on a connection, as far as exchanges have recorded it: at their heads and
  /// their ends.
  func lastInput(on connection: Int64) -> SuspendingClock.Instant? { self[connection]?.lastInputAt }

  private subscript(_ connection: Int64) -> Record? { recent[connection] ?? former[connection] }

  /// Records that a transfer sends its request.
  mutating func beginWait(of transfer: CurlTransfer) {
    // Two transfers that wait on one connection share it, which only HTTP/2 allows.
    let connection = transfer.connection
    if isMultiplexing(connection) { return }
    if firstWaiting[connection] == nil {
      firstWaiting[connection] = ObjectIdentifier(transfer)
    } else {
      firstWaiting[connection] = nil
      record(connection)
    }
  }

  mutating func endWait(of transfer: CurlTransfer) {
    if firstWaiting[transfer.connection] == ObjectIdentifier(transfer) { firstWaiting[transfer.connection] = nil }
  }
}

/// The addresses of a connection, the only facts that libcurl reports about a request's connection.
///
/// Two connections to different peers may have one local port. All connections over a Unix domain socket have the same
/// addresses and no port.
struct CurlEndpoints: Hashable {
  var local = ""
  var localPort: Int32 = 0
  var remote = ""
  var remotePort: Int32 = 0
  /// The descriptor of a new connection over a Unix domain socket, for its first request only; `nil` otherwise.
  var unixSocket: Int32?

  func areConnected(by socket: Int32) -> Bool { ccurl_connects(socket, local, localPort, remote, remotePort) != 0 }
}

/// The socket of each connection by its addresses.
struct CurlSockets {
  private var sockets: [CurlEndpoints: Int32] = [:]
  private var endpoints: [Int32: CurlEndpoints] = [:]

  /// Records the socket of a new connection, the only one of the `candidates` created for it that was connected.
  mutating func record(_ candidates: [Int32], _ connection: CurlEndpoints) {
    guard let socket = candidates.last(where: connection.areConnected(by:)) else { return }
    // The descriptor of a closed socket is reused, so there are never more entries than open sockets. The former
    // addresses may belong to another socket by now.
    if let former = endpoints[socket], former != connection, sockets[former] == socket { sockets[former] = nil }
    endpoints[socket] = connection
    sockets[connection] = socket
  }

  /// Returns whether a connection has something to read, even if only its end; `false` for an unknown connection.
  func hasInput(_ connection: CurlEndpoints) -> Bool { check(connection, ccurl_has_input) }

  /// Returns whether the peer has closed a connection; `false` for an unknown connection.
  func isClosed(_ connection: CurlEndpoints) -> Bool { check(connection, ccurl_is_closed) }

  private func check(_ connection: CurlEndpoints, _ condition: (Int32) -> Int32) -> Bool {
    // It cannot belong to another connection, because libcurl does not close that of a request in flight.
    if let socket = connection.unixSocket { return condition(socket) != 0 }
    guard let socket = sockets[connection], condition(socket) != 0 else { return false }
    // The descriptor may belong to another connection by now.
    return connection.areConnected(by: socket)
  }
}

/// The results of the `resolve` closure, in libcurl's format.
struct CurlAddresses {
  /// The maximum number of hosts and ports, because libcurl's entries do not expire.
  private static let limit = 10_000

  /// The hosts and ports for which libcurl has addresses from the closure.
  private var cachedNames: Set<String> = []

  /// Returns the entries for `CURLOPT_RESOLVE`.
  mutating func entries(
    for url: URL, _ resolve: (String, Int) -> [String]?
  ) throws(NetworkError) -> [String] {
    // An IP address, in any form, needs no resolver, and libcurl would take a star for every host. It takes an address
    // with a dot at its end for a name.
    guard let host = url.host, !host.contains(":"), host != "*",
      host.hasSuffix(".") || IPv4Address.canonical(host.utf8) == nil
    else { return [] }
    // An entry that begins with a hyphen would remove one.
    if host.hasPrefix("-") {
      throw NetworkError(.cannotFindHost, reason: "`resolve` is not asked for a host that begins with a hyphen")
    }
    let port = url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80)
    let name = "\(host.loweredASCII):\(port)"
    guard let addresses = resolve(host, port) else { return cachedNames.remove(name) == nil ? [] : ["-" + name] }
    if addresses.isEmpty {
      throw NetworkError(.cannotFindHost, reason: "`resolve` returned no address for \(host)")
    }
    for address in addresses where address.hasPrefix("[") || address.addressBytes == nil {
      throw NetworkError(
        .invalidTransport,
        reason: "`resolve` returned \(address.debugDescription), which is not an IP address")
    }
    var entries: [String] = []
    if !cachedNames.contains(name), cachedNames.count >= CurlAddresses.limit, let other = cachedNames.popFirst() {
      entries = ["-" + other]
    }
    cachedNames.insert(name)
    // It replaces an earlier entry. With a plus sign it would expire after a minute, and the next attempt of a longer
    // exchange, for which libcurl does not read the list again, would use the system's resolver.
    entries.append("\(name):" + addresses.map { $0.contains(":") ? "[\($0)]" : $0 }.joined(separator: ","))
    return entries
  }
}
#endif
