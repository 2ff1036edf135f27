import Foundation

/// A key by which a server recognizes the attempts of one request, sent as `Idempotency-Key`.
///
/// The field is that of the IETF draft `draft-ietf-httpapi-idempotency-key-header`; the server has to support it.
public enum IdempotencyKey: Sendable, Hashable {
  /// A new UUID for each subscription, the same one for all of its attempts.
  case automatic
  /// A key of your own, such as an order's number. It is sent as it is.
  case value(String)

  /// What is sent.
  func makeText() -> String {
    switch self {
    case .automatic: UUID().uuidString
    case .value(let text): text
    }
  }
}

extension IdempotencyKey: ExpressibleByStringLiteral {
  /// A key of your own.
  public init(stringLiteral text: String) { self = .value(text) }
}
