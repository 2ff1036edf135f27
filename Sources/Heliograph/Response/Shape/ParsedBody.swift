import Foundation

/// A JSON body that is parsed once, when a shape is first compared with it.
///
/// Decoding each value as `JSON` would take nine times as long as ``JSON/init(data:)``.
struct ParsedBody: Sendable {
  private let body: Data
  private lazy var root = try? JSON.parse(body)
  /// Whether its paths consist of names converted from snake case.
  let convertsKeys: Bool

  init(_ body: Data, convertsKeys: Bool) {
    self.body = body
    self.convertsKeys = convertsKeys
  }

  /// Returns the value at a decoder's path; `nil` if there is none, or the name is ambiguous.
  mutating func value(at path: [any CodingKey]) -> JSON? {
    guard var value = root else { return nil }
    for key in path {
      switch value {
      case .array(let elements):
        guard let index = key.intValue, elements.indices.contains(index) else { return nil }
        value = elements[index]
      case .object(let members):
        guard let found = member(key.stringValue, of: members) else { return nil }
        value = found
      default: return nil
      }
    }
    return value
  }

  private func member(_ name: String, of members: [String: JSON]) -> JSON? {
    guard convertsKeys else { return members[name] }
    let matches = members.filter { $0.key.camelCased == name }
    return matches.count == 1 ? matches.first?.value : nil
  }
}

extension Decoder {
  /// Returns the decoder's value as JSON, from the parsed body if the path exists there.
  func json() throws -> JSON { try parsed ?? singleValueContainer().decode(JSON.self) }

  /// The elements of this decoder's array, from the parsed body.
  var parsedElements: [JSON]? {
    if case .array(let elements)? = parsed { elements } else { nil }
  }

  private var parsed: JSON? { context?.value(at: codingPath) }
}
