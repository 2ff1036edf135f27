struct TraceNumber: Sendable, Hashable {
  let high: UInt64
  let low: UInt64

  /// The random key of this process: other processes derive other IDs.
  private static let key = (high: UInt64.random(in: 0 ... .max), low: UInt64.random(in: 0 ... .max))
}

extension TraceNumber {
  /// Creates the ID of a request's trace, pseudo-random by a keyed hash.
  init(of id: RequestID) {
    func hash(_ seed: UInt64) -> UInt64 {
      withUnsafeBytes(of: id.rawValue) { XXH64.checksum(of: $0, seed: seed) }
    }
    self.init(high: hash(Self.key.high), low: max(1, hash(Self.key.low)))
  }
}

/// The fields of a `traceparent` value (W3C Trace Context §3.2).
struct TraceParent {
  let trace: TraceNumber
  let span: UInt64
  let flags: UInt8

  /// The length of a value of version 00; one of a later version may continue after another dash.
  private static let length = 55

  init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count >= Self.length, [2, 35, 52].allSatisfy({ bytes[$0] == UInt8(ascii: "-") }),
      let version = bytes[0..<2].number, version != 0xFF,
      bytes.count == Self.length || version > 0 && bytes[Self.length] == UInt8(ascii: "-"),
      let high = bytes[3..<19].number, let low = bytes[19..<35].number, high | low != 0,
      let span = bytes[36..<52].number, span != 0, let flags = bytes[53..<55].number
    else { return nil }
    trace = TraceNumber(high: high, low: low)
    self.span = span
    self.flags = UInt8(flags)
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
    guard let first = bytes[0].first, first.isTraceNameStart else { return false }
    return bytes[0].allSatisfy { $0.isTraceNameStart || "_-*/@".utf8.contains($0) }
      && bytes[1].allSatisfy { (0x20...0x7E).contains($0) }
  }
}

extension UInt8 {
  /// Whether a name may begin with the byte: a lower-case letter or a digit.
  fileprivate var isTraceNameStart: Bool { isDigit || isLetter && loweredASCII == self }
}
