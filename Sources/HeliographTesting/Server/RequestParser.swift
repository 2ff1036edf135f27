import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Cuts requests out of the bytes of one connection; every byte is looked at a fixed number of times.
struct RequestParser {
  enum Outcome {
    case needsMore
    /// The head asked for a go-ahead and no byte of the body is here yet.
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

  /// The request line and the fields together; also the trailers, and with them any line.
  static let headByteLimit = 64 * 1024
  /// A size in hexadecimal with its extensions.
  static let chunkLineByteLimit = 4 * 1024
  /// Far above what a test sends, and below what would exhaust the machine.
  static let bodyByteLimit = 1 << 30

  private var buffer: [UInt8] = []
  private var cursor = 0
  /// Up to here the buffer is known to hold no further line end.
  private var scanned = 0
  private var stage = Stage.head
  private var head: RequestHead?
  private var body = Data()

  /// What has arrived and belongs to no request yet.
  var bufferedByteCount: Int { buffer.count - cursor }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    if cursor == buffer.count {
      buffer.removeAll(keepingCapacity: true)
      scanned = 0
      cursor = 0
    } else if cursor > buffer.count / 2 {
      // At least as much was consumed as is moved, so that moving stays linear.
      buffer.removeSubrange(..<cursor)
      scanned = max(0, scanned - cursor)
      cursor = 0
    }
    buffer.append(contentsOf: bytes)
  }

  /// The next event; after a failure the connection is of no further use.
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
        let left = takeBody(remaining)
        stage = .fixed(remaining: left)
        return left == 0 ? finish() : .needsMore
      case .chunkSize:
        guard let line = try takeLine(limit: Self.chunkLineByteLimit) else { return .needsMore }
        let size = try Self.chunkSize(buffer[line])
        try checkBody(growingTo: body.count + size)
        stage = size == 0 ? .trailers(byteCount: 0) : .chunk(remaining: size)
      case .chunk(let remaining):
        let left = takeBody(remaining)
        stage = left == 0 ? .chunkEnd : .chunk(remaining: left)
        if left > 0 { return .needsMore }
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
    let whole = body
    body = Data()
    self.head = nil
    stage = .head
    return .request(head, body: whole)
  }

  private func checkBody(growingTo byteCount: Int) throws(RequestFault) {
    guard byteCount <= Self.bodyByteLimit else { throw RequestFault(status: 413, reason: "body") }
  }

  /// Returns what is still missing.
  private mutating func takeBody(_ wanted: Int) -> Int {
    let count = min(wanted, bufferedByteCount)
    buffer.withUnsafeBytes { body.append(contentsOf: $0[cursor..<(cursor + count)]) }
    cursor += count
    scanned = max(scanned, cursor)
    return wanted - count
  }

  private mutating func takeHead() throws(RequestFault) -> RequestHead? {
    // Empty lines before a request are forgiven (RFC 9112 section 2.2).
    while bufferedByteCount >= 2, buffer[cursor] == 0x0D, buffer[cursor + 1] == 0x0A {
      cursor += 2
      scanned = max(scanned, cursor)
    }
    while let end = try nextLineEnd() {
      guard end - cursor <= Self.headByteLimit else { break }
      // The line before ended right here: this one is empty.
      guard end >= cursor + 3, buffer[end - 2] == 0x0A else { continue }
      let lines = cursor..<(end - 1)
      cursor = end + 1
      return try buffer.withUnsafeBufferPointer { bytes throws(RequestFault) in
        try RequestHead(UnsafeBufferPointer(rebasing: bytes[lines]))
      }
    }
    guard bufferedByteCount <= Self.headByteLimit else { throw RequestFault(status: 431, reason: "head") }
    return nil
  }

  /// The range of a line without its CRLF.
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

  /// The position of the next LF; one without its CR is an error, which a lenient server would hide from a client.
  private mutating func nextLineEnd() throws(RequestFault) -> Int? {
    let from = max(scanned, cursor)
    let found = buffer.withUnsafeBytes { bytes -> Int? in
      guard let base = bytes.baseAddress, let hit = memchr(base + from, 0x0A, bytes.count - from) else { return nil }
      return UnsafeRawPointer(hit) - base
    }
    guard let end = found else {
      scanned = buffer.count
      return nil
    }
    scanned = end + 1
    guard end > cursor, buffer[end - 1] == 0x0D else { throw .malformed("line end") }
    return end
  }

  private static func chunkSize(_ line: ArraySlice<UInt8>) throws(RequestFault) -> Int {
    let digits = line.prefix { $0.hexadecimalValue != nil }
    let rest = line[digits.endIndex...].drop { $0 == 0x20 || $0 == 0x09 }
    // 15 digits fit an Int; what they say is checked against the body's limit.
    guard 1...15 ~= digits.count, rest.isEmpty || rest.first == UInt8(ascii: ";") else {
      throw .malformed("chunk size")
    }
    return digits.reduce(0) { $0 << 4 | ($1.hexadecimalValue ?? 0) }
  }
}
