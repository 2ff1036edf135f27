public import Foundation

/// The rules for JSON encoding and decoding of bodies, parameters and responses.
///
/// ```swift
/// configuration.json = JSONCoding(keys: .snakeCase, dates: .secondsSince1970)
/// ```
/// A client has one; a service or a request may replace it. An encoder or decoder is created for each use, so that the rules
/// may be read from any thread.
///
/// Parameters follow ``keys`` and ``dates``. Their bytes are always base64, and NaN and infinities are always refused.
///
/// | rule | encoding | decoding |
/// |---|---|---|
/// | ``dates`` `.iso8601` (default) | `2026-01-02T03:04:05Z`; milliseconds where there are any | with or without a fraction, `Z` or an offset |
/// | ``keys`` `.asDeclared` (default) | the coding key | the same |
/// | ``keys`` `.snakeCase` | `pageSize` becomes `page_size` | and back |
/// | ``data`` `.base64` (default) | RFC 4648 §4 | the same |
/// | ``nonFinite`` `.refused` (default) | NaN and infinities fail | the same |
/// | ``removesNulls`` `false` (default) | as the type encodes them | `nil` for an optional, otherwise an error |
/// | ``removesNulls`` `true` | as the type encodes them | as if they had not been sent |
public struct JSONCoding: Sendable {
  /// The naming of keys.
  public enum Keys: Sendable, Hashable {
    /// The coding keys as they are declared.
    case asDeclared
    /// `page_size` for the coding key `pageSize`.
    case snakeCase
  }

  /// The format of dates.
  public enum Dates: Sendable, Hashable {
    /// RFC 3339: `2026-01-02T03:04:05Z`, in UTC, with milliseconds where there are any.
    case iso8601
    /// A number of seconds since 1970.
    case secondsSince1970
    /// A number of milliseconds since 1970.
    case millisecondsSince1970
  }

  /// The format of bytes.
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
    /// NaN and infinities are written as these texts.
    case strings(positiveInfinity: String, negativeInfinity: String, nan: String)
  }

  /// The naming of keys.
  ///
  /// Default: ``Keys/asDeclared``.
  public var keys: Keys
  /// The format of dates.
  ///
  /// Default: ``Dates/iso8601``.
  public var dates: Dates
  /// The format of bytes.
  ///
  /// Default: ``DataFormat/base64``.
  public var data: DataFormat
  /// The treatment of NaN and infinities.
  ///
  /// Default: ``NonFinite/refused``.
  public var nonFinite: NonFinite
  /// Whether `null` is removed from the objects and arrays of responses, at any depth, as if it had not been sent.
  ///
  /// Default: `false`, `null` is `nil` for an optional property or element, and an error for any other. The elements
  /// after a removed one move forward, also in the paths of errors. A body that is `null` as a whole stays `null`.
  /// Costs one more pass over the body.
  public var removesNulls: Bool
  /// Configures each encoder, after the other rules have been applied.
  ///
  /// Default: nothing.
  public var configureEncoder: @Sendable (JSONEncoder) -> Void
  /// Configures each decoder, after the other rules have been applied.
  ///
  /// Default: nothing.
  public var configureDecoder: @Sendable (JSONDecoder) -> Void

  /// Creates rules.
  ///
  /// - Parameters:
  ///   - keys: The naming of keys. Default: as declared.
  ///   - dates: The format of dates. Default: ISO 8601.
  ///   - data: The format of bytes. Default: base64.
  ///   - nonFinite: The treatment of NaN and infinities. Default: they are errors.
  ///   - removesNulls: Whether `null` is removed from responses. Default: `false`.
  ///   - encoder: Configures each encoder, after the other rules. Default: nothing.
  ///   - decoder: Configures each decoder, after the other rules. Default: nothing.
  public init(
    keys: Keys = .asDeclared, dates: Dates = .iso8601, data: DataFormat = .base64, nonFinite: NonFinite = .refused,
    removesNulls: Bool = false,
    encoder: @escaping @Sendable (JSONEncoder) -> Void = { _ in },
    decoder: @escaping @Sendable (JSONDecoder) -> Void = { _ in }
  ) {
    self.keys = keys
    self.dates = dates
    self.data = data
    self.nonFinite = nonFinite
    self.removesNulls = removesNulls
    configureEncoder = encoder
    configureDecoder = decoder
  }

  /// Returns a new encoder.
  ///
  /// Keys are sorted, so that equal values give equal bytes; slashes are not escaped.
  public func makeEncoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    switch dates {
    case .iso8601: encoder.dateEncodingStrategy = .custom { try ISO8601.encode($0, to: $1) }
    case .secondsSince1970: encoder.dateEncodingStrategy = .secondsSince1970
    case .millisecondsSince1970: encoder.dateEncodingStrategy = .millisecondsSince1970
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

  /// Returns a new decoder, without ``removesNulls``, which ``decode(_:from:userInfo:)`` applies.
  public func makeDecoder() -> JSONDecoder {
    let decoder = JSONDecoder()
    switch dates {
    case .iso8601: decoder.dateDecodingStrategy = .custom { try ISO8601.decode(from: $0) }
    case .secondsSince1970: decoder.dateDecodingStrategy = .secondsSince1970
    case .millisecondsSince1970: decoder.dateDecodingStrategy = .millisecondsSince1970
    }
    if keys == .snakeCase { decoder.keyDecodingStrategy = .convertFromSnakeCase }
    if data == .array { decoder.dataDecodingStrategy = .deferredToData }
    if case .strings(let positive, let negative, let nan) = nonFinite {
      decoder.nonConformingFloatDecodingStrategy = .convertFromString(
        positiveInfinity: positive, negativeInfinity: negative, nan: nan)
    }
    configureDecoder(decoder)
    return decoder
  }
}
