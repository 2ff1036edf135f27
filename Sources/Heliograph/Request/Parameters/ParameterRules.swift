public import Foundation

/// The rules by which parameters are serialized, as pairs for a query or a form or as JSON.
///
/// | value | setting | pairs | JSON |
/// |---|---|---|---|
/// | `"a": [1, 2]` | ``arrays`` `.brackets` (default) | `a[]=1&a[]=2` | `[1,2]` |
/// | | `.repeated` | `a=1&a=2` | the same |
/// | | `.indices` | `a[0]=1&a[1]=2` | the same |
/// | | `.joined(separator: ",")` | `a=1,2` | the same |
/// | `"a": ["b": 1]` | ``objects`` `.brackets` (default) | `a[b]=1` | `{"b":1}` |
/// | | `.dots` | `a.b=1` | the same |
/// | `"a": [["b": 1]]` | `.brackets` and `.brackets` | `a[][b]=1` | `[{"b":1}]` |
/// | | `.indices` and `.dots` | `a[0].b=1` | the same |
/// | `"a": true` | ``booleans`` `.trueFalse` (default) | `a=true` | `true` |
/// | | `.digits` | `a=1` | `true` |
/// | a date | ``dates`` `.iso8601` (default) | `a=2026-01-02T03:04:05Z`, `a=2026-01-02T03:04:05.250Z` | the same text |
/// | | `.secondsSince1970` | `a=1767323045` | `1767323045` |
/// | | `.millisecondsSince1970` | `a=1767323045250` | `1767323045250` |
/// | `"a": nil` | ``nulls`` `.omitted` (default) | nothing | `null` |
/// | | `.empty` | `a=` | `null` |
/// | `"a": 1e21` | | `a=1000000000000000000000` | the same digits |
/// | `"a": 2.0` | | `a=2` | `2` |
/// | data | | `a=AQI=` (base64, RFC 4648 §4) | the same text |
/// | `"a": []`, `"a": [:]` | | nothing | `[]`, `{}` |
///
/// An array of objects needs `.indices` or JSON: `a[][b]=1&a[][c]=2` does not say where an element ends, and servers
/// disagree.
///
/// Numbers have no exponent and no grouping, and the decimal separator is a point in every locale. Negative zero
/// becomes zero. Dates are in UTC, rounded to the nearest millisecond; `.secondsSince1970` rounds down to seconds. With
/// `.indices` an omitted element leaves a gap. Names are not escaped: a name that contains brackets is
/// indistinguishable from a nested one.
///
/// In JSON the names of every object are sorted by their UTF-8 bytes, so the order of the values makes no difference.
public struct ParameterRules: Sendable, Hashable {
  /// How the elements of an array are written in pairs.
  public enum ArrayNotation: Sendable, Hashable {
    /// `a[]=1&a[]=2`.
    case brackets
    /// `a=1&a=2`.
    case repeated
    /// `a[0]=1&a[1]=2`.
    case indices
    /// `a=1,2`.
    ///
    /// A separator inside an element is not escaped; in a query or a form, each one is percent-encoded: `a=1%2C2`. An
    /// array or an object as an element is an error.
    case joined(separator: String)
  }

  /// How the members of a nested object are written in pairs.
  public enum ObjectNotation: Sendable, Hashable {
    /// `a[b]=1`.
    case brackets
    /// `a.b=1`.
    case dots
  }

  /// The text of Boolean values in pairs.
  public enum Booleans: Sendable, Hashable {
    /// `true` and `false`.
    case trueFalse
    /// `1` and `0`.
    case digits
  }

  /// The treatment of null values in pairs.
  public enum Nulls: Sendable, Hashable {
    /// The name is omitted.
    case omitted
    /// The value is an empty string.
    case empty
  }

  /// The maximum nesting depth of arrays and objects, including the outermost: 128.
  ///
  /// This depth fits the 512 KiB stack of Apple's background threads, also in debug builds.
  public static let maximumDepth = 128

  /// How the elements of an array are written in pairs, such as `a[]=1` or `a=1`; the setting does not affect JSON.
  public var arrays: ArrayNotation
  /// How the members of a nested object are written in pairs: `a[b]=1` or `a.b=1`; the setting does not affect JSON.
  public var objects: ObjectNotation
  /// The text of Boolean values in pairs; the setting does not affect JSON.
  public var booleans: Booleans
  /// The format of dates.
  ///
  /// Default: `nil`, the format of the request's ``JSONCoding``, or ISO 8601 without one.
  public var dates: JSONCoding.Dates?
  /// Whether null values in pairs are omitted or written as empty strings; the setting does not affect JSON.
  public var nulls: Nulls
  /// The conversion of coding keys; names in literals and dictionaries are unchanged.
  var keys = JSONCoding.Keys.asDeclared

  /// Creates rules for the serialization of parameters.
  ///
  /// - Parameters:
  ///   - arrays: How the elements of an array are written in pairs. Default: `a[]=1`.
  ///   - objects: How the members of a nested object are written in pairs. Default: `a[b]=1`.
  ///   - booleans: The text of Boolean values in pairs. Default: `true` and `false`.
  ///   - dates: The format of dates. Default: `nil`, the format of the ``JSONCoding``.
  ///   - nulls: The treatment of null values in pairs. Default: omitted.
  public init(
    arrays: ArrayNotation = .brackets, objects: ObjectNotation = .brackets, booleans: Booleans = .trueFalse,
    dates: JSONCoding.Dates? = nil, nulls: Nulls = .omitted
  ) {
    self.arrays = arrays
    self.objects = objects
    self.booleans = booleans
    self.dates = dates
    self.nulls = nulls
  }

  /// Adopts the settings of a JSON coding that these rules do not set.
  mutating func adopt(_ json: JSONCoding) {
    dates = dates ?? json.dates
    keys = json.keys
  }

  /// Serializes parameters as name-value pairs, before percent-encoding.
  ///
  /// - Parameter parameters: The parameters to serialize.
  /// - Returns: The pairs in the order of the values; equal parameters yield equal pairs.
  /// - Throws: A `client` error with the code ``NetworkError/Code/invalidParameters`` if the parameters could not be
  ///   encoded or contain an unsupported value: NaN, an infinity, a date out of range, more levels than
  ///   ``maximumDepth``, or an array or object in a joined array. The reason contains the path.
  public func pairs(_ parameters: Parameters) throws(NetworkError) -> [ParameterPair] {
    var writer = PairWriter(rules: self)
    let object = try parameters.object()
    do throws(ParameterError) { try writer.write(object) } catch { throw error.networkError }
    return writer.pairs
  }

  /// Serializes parameters as a JSON object (RFC 8259), in UTF-8 and without whitespace.
  ///
  /// - Parameter parameters: The parameters to serialize.
  /// - Returns: The bytes, which do not depend on the order of the values.
  /// - Throws: A `client` error with the code ``NetworkError/Code/invalidParameters`` if the parameters could not be
  ///   encoded or contain an unsupported value: NaN, an infinity, a date out of range, or more levels than
  ///   ``maximumDepth``. The reason contains the path.
  public func json(_ parameters: Parameters) throws(NetworkError) -> Data {
    var writer = JSONWriter(rules: self)
    let object = try parameters.object()
    do throws(ParameterError) { try writer.write(.object(object), depth: 0) } catch { throw error.networkError }
    return Data(writer.bytes)
  }

  /// Returns the text of a value that is neither an array nor an object; the text of null is empty.
  func text(of value: ParameterValue) throws(ParameterError) -> String {
    switch value {
    case .null, .array, .object: return ""
    case .bool(let value): return booleans == .trueFalse ? (value ? "true" : "false") : (value ? "1" : "0")
    case .integer(let value): return String(value)
    case .unsigned(let value): return String(value)
    case .number(let value):
      guard value.isFinite else { throw ParameterError(ParameterError.notFinite) }
      return value.plainText
    case .decimal(let value):
      guard value.isFinite else { throw ParameterError(ParameterError.notFinite) }
      return value.description
    case .string(let value): return value
    case .date(let value): return try text(of: value)
    case .data(let value): return value.base64EncodedString()
    }
  }

  private func text(of date: Date) throws(ParameterError) -> String {
    guard let milliseconds = ISO8601.milliseconds(of: date) else { throw ParameterError("the date is out of range") }
    switch dates ?? .iso8601 {
    case .millisecondsSince1970: return String(milliseconds)
    case .secondsSince1970: return String(milliseconds.dividedDown(by: 1_000).quotient)
    case .iso8601:
      if let text = ISO8601.text(milliseconds) { return text }
      throw ParameterError("the date is not in the years 0 to 9999")
    }
  }
}

extension Double {
  /// The shortest decimal representation of this finite number, without an exponent; `0` for negative zero.
  var plainText: String {
    if let whole = Int64(exactly: self) { return String(whole) }
    let text = description
    guard let exponentMark = text.utf8.firstIndex(of: UInt8(ascii: "e")),
      let exponent = Int(text[exponentMark...].dropFirst())
    else {
      return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
    // For -1.25e-07 the digits are 125, and the point is six places before them: -6.
    let digits = text[..<exponentMark].utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ".") }
    let point = 1 + exponent
    var bytes: [UInt8] = self < 0 ? [UInt8(ascii: "-")] : []
    let zero = UInt8(ascii: "0")
    if point <= 0 {
      bytes += [zero, UInt8(ascii: ".")] + [UInt8](repeating: zero, count: -point) + digits
    } else {
      bytes += digits.prefix(point) + [UInt8](repeating: zero, count: max(0, point - digits.count))
      if point < digits.count { bytes += [UInt8(ascii: ".")] + digits.dropFirst(point) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
