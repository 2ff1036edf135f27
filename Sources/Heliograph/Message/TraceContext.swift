/// The position of a request in a distributed trace (W3C Trace Context), as the header fields `traceparent` and `tracestate`.
///
/// ```swift
/// configuration.traceContext = { TraceContext(of: $0) }
/// // traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03
/// ```
public struct TraceContext: Sendable, Hashable {
  /// The flags that the specification defines; others are not passed on.
  private static let (sampledFlag, randomFlag): (UInt8, UInt8) = (0b01, 0b10)
  /// The length of a `traceparent` value of version 00.
  private static let parentLength = 55
  /// The random key of this process: other processes derive other IDs.
  private static let key = (high: UInt64.random(in: 0 ... .max), low: UInt64.random(in: 0 ... .max))

  private let (high, low): (UInt64, UInt64)
  private let span: UInt64
  private let flags: UInt8

  /// The value of the field `tracestate`: data of tracing systems, such as `rojo=00f067aa0ba902b7`; empty if there are none.
  public let tracestate: String

  /// Whether the caller may have recorded the trace.
  public var isSampled: Bool { flags & Self.sampledFlag != 0 }

  /// The ID of the trace: 32 hexadecimal digits in lower case.
  public var traceID: String { high.hexadecimal + low.hexadecimal }

  /// The ID of the span, which is the parent of the server's spans: 16 hexadecimal digits in lower case.
  public var spanID: String { span.hexadecimal }

  /// The value of the field `traceparent`.
  public var traceparent: String { "00-\(traceID)-\(spanID)-0\(flags)" }

  private init(
    high: UInt64, low: UInt64, span: UInt64 = .random(in: 1 ... .max), flags: UInt8, tracestate: String = ""
  ) {
    (self.high, self.low) = (high, low)
    self.span = span
    self.flags = flags
    self.tracestate = tracestate
  }

  /// Starts a trace with random IDs.
  ///
  /// - Parameter isSampled: Whether the trace is recorded. Default: `true`.
  public init(isSampled: Bool = true) {
    self.init(
      high: .random(in: 0 ... .max), low: .random(in: 1 ... .max),
      flags: Self.randomFlag | (isSampled ? Self.sampledFlag : 0))
  }

  /// Starts the trace of a request: all of its attempts have the same trace ID, and each call creates a new span ID.
  ///
  /// - Parameters:
  ///   - request: The request. The trace ID is derived from its ``HTTPRequest/id`` and a random number of the process.
  ///   - isSampled: Whether the trace is recorded. Default: `true`.
  public init(of request: HTTPRequest, isSampled: Bool = true) {
    // Pseudo-random by a keyed hash.
    func hash(_ seed: UInt64) -> UInt64 {
      withUnsafeBytes(of: request.id.rawValue) { XXH64.checksum(of: $0, seed: seed) }
    }
    self.init(
      high: hash(Self.key.high), low: max(1, hash(Self.key.low)),
      flags: Self.randomFlag | (isSampled ? Self.sampledFlag : 0))
  }

  /// Parses the values of the fields, such as those of a request that a server has received; `nil` if `traceparent` is malformed.
  ///
  /// Fields of a later version are read like those of version 00; flags that it does not define are dropped.
  /// - Parameters:
  ///   - traceparent: The value of `traceparent`.
  ///   - tracestate: The value of `tracestate`; values of several fields are joined by commas. A malformed value, or
  ///     one with more than 32 entries, is dropped. Default: none.
  public init?(traceparent: String, tracestate: String = "") {
    // W3C Trace Context §3.2. A value of a later version may continue after another dash.
    let bytes = Array(traceparent.utf8)
    guard bytes.count >= Self.parentLength, [2, 35, 52].allSatisfy({ bytes[$0] == UInt8(ascii: "-") }),
      let version = bytes[0..<2].number, version != 0xFF,
      bytes.count == Self.parentLength || version > 0 && bytes[Self.parentLength] == UInt8(ascii: "-"),
      let high = bytes[3..<19].number, let low = bytes[19..<35].number, high | low != 0,
      let span = bytes[36..<52].number, span != 0, let flags = bytes[53..<55].number
    else { return nil }
    self.init(
      high: high, low: low, span: span, flags: UInt8(flags) & (Self.sampledFlag | Self.randomFlag),
      tracestate: tracestate.isEmpty ? "" : tracestate.checkedTraceState ?? "")
  }

  /// Returns a context in the same trace with a new span ID.
  public func child() -> TraceContext { TraceContext(high: high, low: low, flags: flags, tracestate: tracestate) }
}

extension TraceContext: CustomStringConvertible {
  /// The value of the field `traceparent`.
  public var description: String { traceparent }
}

extension HTTPRequest {
  /// The trace context in the request's header fields; `nil` without one, or if `traceparent` is malformed or occurs
  /// twice.
  ///
  /// The requests in the events of a ``Monitor``, in a ``RequestReport``, in a ``Response`` and in an error have the
  /// trace context of their attempt.
  public var traceContext: TraceContext? {
    let parents = headers.values(for: "traceparent")
    guard parents.count == 1 else { return nil }
    return TraceContext(traceparent: parents[0], tracestate: headers.values(for: "tracestate").joined(separator: ","))
  }
}

extension ArraySlice<UInt8> {
  /// The number that the lowercase hexadecimal digits form; `nil` if there are other bytes.
  fileprivate var number: UInt64? {
    guard allSatisfy({ $0.hexDigitValue != nil && $0.loweredASCII == $0 }) else { return nil }
    return UInt64(String(decoding: self, as: UTF8.self), radix: 16)
  }
}

extension String {
  /// The value of a `tracestate` field without optional white space and empty entries; `nil` if it is malformed (§3.3).
  ///
  /// Two entries with the same name are both passed on, because either may be the correct one.
  var checkedTraceState: String? {
    let entries = split(separator: ",").map { String($0).trimmedField }.filter { !$0.isEmpty }
    guard entries.count <= 32, entries.allSatisfy(\.isTraceStateEntry) else { return nil }
    return entries.joined(separator: ",")
  }

  /// Whether the text is a name and a value, each of at most 256 bytes.
  fileprivate var isTraceStateEntry: Bool {
    let bytes = utf8.split(separator: UInt8(ascii: "="), omittingEmptySubsequences: false)
    guard bytes.count == 2, (1...256).contains(bytes[0].count), (1...256).contains(bytes[1].count) else { return false }
    func isNameStart(_ byte: UInt8) -> Bool { byte.isDigit || byte.isLetter && byte.loweredASCII == byte }
    return bytes[0].first.map(isNameStart) == true
      && bytes[0].allSatisfy { isNameStart($0) || "_-*/@".utf8.contains($0) }
      && bytes[1].allSatisfy { (0x20...0x7E).contains($0) }
  }
}
