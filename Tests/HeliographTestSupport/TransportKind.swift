import Heliograph

/// A transport there is, for tests that hold over each.
package enum TransportKind: String, CaseIterable, Sendable {
  case curl, urlSession

  package static var present: [TransportKind] { allCases.filter { $0 != .curl || CurlTransport.isAvailable } }

  package func transport() throws -> any Transport { self == .curl ? try CurlTransport() : URLSessionTransport() }
}
