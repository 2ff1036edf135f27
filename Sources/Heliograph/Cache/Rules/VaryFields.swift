/// The fields of requests on which a response depends: RFC 9111 §4.1, RFC 9110 §12.5.5.
struct VaryFields: Sendable, Hashable {
  /// The names of the fields in lower case, sorted, without repetitions.
  let names: [String]

  /// Creates the fields from names that are in lower case and sorted.
  init(names: [String]) { self.names = names }

  /// The maximum number of names; a response with more is treated like `*`.
  private static let limit = 64

  /// Parses the `Vary` fields of a response; `nil` if the response matches no other request, because of a `*`, of a
  /// name that is not a token, or of too many names.
  ///
  /// Without such a field, `names` is empty.
  init?(response: HTTPHeaders) {
    var names: Set<String> = []
    FieldList.forEach(in: response, "Vary") { member in
      if names.count <= Self.limit { names.insert(member.loweredToken ?? "*") }
    }
    if names.contains("*") || names.count > Self.limit { return nil }
    self.names = names.sorted()
  }

  /// Returns a value for each name, so that equivalent requests have equal values.
  ///
  /// Several lines are one list, and whitespace around commas is ignored. In `Accept`, `Accept-Charset`,
  /// `Accept-Encoding` and `Accept-Language`, order, case and repetitions are ignored as well. The value of a missing
  /// field is empty; every other one begins with an equals sign.
  func values(in request: HTTPHeaders) -> [String] {
    names.map { name in
      guard request.contains(name) else { return "" }
      var members: [String] = []
      let isPreference = Self.preferences.contains(name)
      FieldList.forEach(in: request, name) { member in
        let text = isPreference ? Self.preference(member) : String(decoding: member, as: UTF8.self)
        if !text.isEmpty { members.append(text) }
      }
      if isPreference { members = Set(members).sorted() }
      return "=" + members.joined(separator: ",")
    }
  }

  private static let preferences = ["accept", "accept-charset", "accept-encoding", "accept-language"]

  /// Returns the canonical form of a member of an `Accept` field, which is equal for equivalent members.
  ///
  /// Names are in lower case; whitespace, a weight of 1 and the trailing zeros of other weights are removed. Values of
  /// other parameters remain, because they may be case-sensitive.
  private static func preference(_ member: FieldBytes) -> String {
    if !member.contains(UInt8(ascii: ";")) { return member.lowered }
    var text = ""
    FieldList.forEach(member, separator: ";") { part in
      let name = part.prefix { $0 != UInt8(ascii: "=") }
      let value = part[name.endIndex...].dropFirst().trimmed
      let key = name.trimmed.lowered
      if text.isEmpty || name.endIndex == part.endIndex {
        text += (text.isEmpty ? "" : ";") + part.lowered
      } else if key == "q" {
        let weight = weight(value)
        if weight != "1" { text += ";q=" + weight }
      } else {
        text += ";" + key + "=" + (key == "charset" ? value.lowered : String(decoding: value, as: UTF8.self))
      }
    }
    return text
  }

  /// Returns a weight without trailing zeros and without a trailing point (RFC 9110 §12.4.2).
  private static func weight(_ value: FieldBytes) -> String {
    var digits = value
    // At most three digits follow the point.
    if (3...5).contains(digits.count), digits.dropFirst().first == UInt8(ascii: "."),
      digits.dropFirst(2).allSatisfy(\.isDigit)
    {
      while digits.last == UInt8(ascii: "0") { digits = digits.dropLast() }
      if digits.last == UInt8(ascii: ".") { digits = digits.dropLast() }
    }
    return String(decoding: digits, as: UTF8.self)
  }
}
