import Heliograph

/// A transport there is, for tests that hold over each.
package enum TransportKind: String, CaseIterable, Sendable {
  case curl, urlSession

  package static var present: [TransportKind] { allCases.filter { $0 != .curl || CurlTransport.isAvailable } }

  /// The default of this platform.
  package static var `default`: TransportKind { CurlTransport.isAvailable ? .curl : .urlSession }

  /// Whether the default of this platform pauses for a slow consumer, and reports a cut body as a lost connection.
  ///
  /// Linux's `URLSession` does neither: its code for a cut body is -1, which is not retried.
  package static var isComplete: Bool {
    #if canImport(FoundationNetworking)
    CurlTransport.isAvailable
    #else
    true
    #endif
  }

  /// Those that pause for a slow consumer, and send a stream while it is read.
  package static var streaming: [TransportKind] {
    #if canImport(FoundationNetworking)
    present.filter { $0 == .curl }
    #else
    present
    #endif
  }

  /// Opens a transport that waits for a connection, and reuses an idle one, however busy the machine is.
  package func transport() throws -> any Transport {
    guard self == .curl else { return URLSessionTransport() }
    var settings = TransportSettings()
    settings.connectTimeout = .seconds(86_400)
    settings.maximumConnectionIdleTime = .seconds(86_400)
    return try CurlTransport(settings)
  }
}
