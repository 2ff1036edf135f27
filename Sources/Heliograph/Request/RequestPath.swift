/// A path below the base URL or an absolute URL, with escaped interpolated values.
///
/// ```swift
/// let request = Request(.get, "/users/\(id)/orders?after=\(order)")
/// ```
/// An interpolated value is percent-encoded as one component: a slash, a question mark or an `&` in it never splits it
/// (RFC 3986 §2.1, §2.3). A value that leaves a path segment empty, or makes it `.` or `..`, is rejected with
/// ``NetworkError/Code/invalidURL`` when the request is built. The literal text itself is not escaped; neither is
/// `\(raw: text)`, nor a `String` variable passed to ``init(_:)``.
public struct RequestPath: Sendable, Hashable, ExpressibleByStringInterpolation {
  /// The path with escaped interpolated values.
  public let text: String
  /// The reason why the path is invalid; `nil` if it is valid.
  let fault: String?

  /// Creates a path from unescaped text, such as a link from a response.
  ///
  /// - Parameter text: A path or an absolute URL; it may have a query.
  public init(_ text: String) {
    self.text = text
    fault = nil
  }

  /// Creates a path from a literal.
  public init(stringLiteral value: String) { self.init(value) }

  /// Creates a path from a literal with interpolated values.
  public init(stringInterpolation: StringInterpolation) {
    text = stringInterpolation.text
    fault = stringInterpolation.fault
  }

  /// The parts of an interpolated path.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""
    /// The UTF-8 offsets at which escaped values begin.
    private var offsets: [Int] = []

    /// Creates an empty path.
    public init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + 8 * interpolationCount)
    }

    /// Appends literal text.
    public mutating func appendLiteral(_ literal: String) { text += literal }

    /// Appends a value, escaped.
    public mutating func appendInterpolation(_ value: some CustomStringConvertible) { append(value.description) }

    /// Appends the raw value of an enumeration, escaped.
    @_disfavoredOverload
    public mutating func appendInterpolation<Value: RawRepresentable>(_ value: Value)
    where Value.RawValue: CustomStringConvertible {
      append(value.rawValue.description)
    }

    /// Adds the description of any other value, escaped; `nil` is refused when the request is built.
    @_disfavoredOverload
    public mutating func appendInterpolation<Value>(_ value: Value?) {
      if let value { append(String(describing: value)) } else { append("") }
    }

    /// Appends text without escaping: several segments, or a query.
    public mutating func appendInterpolation(raw text: String) { self.text += text }

    private mutating func append(_ value: String) {
      offsets.append(text.utf8.count)
      text += PercentEncoding.query.encode(value)
    }

    /// The first invalid use of an interpolated value.
    fileprivate var fault: String? {
      if offsets.isEmpty { return nil }
      let bytes = Array(text.utf8)
      let end = bytes.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? bytes.count
      let host = StringInterpolation.authority(in: bytes[..<end])
      if bytes[host].contains(UInt8(ascii: "%")) {
        return #"the host holds an interpolated value: pass a URL, or \(raw:)"#
      }
      for offset in offsets where offset <= end && !host.contains(offset) {
        let start = bytes[..<offset].lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
        let segment = bytes[start..<end].prefix { $0 != UInt8(ascii: "/") }
        if segment.isEmpty { return "an interpolated value leaves a path segment empty" }
        if segment.elementsEqual(".".utf8) || segment.elementsEqual("..".utf8) {
          return "an interpolated value makes a path segment of dots"
        }
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

extension RequestPath: CustomStringConvertible {
  /// The path on one line, without user, password and query, which may be secret.
  public var description: String { text.redactedAddress }
}
