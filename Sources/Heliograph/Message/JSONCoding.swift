public import Foundation

/// The rules for JSON encoding and decoding of bodies, parameters and responses.
///
/// ```swift
/// configuration.json = JSONCoding(keys: .snakeCase, dates: .secondsSince1970)
/// ```
/// A client has one; a service or a request can override it. Each use creates its own encoder or decoder, so the rules
/// may be read on any thread.
///
/// Parameters follow ``keys`` and ``dates``, and nothing else: ``configureEncoder`` does not apply to them. Bytes in
/// parameters are always base64; NaN and infinities are always refused there.
///
/// | rule | encoding | decoding |
/// |---|---|---|
/// | ``dates`` `.iso8601` (default) | `2026-01-02T03:04:05Z`; milliseconds if not zero | with `Z` or an offset, with or without a fraction |
/// | ``keys`` `.asDeclared` (default) | the coding key | the same |
/// | ``keys`` `.snakeCase` | `pageSize` becomes `page_size` | and back |
/// | ``data`` `.base64` (default) | RFC 4648 §4 | the same |
/// | ``nonFinite`` `.refused` (default) | NaN and infinities fail | the same |
/// | ``removesNulls`` `false` (default) | as the type encodes them | `nil` for an optional, otherwise an error |
/// | ``removesNulls`` `true` | as the type encodes them | as if they had not been sent |
public struct JSONCoding: Sendable {
  /// How the keys of JSON objects are written.
  public enum Keys: Sendable, Hashable {
    /// The coding keys as they are declared.
    case asDeclared
    /// `page_size` for the coding key `pageSize`.
    case snakeCase
  }

  /// How dates are written.
  public enum Dates: Sendable, Hashable {
    /// RFC 3339: `2026-01-02T03:04:05Z`, in UTC, with milliseconds where there are any.
    case iso8601
    /// A number of seconds since 1970, with its fraction; without it in parameters.
    case secondsSince1970
    /// A whole number of milliseconds since 1970; a response may have a fraction.
    case millisecondsSince1970
  }

  /// How `Data` values are written.
  public enum DataFormat: Sendable, Hashable {
    /// Base64 text (RFC 4648 §4).
    case base64
    /// An array of numbers.
    case array
  }

  /// The treatment of NaN and infinities, which JSON lacks.
  public enum NonFinite: Sendable, Hashable {
    /// NaN and infinities are errors.
    case refused
    /// NaN and infinities are written as these strings.
    case strings(positiveInfinity: String, negativeInfinity: String, nan: String)
  }

  /// How the keys of JSON objects are written and read.
  ///
  /// Default: ``Keys/asDeclared``.
  public var keys: Keys
  /// How dates are written and read.
  ///
  /// Default: ``Dates/iso8601``.
  public var dates: Dates
  /// How `Data` values are written and read.
  ///
  /// Default: ``DataFormat/base64``.
  public var data: DataFormat
  /// The treatment of NaN and infinities.
  ///
  /// Default: ``NonFinite/refused``.
  public var nonFinite: NonFinite
  /// Whether `null` is removed from the objects and arrays of responses, at any depth, as if it had not been sent.
  ///
  /// Array elements after a removed `null` move forward, also in the paths of errors. A body that is `null` as a whole
  /// remains `null`. The shape of a ``JSONShaped`` type then also accepts a missing name; a ``JSONShape`` as a validator
  /// checks the body as received. Costs one more pass over the body, which must be valid JSON apart from its strings and
  /// numbers; `JSONDecoder` alone also accepts a comma at the end. Default: `false`: `null` is `nil` for an optional
  /// property or element and an error for any other.
  public var removesNulls: Bool
  /// Configures each encoder, after the other rules have been applied; parameters have none.
  ///
  /// Default: does nothing.
  public var configureEncoder: @Sendable (JSONEncoder) -> Void
  /// Configures each decoder, after the other rules have been applied.
  ///
  /// Default: does nothing.
  public var configureDecoder: @Sendable (JSONDecoder) -> Void

  /// Creates rules; every parameter has a default.
  ///
  /// - Parameters:
  ///   - keys: How keys are written. Default: as declared.
  ///   - dates: How dates are written. Default: ISO 8601.
  ///   - data: How `Data` values are written. Default: base64.
  ///   - nonFinite: The treatment of NaN and infinities. Default: they are errors.
  ///   - removesNulls: Whether `null` is removed from responses. Default: `false`.
  ///   - configureEncoder: Configures each encoder, after the other rules. Default: nothing.
  ///   - configureDecoder: Configures each decoder, after the other rules. Default: nothing.
  public init(
    keys: Keys = .asDeclared, dates: Dates = .iso8601, data: DataFormat = .base64, nonFinite: NonFinite = .refused,
    removesNulls: Bool = false, configureEncoder: @escaping @Sendable (JSONEncoder) -> Void = { _ in },
    configureDecoder: @escaping @Sendable (JSONDecoder) -> Void = { _ in }
  ) {
    self.keys = keys
    self.dates = dates
    self.data = data
    self.nonFinite = nonFinite
    self.removesNulls = removesNulls
    self.configureEncoder = configureEncoder
    self.configureDecoder = configureDecoder
  }

  /// Returns a new encoder.
  ///
  /// Keys are sorted, so that equal values yield equal bytes; slashes are not escaped.
  public func makeEncoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    switch dates {
    case .iso8601: encoder.dateEncodingStrategy = .custom { try ISO8601.encode($0, to: $1) }
    case .secondsSince1970: encoder.dateEncodingStrategy = .secondsSince1970
    case .millisecondsSince1970: encoder.dateEncodingStrategy = .custom { try ISO8601.encodeMilliseconds($0, to: $1) }
    }
    if keys == .snakeCase { encoder.keyEncodingStrategy = .convertToSnakeCase }
    if data == .array { encoder.dataEncodingStrategy = .deferredToData }
    if case .strings(let positive, let negative, let nan) = nonFinite {
      encoder.nonConformingFloatEncodingStrategy = .convertToString(
        positiveInfinity: positive, negativeInfinity: negative, nan: nan)
    }
    configureEncoder(encoder)
    return encoder
  }
}
