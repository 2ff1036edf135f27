import Foundation
import HeliographTesting

extension LoopbackRequest {
  /// The number in a path such as `/products/7/reviews`.
  var id: Int? { path.split(separator: "/").dropFirst().first.flatMap { Int($0) } }

  /// The body's JSON, if it is such a value.
  func content<Content: Decodable>(as type: Content.Type = Content.self) -> Content? {
    try? JSONDecoder().decode(type, from: body)
  }
}

extension LoopbackResponse {
  /// A value as JSON.
  static func value(_ value: some Encodable) -> LoopbackResponse {
    let encoder = JSONEncoder()
    // Sorted, so that the same value gives the same bytes.
    encoder.outputFormatting = .sortedKeys
    guard let body = try? encoder.encode(value) else { return .status(500) }
    return .json(body)
  }

  /// An error response of the shop: status 200, and a body with a code and a user-facing message.
  static func problem(_ code: Int, _ message: String) -> LoopbackResponse {
    struct Problem: Encodable {
      let code: Int
      let msg: String
    }
    return .value(Problem(code: code, msg: message))
  }
}
