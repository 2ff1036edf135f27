#if HELIOGRAPH_CURL
/// A parser that turns the lines of a head into a response, and rejects invalid HTTP, much of which libcurl accepts.
struct HeadParser {
  private enum Phase {
    case start, fields, done
  }

  private struct State {
    var phase = Phase.start
    var statusCode = 0
    var fields: [HTTPHeaders.Field] = []
    var length: Int?
    var hasCoding = false
    var isChunked = false
    var foldCount = 0
    /// Whether the last line is dropped, and with it the lines that are folded onto it.
    var isDropping = false
    // These two are computed once, at the end.
    var headers = HTTPHeaders()
    var contentCoding: String?

    mutating func finish() {
      phase = .done
      headers = HTTPHeaders(fields)
      fields = []
      contentCoding = headers["Content-Encoding"]
    }
  }

  /// The number of bytes so far, including interim responses.
  private(set) var byteCount = 0
  private var limit = 0
  private var state = State()
  private var previousState = State()
  private var previousHead = HeadMemory()

  var statusCode: Int { state.statusCode }
  var headers: HTTPHeaders { state.headers }
  var contentCoding: String? { state.contentCoding }
  var isComplete: Bool { state.phase == .done }
  /// The size of the body in bytes, if nothing else determines its end.
  var bodyByteCount: Int? { state.hasCoding ? nil : state.length }

  /// Whether the head says how the end of the body is recognized; otherwise it is the end of the connection, or over
  /// HTTP/2 that of the stream.
  var delimitsBody: Bool { state.isChunked || state.length != nil }

  /// Whether no body can follow, whatever the fields say (RFC 9112 §6.3).
  var hasNoBody: Bool { statusCode == 204 || statusCode == 304 }

  /// Begins the head of another response; `limit` is its maximum size in bytes, including interim responses.
  mutating func begin(limit: Int) {
    self.limit = limit
    byteCount = 0
    state = State()
    previousHead.begin()
  }

  /// Parses a line with its line end; returns whether it is the last one of the final response's head.
  mutating func add(_ line: UnsafeRawBufferPointer) throws(NetworkError) -> Bool {
    // From 8.18 on, libcurl also delivers a line that it has refused to take for a status line, and an unfinished one.
    guard line.last == UInt8(ascii: "\n"), byteCount > 0 || line.mayBeStatus else { return false }
    byteCount += line.count
    guard byteCount <= limit else {
      throw NetworkError(.responseTooLarge, reason: "response header over the limit of \(limit) bytes")
    }
    // Trailer fields, which follow the body, are not delivered; RFC 9110 §6.5.1 allows that.
    if isComplete {
      guard line.trimmed.isEmpty || line.contains(UInt8(ascii: ":")) else {
        throw NetworkError(.invalidResponse, reason: "malformed trailer line: no colon")
      }
      return false
    }
    if previousHead.isMatching {
      if previousHead.matchNext(line) {
        if previousHead.isFullMatch { state = previousState }
        return isComplete
      }
      // The lines that matched so far have not been parsed yet.
      for line in previousHead.lines {
        try line.withUnsafeBytes { line in Result { () throws(NetworkError) in _ = try read(line) } }.get()
      }
    }
    previousHead.add(line)
    guard try read(line) else { return false }
    previousHead.complete(byteCount: byteCount)
    previousState = state
    return true
  }

  private mutating func read(_ line: UnsafeRawBufferPointer) throws(NetworkError) -> Bool {
    let text = line.trimmed
    switch state.phase {
    case .done: return true
    case .start:
      state.statusCode = try HeadParser.statusCode(of: text)
      state.phase = .fields
      state.fields.reserveCapacity(12)
      return false
    case .fields:
      if line.first == 0x20 || line.first == 0x09 {
        try continueField(text)
        return false
      }
      if !text.isEmpty {
        try addField(text)
        return false
      }
      if (100..<200).contains(statusCode) {
        // RFC 9110 §15.2; an unsolicited switch of protocols ends HTTP.
        guard statusCode != 101 else {
          throw NetworkError(.invalidResponse, reason: "unexpected 101 Switching Protocols")
        }
        state = State()
        return false
      }
      state.finish()
      return true
    }
  }

  private mutating func addField(_ text: UnsafeRawBufferPointer) throws(NetworkError) {
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else {
      throw NetworkError(.invalidResponse, reason: "malformed header line: no colon")
    }
    let name = UnsafeRawBufferPointer(rebasing: text[..<colon])
    let value = UnsafeRawBufferPointer(rebasing: text[(colon + 1)...]).trimmed
    let field = try HeadParser.field(String(decoding: name, as: UTF8.self), value)
    state.isDropping = !field.name.isHTTPToken
    if state.isDropping {
      // Some devices send such lines, which browsers ignore. These names determine how the body is read, and with a
      // space before the colon (RFC 9112 §5.1) they are parsed differently elsewhere.
      let meant = String(decoding: name.trimmed, as: UTF8.self)
      guard
        ["Content-Length", "Transfer-Encoding", "Content-Encoding"].allSatisfy({ !meant.isEqualIgnoringCase(to: $0) })
      else { throw NetworkError(.invalidResponse, reason: "malformed header field name").withExcerpt(field.name) }
      return
    }
    if field.name.isEqualIgnoringCase(to: "Content-Length") { try setLength(value) }
    if field.name.isEqualIgnoringCase(to: "Transfer-Encoding") { try setCoding(field.value) }
    state.fields.append(field)
  }

  private static func field(_ name: String, _ value: UnsafeRawBufferPointer) throws(NetworkError) -> HTTPHeaders.Field {
    // RFC 9110 §5.5: parsed differently elsewhere.
    guard !value.contains(where: { $0 == 0 || $0 == 0x0D || $0 == 0x0A }) else {
      throw NetworkError(.invalidResponse, reason: "NUL, CR or LF in a header field value")
    }
    return HTTPHeaders.Field(name: name, value: value)
  }

  /// Joins a folded line with the field before it (RFC 9112 §5.2), as libcurl does from 8.18 on.
  ///
  /// Lengths and codings that are folded are parsed differently elsewhere. More lines would take quadratic time.
  private mutating func continueField(_ text: UnsafeRawBufferPointer) throws(NetworkError) {
    if state.isDropping { return }
    state.foldCount += 1
    guard state.foldCount <= 100, let last = state.fields.popLast(),
      !last.name.isEqualIgnoringCase(to: "Content-Length"),
      !last.name.isEqualIgnoringCase(to: "Transfer-Encoding")
    else { throw NetworkError(.invalidResponse, reason: "obsolete line folding in a header field") }
    let rest = try HeadParser.field(last.name, text).value
    let value = [last.value, rest].filter { !$0.isEmpty }.joined(separator: " ")
    state.fields.append(HTTPHeaders.Field(name: last.name, value: value))
  }

  /// Parses `Content-Length` (RFC 9112 §6.3): one number, which may be repeated.
  ///
  /// The end of a message must be unambiguous. libcurl uses the last number, and any digits at the beginning of a
  /// value.
  private mutating func setLength(_ value: UnsafeRawBufferPointer) throws(NetworkError) {
    for part in value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      let digits = UnsafeRawBufferPointer(rebasing: part).trimmed
      guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }),
        let number = Int(String(decoding: digits, as: UTF8.self)), state.length == nil || state.length == number
      else { throw NetworkError(.invalidResponse, reason: "invalid or conflicting Content-Length") }
      state.length = number
    }
  }

  /// Parses `Transfer-Encoding` (RFC 9112 §6.1): only chunks are offered and decoded.
  ///
  /// With any other coding the encoded data would be mistaken for the body.
  private mutating func setCoding(_ value: String) throws(NetworkError) {
    guard !state.hasCoding, value.isEqualIgnoringCase(to: "chunked") || value.isEqualIgnoringCase(to: "identity") else {
      throw NetworkError(.undecodableBody, reason: "unsupported Transfer-Encoding").withExcerpt(value)
    }
    state.hasCoding = true
    state.isChunked = value.isEqualIgnoringCase(to: "chunked")
  }

  /// Parses a status line (RFC 9112 §4): the version, a space and three digits.
  private static func statusCode(of text: UnsafeRawBufferPointer) throws(NetworkError) -> Int {
    // Parsed by hand, because a split would make two allocations for every response.
    if text.starts(with: "HTTP/".utf8), let blank = text.firstIndex(of: 0x20) {
      let remaining = text[(blank + 1)...]
      let digits = remaining.prefix(3)
      let isCode = digits.count == 3 && digits.allSatisfy { (0x30...0x39).contains($0) }
      if isCode, remaining.count == 3 || remaining[remaining.startIndex + 3] == 0x20 {
        let code = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        if code >= 100 { return code }
      }
    }
    let line = String(decoding: text.prefix(80), as: UTF8.self)
    throw NetworkError(.invalidResponse, reason: "malformed status line").withExcerpt(line)
  }
}

extension UnsafeRawBufferPointer {
  /// Whether libcurl takes the line for a status line: it begins with `HTTP/`, in any case.
  fileprivate var mayBeStatus: Bool { prefix(5).elementsEqual("http/".utf8) { $0 | 0x20 == $1 } }

  /// The bytes without spaces, tabs and line ends at both ends.
  fileprivate var trimmed: UnsafeRawBufferPointer {
    var (start, end) = (0, count)
    while start < end, self[start].isBlank { start += 1 }
    while end > start, self[end - 1].isBlank { end -= 1 }
    return UnsafeRawBufferPointer(rebasing: self[start..<end])
  }
}

extension UInt8 {
  fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0D || self == 0x0A }
}
#endif
