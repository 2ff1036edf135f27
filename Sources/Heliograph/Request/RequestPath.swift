/// A path below the base URL or an absolute URL, with escaped interpolated values.
///
/// ```swift
/// let request = Request(.get, "/users/\(id)/orders?after=\(page)")
/// ```
/// An interpolated value is percent-encoded as one component: a slash, a question mark or an `&` in the value never
/// splits it (RFC 3986 §2.1, §2.3). The value is ``PathComponentConvertible``, such as text, a number or a UUID, or has
/// such a raw value; any other type does not compile. `nil`, and a value that leaves a path segment empty or makes it
/// `.` or `..`, even between escaped slashes (`../admin`), are rejected with ``NetworkError/Code/invalidURL`` when the
/// request is built. Literal text, `\(raw: text)` and a `String` variable passed to ``init(_:)`` keep their delimiters
/// and escapes; only characters that no URL may have, such as `é`, are percent-encoded. Whitespace, and a `%` without
/// two hexadecimal digits, are rejected.
public struct RequestPath: Sendable, Hashable, ExpressibleByStringInterpolation {
  /// The path with escaped interpolated values.
  public let text: String
  /// The reason why the path is invalid; `nil` if it is valid.
  let invalidReason: String?
  /// The literal text before the first value with an escaped slash in the path; `nil` if there is none.
  @Uncompared private(set) var literalBeforeSlash: String? = nil

  /// Creates a path from text whose values are already escaped, such as a link from a response.
  ///
  /// - Parameter text: A path or an absolute URL; it may contain a query.
  public init(_ text: String) {
    self.text = text
    invalidReason = nil
  }

  /// Creates a path from a literal.
  public init(stringLiteral value: String) { self.init(value) }

  /// Creates a path from a literal with interpolated values.
  public init(stringInterpolation: StringInterpolation) {
    text = stringInterpolation.text
    invalidReason = stringInterpolation.invalidReason
    literalBeforeSlash = stringInterpolation.literalBeforeSlash
  }

  /// The literal and interpolated segments of a path.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""
    /// The UTF-8 offsets at which escaped values begin.
    private var offsets: [Int] = []
    private var hasNil = false
    private var literal = ""
    fileprivate var literalBeforeSlash: String?
    /// Creates an empty path.
    public init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + 8 * interpolationCount)
    }

    /// Appends literal text.
    public mutating func appendLiteral(_ literal: String) {
      self.literal = literal
      text += literal
    }

    /// Appends a value, escaped.
    ///
    /// `nil` is rejected when the request is built.
    public mutating func appendInterpolation<Value: PathComponentConvertible>(_ value: Value?) {
      append(value?.pathComponent)
    }

    /// Appends the raw value of an enumeration or another type, escaped.
    ///
    /// `nil` is rejected when the request is built.
    @_disfavoredOverload
    public mutating func appendInterpolation<Value: RawRepresentable>(_ value: Value?)
    where Value.RawValue: PathComponentConvertible {
      append(value?.rawValue.pathComponent)
    }

    /// Unavailable: the description of a value might be sent and logged with all of its content.
    @available(
      *, unavailable,
      message: "interpolate text, a number, a UUID or a raw value, or let the type be PathComponentConvertible"
    )
    public mutating func appendInterpolation<Value>(_ value: Value?) {}

    private mutating func append(_ value: String?) {
      hasNil = hasNil || value == nil
      offsets.append(text.utf8.count)
      if literalBeforeSlash == nil, value?.utf8.contains(UInt8(ascii: "/")) == true,
        !text.utf8.contains(UInt8(ascii: "?"))
      {
        literalBeforeSlash = literal
      }
      text += PercentEncoding.query.encode(value ?? "")
    }

    /// Appends text without escaping: several segments, or a query.
    public mutating func appendInterpolation(raw text: String) { self.text += text }

    /// The reason why an interpolated value is invalid; `nil` if all are valid.
    fileprivate var invalidReason: String? {
      if hasNil { return "an interpolated value is nil" }
      if offsets.isEmpty { return nil }
      let bytes = Array(text.utf8)
      let end = bytes.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? bytes.count
      let host = StringInterpolation.authority(in: bytes[..<end])
      if bytes[host].contains(UInt8(ascii: "%")), offsets.contains(where: host.contains) {
        return #"the host holds an interpolated value: pass a URL, or \(raw:)"#
      }
      for offset in offsets where offset <= end && !host.contains(offset) {
        let start = bytes[..<offset].lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
        let segment = bytes[start..<end].prefix { $0 != UInt8(ascii: "/") }
        if segment.isEmpty || offset == start && segment.first == UInt8(ascii: ";") {
          return "an interpolated value is empty, which leaves an empty path segment"
        }
        if segment.hasDotSegment { return "an interpolated value makes a dot segment (. or ..)" }
      }
      return nil
    }

    /// Returns the range of host and port in an absolute URL; an empty range for a path.
    private static func authority(in bytes: ArraySlice<UInt8>) -> Range<Int> {
      guard let colon = bytes.firstIndex(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }),
        bytes[colon...].starts(with: "://".utf8)
      else { return 0..<0 }
      return colon + 3..<(bytes[(colon + 3)...].firstIndex(of: UInt8(ascii: "/")) ?? bytes.endIndex)
    }
  }
}

extension ArraySlice<UInt8> {
  /// Whether a server may read `.` or `..` in a segment: nginx unescapes slashes before it resolves dots, IIS also
  /// backslashes, and some servers behind them strip parameters, as in `..;v=1`.
  fileprivate var hasDotSegment: Bool {
    guard contains(UInt8(ascii: ".")) else { return false }
    let text = String(decoding: self, as: UTF8.self).replacing("%5C", with: "%2F").replacing("%3B", with: ";")
    return text.split(separator: "%2F").contains { [".", ".."].contains($0.prefix { $0 != ";" }) }
  }
}

extension RequestPath: _Summarized {
  /// The path on one line, without user, password and query, which may be secret.
  public var description: String { text.redactedAddress }
}
