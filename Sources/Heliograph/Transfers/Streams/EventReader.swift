import Foundation

/// A reader of the events of one connection.
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
    let type = head.headers["Content-Type"] ?? ""
    guard type.mediaType == "text/event-stream" else {
      throw NetworkError(
        .unacceptableType, reason: "Content-Type \(type.loggedMediaType): expected text/event-stream")
    }
    context = EventContext(reader, head)
    return true
  }

  mutating func append(_ piece: Data) { parser.append(piece) }

  mutating func next() throws(NetworkError) -> ServerSentEvent? {
    var event = try parser.next()
    event?.context = context
    stream.record(parser, hasEvent: event != nil)
    return event
  }

  mutating func finish() -> ServerSentEvent? { nil }
}
