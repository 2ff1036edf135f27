import Foundation
import Signals

/// A body of JSON that is parsed when a shape is first compared with it, and only once.
///
/// A decoder would decode each value as `JSON`, which takes nine times as long as ``JSON/init(data:)``.
final class ParsedBody: Sendable {
  private enum State {
    case unread(Data)
    case read(JSON)
    case malformed
  }

  private let state: Guarded<State>
  private let convertsKeys: Bool

  /// Creates the body; with `convertsKeys` its paths consist of names converted from snake case.
  init(_ body: Data, convertsKeys: Bool) {
    state = Guarded(.unread(body))
    self.convertsKeys = convertsKeys
  }

  /// Returns the value at a path of the decoder; `nil` if there is none, or if two names may be meant.
  func value(at path: [any CodingKey]) -> JSON? {
    var value = root
    for key in path {
      switch value {
      case .array(let elements):
        guard let index = key.intValue, elements.indices.contains(index) else { return nil }
        value = elements[index]
      case .object(let members): value = member(key.stringValue, of: members)
      default: return nil
      }
    }
    return value
  }

  private var root: JSON? {
    state.withLock { state in
      if case .unread(let body) = state { state = (try? JSON.parse(body)).map { .read($0) } ?? .malformed }
      if case .read(let value) = state { return value }
      return nil
    }
  }

  private func member(_ name: String, of members: [String: JSON]) -> JSON? {
    guard convertsKeys else { return members[name] }
    let alike = members.filter { $0.key.camelCased == name }
    return alike.count == 1 ? alike.first?.value : nil
  }
}

extension CodingUserInfoKey {
  /// The user info key of the ``ParsedBody``, which only ``JSONCoding`` sets.
  static let parsedBody = CodingUserInfoKey(rawValue: "Heliograph.parsedBody")!
}

extension Decoder {
  /// Returns the value of this decoder as JSON, from the parsed body if its path is one of that body.
  ///
  /// An envelope of another type may have decoded the payload from a text in the body.
  func json() throws -> JSON { try parsed ?? singleValueContainer().decode(JSON.self) }

  /// The elements of this decoder's array, from the parsed body.
  var parsedElements: [JSON]? {
    if case .array(let elements)? = parsed { elements } else { nil }
  }

  private var parsed: JSON? {
    let envelope = userInfo[.envelope]
    guard envelope == nil || envelope is KeyedEnvelope else { return nil }
    return (userInfo[.parsedBody] as? ParsedBody)?.value(at: codingPath)
  }
}
