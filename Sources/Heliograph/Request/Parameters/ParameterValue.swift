public import Foundation

/// The value of a parameter: a scalar such as text or a number, an array or an object.
///
/// It can be written as a literal: `"lamp"`, `2`, `0.5`, `true`, `nil`, `["a", "b"]`, `["min": 1]`. ``ParameterRules``
/// define how it is serialized. Equality follows that of `String` and `Double`: strings with canonically equivalent
/// Unicode are equal, and NaN is not equal to itself.
public enum ParameterValue: Sendable, Hashable {
  /// No value: `null` in JSON; see ``ParameterRules/nulls`` for pairs.
  case null
  /// A Boolean value.
  case bool(Bool)
  /// An integer in the range of `Int64`.
  case integer(Int64)
  /// An unsigned integer, which may exceed `Int64.max`.
  case unsigned(UInt64)
  /// A floating-point number; NaN and infinities cannot be serialized.
  case number(Double)
  /// A decimal number with all of its digits, such as a price.
  case decimal(Decimal)
  /// A string.
  case string(String)
  /// A date, formatted by ``ParameterRules/dates``.
  case date(Date)
  /// Bytes, written as base64.
  case data(Data)
  /// An ordered list of values.
  case array([ParameterValue])
  /// An ordered collection of named values.
  case object(ParameterObject)

  /// Creates the parameter value of a convertible value.
  public init(_ value: some ParameterConvertible) { self = value.parameterValue }
}

extension ParameterValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  /// Creates ``null``.
  public init(nilLiteral: ()) { self = .null }

  /// Creates a Boolean value.
  public init(booleanLiteral value: Bool) { self = .bool(value) }

  /// Creates an integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }

  /// Creates a floating-point number.
  public init(floatLiteral value: Double) { self = .number(value) }

  /// Creates a string.
  public init(stringLiteral value: String) { self = .string(value) }

  /// Creates an array.
  public init(arrayLiteral elements: ParameterValue...) { self = .array(elements) }

  /// Creates an object; for a repeated name the last value is used, at the position of the first.
  public init(dictionaryLiteral elements: (String, ParameterValue)...) {
    self = .object(ParameterObject(elements))
  }
}

/// A name and a value of a query or form, before percent-encoding.
public struct ParameterPair: Sendable, Hashable {
  /// The name.
  public var name: String
  /// The value; `nil` writes the name alone, without an equals sign.
  public var value: String?

  /// Creates a pair.
  ///
  /// - Parameters:
  ///   - name: The name, before encoding.
  ///   - value: The value, before encoding; `nil` writes the name alone.
  public init(_ name: String, _ value: String?) {
    self.name = name
    self.value = value
  }
}

extension ParameterPair: _Summarized {
  /// The name on one line, without the value, which may be a password.
  public var description: String { value == nil ? name.singleLine : "\(name.singleLine)=<redacted>" }
  /// The name, without the value.
  public var customMirror: Mirror { Mirror(self, children: ["name": name.singleLine], displayStyle: .struct) }
}

/// The reason why parameters cannot be encoded, with the path of the invalid value.
struct ParameterError: Error {
  private(set) var path: String
  let reason: String
  let underlying: (any Error)?

  init(_ reason: String, path: String = "", underlying: (any Error)? = nil) {
    self.path = path
    self.reason = reason
    self.underlying = underlying
  }

  init(_ reason: String, path: [any CodingKey], underlying: (any Error)? = nil) {
    self.init(reason, underlying: underlying)
    for key in path.reversed() { self = inside(key.intValue.map { "[\($0)]" } ?? key.stringValue) }
  }

  /// Returns the error with its path extended at the front.
  func inside(_ step: String) -> ParameterError {
    let subpath = path.isEmpty || path.hasPrefix("[") ? path : ".\(path)"
    return ParameterError(reason, path: step + subpath, underlying: underlying)
  }

  var networkError: NetworkError {
    let location = path.isEmpty ? "the parameters" : path
    return NetworkError(.invalidParameters, reason: "\(location): \(reason)", underlying: underlying)
  }

  static let notFinite = "NaN and infinity cannot be written"
  static let tooDeep = "nested deeper than \(ParameterRules.maximumDepth) levels"
}
