import Foundation
import Signals

/// A splitter that turns pieces of text into lines, without line breaks.
///
/// It holds one piece and one line in memory. Complexity: O(bytes). A byte order mark at the beginning is removed.
struct LineSplitter: Sendable {
  /// The sequences of bytes that end a line.
  enum LineBreaks: Sendable {
    /// LF and CRLF.
    case lineFeeds
    /// LF, CRLF, and CR alone.
    case all
  }

  private let lineBreaks: LineBreaks
  /// The maximum length of a line in bytes.
  private let limit: Int
  private var partialLine = Data()
  private var unread = Data()
  private var isAtStart = true
  /// Whether a line feed at the start of the unread bytes belongs to the previous carriage return.
  private var skipsLineFeed = false

  init(_ lineBreaks: LineBreaks, limit: Int) {
    self.lineBreaks = lineBreaks
    // Below the maximum, because more is stored: a byte order mark, and the carriage return of a CRLF.
    self.limit = min(max(limit, 0), .max - 4)
  }

  /// Adds a piece, after ``next()`` has returned `nil` for the previous one.
  mutating func append(_ piece: Data) { unread = piece }

  /// Returns the next complete line; `nil` if another piece is needed.
  mutating func next() throws(NetworkError) -> Data? {
    if skipsLineFeed, let first = unread.first {
      skipsLineFeed = false
      if first == .lineFeed { unread = unread.dropFirst() }
    }
    guard let end = unread.firstLineBreak(lineBreaks) else {
      partialLine.append(unread)
      unread = Data()
      if partialLine.count > limit + (isAtStart ? 4 : 1) { throw failure }
      return nil
    }
    skipsLineFeed = unread[end] == .carriageReturn
    let segment = unread[..<end]
    unread = unread[(end + 1)...]
    if partialLine.isEmpty { return try finished(segment) }
    partialLine.append(segment)
    return try finished(takePartialLine())
  }

  /// Returns the line after the last line break; `nil` if the text ends with one.
  mutating func finish() throws(NetworkError) -> Data? {
    if partialLine.isEmpty { return nil }
    let line = takePartialLine().withoutByteOrderMark(isAtStart)
    if line.count > limit { throw failure }
    return line.isEmpty ? nil : line
  }

  private mutating func takePartialLine() -> Data {
    defer { partialLine = Data() }
    return partialLine
  }

  private mutating func finished(_ line: Data) throws(NetworkError) -> Data {
    var line = line.withoutByteOrderMark(isAtStart)
    isAtStart = false
    if lineBreaks == .lineFeeds, line.last == .carriageReturn { line = line.dropLast() }
    if line.count > limit { throw failure }
    return line
  }

  private var failure: NetworkError {
    NetworkError(.responseTooLarge, reason: "line over the limit of \(limit) bytes")
  }
}

extension Data {
  /// The index of the first byte that ends a line.
  fileprivate func firstLineBreak(_ lineBreaks: LineSplitter.LineBreaks) -> Int? {
    let offset = withUnsafeBytes { bytes in
      var offset = 0
      while offset < bytes.count {
        let byte = bytes[offset]
        if byte == .lineFeed || byte == .carriageReturn && lineBreaks == .all { return offset }
        offset += 1
      }
      return -1
    }
    return offset < 0 ? nil : startIndex + offset
  }

  /// Returns the bytes without a byte order mark (EF BB BF) at the beginning.
  fileprivate func withoutByteOrderMark(_ isAtStart: Bool) -> Data {
    isAtStart && starts(with: [0xEF, 0xBB, 0xBF]) ? dropFirst(3) : self
  }
}

extension UInt8 {
  fileprivate static let lineFeed: UInt8 = 0x0A
  fileprivate static let carriageReturn: UInt8 = 0x0D
}

struct LineReader<Output: Sendable>: BodyReader {
  /// A closure that converts a line, with its number, counted from 1, and the head of the response; `nil` skips the
  /// line.
  typealias Convert =
    @Sendable (_ line: Data, _ number: Int, _ head: Response<Data>) throws(NetworkError) -> Output?

  private var splitter: LineSplitter
  private var number = 0
  private var head: Response<Data>?
  private let convert: Convert

  init(limit: Int, _ convert: @escaping Convert) {
    splitter = LineSplitter(.lineFeeds, limit: limit)
    self.convert = convert
  }

  mutating func begin(_ head: Response<Data>) throws(NetworkError) -> Bool {
    try head.checkLength()
    self.head = head
    return true
  }

  mutating func append(_ piece: Data) { splitter.append(piece) }

  mutating func next() throws(NetworkError) -> Output? {
    while let line = try splitter.next() {
      if let value = try converted(line) { return value }
    }
    return nil
  }

  mutating func finish() throws(NetworkError) -> Output? {
    guard let line = try splitter.finish() else { return nil }
    do throws(NetworkError) {
      return try converted(line)
    } catch {
      // Without a line break and without a length, the response may have ended too early, such as at a proxy whose
      // server has died.
      guard error.code == .malformedBody, head?.headers.contains("Content-Length") == false, JSON.isCut(line) else {
        throw error
      }
      let reason = "the response ended within line \(number)"
      throw NetworkError(.connectionLost, reason: reason, response: error.response, underlying: error)
    }
  }

  private mutating func converted(_ line: Data) throws(NetworkError) -> Output? {
    number += 1
    guard let head else { return nil }
    return try convert(line, number, head)
  }
}
