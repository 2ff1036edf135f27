import Foundation

/// A key by which a server recognizes the attempts of one request, sent as `Idempotency-Key`.
///
/// The field is defined by the IETF draft `draft-ietf-httpapi-idempotency-key-header`. The server must support it.
public enum IdempotencyKey: Sendable, Hashable {
  /// A new UUID for each subscription; all attempts of the subscription share it.
  case automatic
  /// A custom key, such as an order number, sent unchanged.
  ///
  /// A blank key is rejected with ``NetworkError/Code/invalidHeader`` when the request is built.
  case value(String)

  func makeText() -> String {
    switch self {
    case .automatic: UUID().uuidString
    case .value(let text): text
    }
  }
}

extension IdempotencyKey: ExpressibleByStringInterpolation {
  /// Creates a custom key.
  public init(_ text: String) { self = .value(text) }

  /// Creates a custom key, also with interpolated values: `"order-\(id)"`.
  public init(stringLiteral text: String) { self = .value(text) }
}
