import Foundation

/// An incremental parser of the requests in one connection's bytes; its time is linear in the number of bytes.
struct RequestParser {
  enum Outcome {
    case needsMore
    /// The head expects `100 Continue`, and no byte of the body has arrived yet.
    case continueExpected
    case request(RequestHead, body: Data)
  }

  private enum Stage {
    case head
    case fixed(remaining: Int)
    case chunkSize
    case chunk(remaining: Int)
    case chunkEnd
    case trailers(byteCount: Int)
  }

  /// The limit of the request line and the fields together, and of the trailers with all of their lines.
  static let headByteLimit = 64 * 1024
  /// The limit of a chunk size line: a hexadecimal size with its extensions.
  static let chunkLineByteLimit = 4 * 1024
  /// The default limit of a body: far more than a test sends, and less than would exhaust the machine's memory.
  static let bodyByteLimit = 1 << 30

  private let bodyByteLimit: Int
  private var buffer: [UInt8] = []
  private var cursor = 0
  /// The index up to which the buffer is known to contain no further line end.
  private var scanEnd = 0
  private var stage = Stage.head
  private var head: RequestHead?
  private var body = Data()

  /// Creates a parser that refuses longer bodies.
  init(bodyByteLimit: Int) {
    self.bodyByteLimit = bodyByteLimit
  }

  /// The number of received bytes that belong to no request yet.
  var bufferedByteCount: Int { buffer.count - cursor }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    if cursor == buffer.count {
      buffer.removeAll(keepingCapacity: true)
      scanEnd = 0
      cursor = 0
    } else if cursor > buffer.count / 2 {
      // At least as many bytes were consumed as are moved, so that the total time stays linear.
      buffer.removeSubrange(..<cursor)
      scanEnd = max(0, scanEnd - cursor)
      cursor = 0
    }
    buffer.append(contentsOf: bytes)
  }

  /// Returns the next event; after an error, the connection is unusable.
  mutating func next() throws(RequestFault) -> Outcome {
    while true {
      switch stage {
      case .head:
        guard let head = try takeHead() else { return .needsMore }
        switch head.framing {
        case .none: return .request(head, body: Data())
        case .chunked: stage = .chunkSize
        case .length(let length):
          try checkBody(growingTo: length)
          stage = .fixed(remaining: length)
        }
        self.head = head
        if head.expectsContinue, bufferedByteCount == 0 { return .continueExpected }
      case .fixed(let remaining):
        let missing = takeBody(remaining)
        stage = .fixed(remaining: missing)
        return missing == 0 ? finish() : .needsMore
      case .chunkSize:
        guard let line = try takeLine(limit: Self.chunkLineByteLimit) else { return .needsMore }
        let size = try Self.chunkSize(buffer[line])
        try checkBody(growingTo: body.count + size)
        stage = size == 0 ? .trailers(byteCount: 0) : .chunk(remaining: size)
      case .chunk(let remaining):
        let missing = takeBody(remaining)
        stage = missing == 0 ? .chunkEnd : .chunk(remaining: missing)
        if missing > 0 { return .needsMore }
      case .chunkEnd:
        guard let line = try takeLine(limit: 2) else { return .needsMore }
        guard line.isEmpty else { throw .malformed("end of chunk") }
        stage = .chunkSize
      case .trailers(let byteCount):
        guard let line = try takeLine(limit: Self.headByteLimit - byteCount) else { return .needsMore }
        guard !line.isEmpty else { return finish() }
        stage = .trailers(byteCount: byteCount + line.count)
      }
    }
  }

  private mutating func finish() -> Outcome {
    guard let head else { return .needsMore }
    defer { (self.head, body, stage) = (nil, Data(), .head) }
    return .request(head, body: body)
  }

  private func checkBody(growingTo byteCount: Int) throws(RequestFault) {
    guard byteCount <= bodyByteLimit else { throw RequestFault(status: 413, reason: "body") }
  }

  /// Moves at most `byteCount` buffered bytes to the body and returns the number of missing bytes.
  private mutating func takeBody(_ byteCount: Int) -> Int {
    let count = min(byteCount, bufferedByteCount)
    buffer.withUnsafeBytes { body.append(contentsOf: $0[cursor..<(cursor + count)]) }
    cursor += count
    scanEnd = max(scanEnd, cursor)
    return byteCount - count
  }

  private mutating func takeHead() throws(RequestFault) -> RequestHead? {
    // Empty lines before a request are ignored (RFC 9112 §2.2).
    while bufferedByteCount >= 2, buffer[cursor] == 0x0D, buffer[cursor + 1] == 0x0A {
      cursor += 2
      scanEnd = max(scanEnd, cursor)
    }
    while let end = try nextLineEnd() {
      guard end - cursor <= Self.headByteLimit else { break }
      // The previous line ended directly before: this line is empty.
      guard end >= cursor + 3, buffer[end - 2] == 0x0A else { continue }
      let lines = cursor..<(end - 1)
      cursor = end + 1
      return try RequestHead(buffer[lines])
    }
    guard bufferedByteCount <= Self.headByteLimit else { throw RequestFault(status: 431, reason: "head") }
    return nil
  }

  /// Returns the range of the next line without its CRLF.
  private mutating func takeLine(limit: Int) throws(RequestFault) -> Range<Int>? {
    guard let end = try nextLineEnd() else {
      guard bufferedByteCount <= limit else { throw .malformed("line too long") }
      return nil
    }
    guard end - cursor <= limit else { throw .malformed("line too long") }
    let line = cursor..<(end - 1)
    cursor = end + 1
    return line
  }

  /// Returns the index of the next LF; throws without a CR before it, an error that a lenient server would hide.
  private mutating func nextLineEnd() throws(RequestFault) -> Int? {
    guard let end = buffer[max(scanEnd, cursor)...].firstIndex(of: UInt8(ascii: "\n")) else {
      scanEnd = buffer.count
      return nil
    }
    scanEnd = end + 1
    guard end > cursor, buffer[end - 1] == 0x0D else { throw .malformed("line end") }
    return end
  }

  private static func chunkSize(_ line: ArraySlice<UInt8>) throws(RequestFault) -> Int {
    let digits = line.prefix { Character(UnicodeScalar($0)).isHexDigit }
    let extensions = line[digits.endIndex...].drop { $0 == 0x20 || $0 == 0x09 }
    // 15 digits fit into an Int; the value is checked against the limit of the body.
    guard digits.count <= 15, let size = Int(String(decoding: digits, as: UTF8.self), radix: 16),
      extensions.isEmpty || extensions.first == UInt8(ascii: ";")
    else { throw .malformed("chunk size") }
    return size
  }
}
