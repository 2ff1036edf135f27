import Foundation

/// A key by which a server recognizes the attempts of one request, sent as `Idempotency-Key`.
///
/// The field is defined by the IETF draft `draft-ietf-httpapi-idempotency-key-header`. The server has to support it.
public enum IdempotencyKey: Sendable, Hashable {
  /// A new UUID for each subscription; all attempts of the subscription share it.
  case automatic
  /// A key of your own, such as an order number, sent unchanged.
  ///
  /// An empty or blank one is rejected with ``NetworkError/Code/invalidHeader`` when the request is built.
  case value(String)

  /// Returns the value of the header field.
  func makeText() -> String {
    switch self {
    case .automatic: UUID().uuidString
    case .value(let text): text
    }
  }
}

extension IdempotencyKey: ExpressibleByStringInterpolation {
  /// Creates a key of your own.
  public init(_ text: String) { self = .value(text) }

  /// Creates a key of your own, also with interpolated values: `"order-\(id)"`.
  public init(stringLiteral text: String) { self = .value(text) }
}
