import Heliograph

/// A transport that every case is run over.
enum TransportKind: String, CaseIterable, Sendable {
  case curl, urlSession

  static var present: [TransportKind] { allCases.filter { $0 != .curl || CurlTransport.isAvailable } }

  func transport() throws -> any Transport { self == .curl ? try CurlTransport() : URLSessionTransport() }
}

/// A transport with a kind of cache.
struct Setup: Sendable, CustomStringConvertible {
  let transport: TransportKind
  /// Whether the cache has a folder and keeps nothing in memory.
  let usesDisk: Bool

  /// Both transports with a cache in memory, and the preferred one with a cache on disk.
  static var present: [Setup] {
    TransportKind.present.map { Setup(transport: $0, usesDisk: false) }
      + TransportKind.present.prefix(1).map { Setup(transport: $0, usesDisk: true) }
  }

  var description: String { transport.rawValue + (usesDisk ? " with a disk" : "") }
}
