import Synchronization

/// The identity of a request, unique in the process.
///
/// All attempts and redirects of one subscription share one identity. Middleware reads it from ``HTTPRequest/id``, and
/// monitors identify the request by it.
public struct RequestID: Sendable, Hashable {
  /// The number, counted from 1 in the process.
  public let rawValue: UInt64

  private static let last = Atomic<UInt64>(0)

  package static func next() -> RequestID {
    RequestID(rawValue: last.add(1, ordering: .relaxed).newValue)
  }
}

extension RequestID: CustomStringConvertible {
  /// The number as text.
  public var description: String { String(rawValue) }
}
