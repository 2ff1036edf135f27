import Foundation
import Signals

/// A parser of an event stream in pieces (WHATWG HTML §9.2.5, §9.2.6), which drops an incomplete last event.
struct EventParser: Sendable {
  /// The last event ID of the stream, as of the latest empty line.
  private(set) var lastEventID: String
  /// The maximum length of an ID in bytes: servers accept only 8 to 16 KiB of header fields.
  static let idByteLimit = 4_096
  /// The reconnection delay set by the server.
  private(set) var reconnectionTime: Duration?
  private var splitter: LineSplitter
  private let limit: Int

  // The fields of the event that is being parsed.
  private var data = Data()
  private var hasData = false
  private var type = ""
  private var id: String

  /// Creates a parser with a maximum length in bytes of a line, and of the data of an event.
  ///
  /// As in browsers, the last event ID of the previous connection persists, so that an event without an ID does not
  /// reset it after a reconnection.
  init(lastEventID: String = "", limit: Int) {
    self.lastEventID = lastEventID
    id = lastEventID
    splitter = LineSplitter(.all, limit: limit)
    self.limit = limit
  }

  mutating func append(_ piece: Data) { splitter.append(piece) }

  /// Returns the next event; `nil` if another piece is needed.
  mutating func next() throws(NetworkError) -> ServerSentEvent? {
    while let line = try splitter.next() {
      if !line.isEmpty {
        try read(line)
      } else if let event = dispatch() {
        return event
      }
    }
    return nil
  }

  private mutating func dispatch() -> ServerSentEvent? {
    lastEventID = id
    defer { (data, hasData, type) = (Data(), false, "") }
    guard hasData else { return nil }
    return ServerSentEvent(
      id: lastEventID.isEmpty ? nil : lastEventID, type: type.isEmpty ? "message" : type, data: text(data))
  }

  /// Processes a line as a field; a comment has an empty field name and is ignored.
  private mutating func read(_ line: Data) throws(NetworkError) {
    let colon = line.firstIndex(of: 0x3A) ?? line.endIndex
    var value = line[colon...].dropFirst()
    if value.first == 0x20 { value = value.dropFirst() }
    let name = line[..<colon]
    // A known name has at most 5 bytes: comparing longer texts that are not ASCII can take quadratic time.
    switch name.count <= 5 ? text(name) : "" {
    case "data":
      if hasData { data.append(0x0A) }
      data.append(value)
      hasData = true
      if data.count > limit {
        throw NetworkError(.responseTooLarge, reason: "event over the limit of \(limit) bytes")
      }
    case "event": type = text(value)
    // The standard excludes NUL only, but other control characters cannot be sent in `Last-Event-ID`.
    case "id": if value.count <= Self.idByteLimit, !value.contains(where: \.isControl) { id = text(value) }
    case "retry":
      if !value.isEmpty, value.allSatisfy(\.isDigit) {
        reconnectionTime = .milliseconds(Int(text(value)) ?? .max)
      }
    default: break
    }
  }

  /// Returns the text; invalid bytes become U+FFFD.
  private func text(_ bytes: Data) -> String { String(decoding: bytes, as: UTF8.self) }
}

struct EventReader: BodyReader {
  private var parser: EventParser
  private var context: EventContext?
  private let reader: ResponseReader
  private let stream: EventStream

  init(_ parser: EventParser, _ reader: ResponseReader, _ stream: EventStream) {
    (self.parser, self.reader, self.stream) = (parser, reader, stream)
  }

  mutating func begin(_ head: Response<Data>) throws(NetworkError) -> Bool {
    if head.statusCode == 204 {
      stream.finish()
      return false
    }
    guard head.statusCode == 200 else {
      throw NetworkError(
        .status(head.statusCode), reason: "HTTP status \(head.statusCode): expected 200 with an event stream")
    }
    guard head.headers.isEventStream else {
      let type = head.headers["Content-Type"] ?? ""
      throw NetworkError(
        .unacceptableType, reason: "Content-Type \(type.loggedMediaType): expected text/event-stream")
    }
    context = EventContext(reader, head)
    stream.recordReceipt()
    return true
  }

  mutating func append(_ piece: Data) {
    stream.recordReceipt()
    parser.append(piece)
  }

  mutating func next() throws(NetworkError) -> ServerSentEvent? {
    var event = try parser.next()
    event?.context = context
    stream.record(parser, hasEvent: event != nil)
    return event
  }

  mutating func finish() -> ServerSentEvent? { nil }
}
