import Foundation

/// A reader of the lines of a body.
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

  mutating func begin(_ head: Response<Data>) -> Bool {
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
    return try converted(line)
  }

  private mutating func converted(_ line: Data) throws(NetworkError) -> Output? {
    number += 1
    guard let head else { return nil }
    return try convert(line, number, head)
  }
}
