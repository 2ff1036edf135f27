import Heliograph

/// A transport there is, for tests that hold over each.
enum TransportKind: String, CaseIterable, Sendable {
  case curl, urlSession

  static var present: [TransportKind] { allCases.filter { $0 != .curl || CurlTransport.isAvailable } }

  func transport() throws -> any Transport { self == .curl ? try CurlTransport() : URLSessionTransport() }
}
