import Foundation

struct EnvelopeFields {
  /// A number, a string or a Boolean value.
  enum Scalar {
    case integer(Int)
    case real(Double)
    /// An integer beyond the range of `Int`.
    case large(Decimal)
    case text(String)
    case boolean(Bool)

    var text: String {
      switch self {
      case .integer(let number): String(number)
      case .real(let number): Int64(exactly: number).map { String($0) } ?? String(number)
      case .large(let number): number.description
      case .text(let text): text
      case .boolean(let isTrue): isTrue ? "1" : "0"
      }
    }

    var number: Int? {
      switch self {
      case .integer(let number): number
      case .real(let number): Int(exactly: number)
      case .large: nil
      case .text(let text): Int(text.trimmingCharacters(in: .whitespacesAndNewlines))
      case .boolean(let isTrue): isTrue ? 1 : 0
      }
    }

    /// The code of an error; a text such as `0401` is a code of its own, as in `Code.api`.
    var code: NetworkError.Code {
      if case .text(let text) = self {
        // As a message, because apps compare codes.
        return .api(text.trimmingCharacters(in: .whitespacesAndNewlines).shortened(to: 4_096))
      }
      return number.map { .api($0) } ?? .api(text)
    }

    /// The Boolean value by the rules of `NSString` and `NSNumber`, which servers with such flags assume.
    var isTrue: Bool {
      switch self {
      case .integer(let number): return number != 0
      case .real(let number): return number != 0
      case .large: return true
      case .boolean(let isTrue): return isTrue
      case .text(let text):
        // Bytes, because a character may have any number of combining marks.
        let start = text.utf8.first { !" \t\n\r+-0".utf8.contains($0) }
        return start.map { "YyTt123456789".utf8.contains($0) } ?? false
      }
    }
  }

  struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// The message for the errors about the other fields.
  var message: String?
  private let container: KeyedDecodingContainer<Key>
  private let convertsKeys: Bool

  init(_ decoder: any Decoder) throws {
    container = try decoder.container(keyedBy: Key.self)
    convertsKeys = decoder.context?.convertsKeys == true
  }

  private func key(_ name: String) -> Key { Key(stringValue: convertsKeys ? name.camelCased : name) }

  /// Returns the object that a field is in, and its key there; `nil` if an object of its path is missing or null.
  ///
  /// A name with dots is the path of nested objects, unless it is a field itself.
  private func find(_ name: String) throws -> (object: KeyedDecodingContainer<Key>, key: Key)? {
    let whole = key(name)
    if !name.utf8.contains(UInt8(ascii: ".")) || container.contains(whole) { return (container, whole) }
    var path = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    let last = path.removeLast()
    var object = container
    for index in path.indices {
      let key = key(path[index])
      if try !object.contains(key) || object.decodeNil(forKey: key) { return nil }
      guard let nested = try? object.nestedContainer(keyedBy: Key.self, forKey: key) else {
        let found = path[...index].joined(separator: ".")
        throw EnvelopeFields.failure("\(name) cannot be read: \(found) is not an object", message)
      }
      object = nested
    }
    return (object, key(last))
  }

  func has(_ name: String) -> Bool {
    guard let field = try? find(name) else { return false }
    return field.object.contains(field.key)
  }

  /// Returns the decoder of a field; `nil` if it is missing.
  func decoder(at name: String) throws -> (any Decoder)? {
    guard let field = try find(name), field.object.contains(field.key) else { return nil }
    return try field.object.superDecoder(forKey: field.key)
  }

  /// Returns the scalar for a name; `nil` if it is missing or null.
  ///
  /// The usual type is decoded first, because each failed attempt costs a microsecond. Objects and arrays are errors.
  func scalar(_ name: String, isUsuallyText: Bool = false) throws -> Scalar? {
    guard let (container, key) = try find(name) else { return nil }
    do {
      // `decodeIfPresent` needs only one lookup in the usual case.
      if isUsuallyText { return try container.decodeIfPresent(String.self, forKey: key).map { .text($0) } }
      return try container.decodeIfPresent(Int.self, forKey: key).map { .integer($0) }
    } catch {}
    if isUsuallyText, let number = try? container.decode(Int.self, forKey: key) { return .integer(number) }
    if let text = try? container.decode(String.self, forKey: key) { return .text(text) }
    if let isTrue = try? container.decode(Bool.self, forKey: key) { return .boolean(isTrue) }
    if let number = try? container.decode(Double.self, forKey: key) {
      guard number.magnitude >= 0x1p63, let large = try? container.decode(Decimal.self, forKey: key) else {
        return .real(number)
      }
      return .large(large)
    }
    throw EnvelopeFields.failure("\(name) is neither a number nor a string", message)
  }

  static func failure(
    _ reason: String, _ message: String? = nil, code: NetworkError.Code = .invalidEnvelope
  ) -> NetworkError {
    var error = NetworkError(code, message: message ?? "", reason: reason)
    error.serverMessage = message.flatMap { $0.isBlank ? nil : $0 }
    return error
  }
}
