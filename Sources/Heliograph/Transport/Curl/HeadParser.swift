#if HELIOGRAPH_CURL
import Foundation

/// Makes the lines of a head into a response, and refuses what is no HTTP: libcurl lets much of it pass.
struct HeadParser {
  private enum Phase {
    case start, fields, done
  }

  /// What is known from one line to the next, and at the end.
  private struct State {
    var phase = Phase.start
    var statusCode = 0
    var fields: [HTTPHeaders.Field] = []
    var length: Int?
    var hasCoding = false
    // Both are found out once, at the end.
    var headers = HTTPHeaders()
    var contentCoding: String?

    mutating func finish() {
      phase = .done
      headers = HTTPHeaders(fields)
      fields = []
      contentCoding = headers["Content-Encoding"]
    }
  }

  /// How many bytes have come: also those of interim responses.
  private(set) var byteCount = 0
  private var limit = 0
  private var state = State()
  private var last = State()
  private var memory = HeadMemory()

  var statusCode: Int { state.statusCode }
  var headers: HTTPHeaders { state.headers }
  var contentCoding: String? { state.contentCoding }
  /// Whether all of the head has come.
  var isComplete: Bool { state.phase == .done }
  /// How long the body is, if that is all that says where it ends.
  var bodyByteCount: Int? { state.hasCoding ? nil : state.length }

  /// Whether no body can follow, whatever the fields say (RFC 9112 §6.3).
  var hasNoBody: Bool { statusCode == 204 || statusCode == 304 }

  /// Begins the head of another response.
  ///
  /// - Parameter limit: how many bytes it may have, with those of interim responses.
  mutating func begin(limit: Int) {
    self.limit = limit
    byteCount = 0
    state = State()
    memory.begin()
  }

  /// Takes a line with its end.
  ///
  /// - Returns: whether it was the last one of the final response's head.
  mutating func add(_ line: UnsafeRawBufferPointer) throws(NetworkError) -> Bool {
    byteCount += line.count
    guard byteCount <= limit else {
      throw NetworkError(.network, .responseTooLarge, reason: "the head is longer than \(limit) bytes")
    }
    // Trailer fields, which come after the body, are not passed on (RFC 9110 §6.5.1 allows that).
    if isComplete {
      guard line.trimmed.isEmpty || line.contains(UInt8(ascii: ":")) else {
        throw NetworkError(.network, .invalidResponse, reason: "a trailer line has no colon")
      }
      return false
    }
    if memory.isSame {
      if memory.hasNext(line) {
        if memory.isSameToTheEnd { state = last }
        return isComplete
      }
      // What was the same up to here has not been read yet.
      for line in memory.lines {
        try line.withUnsafeBytes { line in Result { () throws(NetworkError) in _ = try read(line) } }.get()
      }
    }
    memory.add(line)
    guard try read(line) else { return false }
    memory.keep(byteCount: byteCount)
    last = state
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
      // RFC 9112 §5.2: long forbidden, and read differently by others, lengths and codings too.
      guard line.first != 0x20, line.first != 0x09 else {
        throw NetworkError(.network, .invalidResponse, reason: "a header line continues the one before")
      }
      if !text.isEmpty {
        try addField(text)
        return false
      }
      if (100..<200).contains(statusCode) {
        try skipInterim()
        return false
      }
      state.finish()
      return true
    }
  }

  /// RFC 9110 §15.2: an interim response says nothing to us, but one that switches protocols ends HTTP, unasked.
  private mutating func skipInterim() throws(NetworkError) {
    guard statusCode != 101 else {
      throw NetworkError(.network, .invalidResponse, reason: "the server switches protocols, unasked")
    }
    state = State()
  }

  private mutating func addField(_ text: UnsafeRawBufferPointer) throws(NetworkError) {
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else {
      throw NetworkError(.network, .invalidResponse, reason: "a header line has no colon")
    }
    let name = UnsafeRawBufferPointer(rebasing: text[..<colon])
    let value = UnsafeRawBufferPointer(rebasing: text[(colon + 1)...]).trimmed
    // RFC 9110 §5.5, RFC 9112 §5.1: a blank before the colon, or a line end inside, is read differently by others.
    guard !value.contains(where: { $0 == 0 || $0 == 0x0D || $0 == 0x0A }) else {
      throw NetworkError(.network, .invalidResponse, reason: "a header line has a NUL or a line end in its value")
    }
    let field = HTTPHeaders.Field(name: String(decoding: name, as: UTF8.self), value: value)
    guard field.name.isHTTPToken else {
      throw NetworkError(.network, .invalidResponse, reason: "\(field.name.debugDescription) is no header name")
    }
    if field.name.isEqualIgnoringCase(to: "Content-Length") { try setLength(value) }
    if field.name.isEqualIgnoringCase(to: "Transfer-Encoding") { try setCoding(field.value) }
    state.fields.append(field)
  }

  /// RFC 9112 §6.3: one number, also if it is said several times; where a message ends must not be a matter of opinion.
  ///
  /// libcurl takes the last one, and whatever digits it begins with.
  private mutating func setLength(_ value: UnsafeRawBufferPointer) throws(NetworkError) {
    for part in value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      let digits = UnsafeRawBufferPointer(rebasing: part).trimmed
      guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }),
        let number = Int(String(decoding: digits, as: UTF8.self)), state.length == nil || state.length == number
      else { throw NetworkError(.network, .invalidResponse, reason: "the response says no one length") }
      state.length = number
    }
  }

  /// RFC 9112 §6.1: chunks are all that was offered, and all that is undone; anything else would be taken for the body.
  private mutating func setCoding(_ value: String) throws(NetworkError) {
    guard !state.hasCoding, value.isEqualIgnoringCase(to: "chunked") || value.isEqualIgnoringCase(to: "identity") else {
      throw NetworkError(
        .network, .undecodableBody, reason: "the transfer coding is \(value.debugDescription), and not chunked once")
    }
    state.hasCoding = true
  }

  /// RFC 9112 §4: the version, a blank and three digits.
  private static func statusCode(of text: UnsafeRawBufferPointer) throws(NetworkError) -> Int {
    // By hand, as it is done for every response: the pieces of a split would be two allocations.
    if text.starts(with: "HTTP/".utf8), let blank = text.firstIndex(of: 0x20) {
      let rest = text[(blank + 1)...]
      let digits = rest.prefix(3)
      let isCode = digits.count == 3 && digits.allSatisfy { (0x30...0x39).contains($0) }
      if isCode, rest.count == 3 || rest[rest.startIndex + 3] == 0x20 {
        let code = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        if code >= 100 { return code }
      }
    }
    let line = String(decoding: text.prefix(80), as: UTF8.self)
    throw NetworkError(.network, .invalidResponse, reason: "\(line.debugDescription) is no status line")
  }
}

extension UnsafeRawBufferPointer {
  /// Without blanks, tabs and line ends at both ends.
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
