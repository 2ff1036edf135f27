import Foundation

/// An event of a server's event stream.
///
/// <https://html.spec.whatwg.org/multipage/server-sent-events.html>
public struct ServerSentEvent: Sendable, Hashable {
  /// The last event ID of the stream: that of this event, or else of the latest earlier event with an ID; `nil` if
  /// there is none.
  ///
  /// A new connection resumes after this event; see ``EventStreamOptions/lastEventID``. An ID that is longer than 4 KiB
  /// or contains control characters is ignored, because it could not be sent back.
  public let id: String?
  /// The type of the event; `message` if the server sets none.
  public let type: String
  /// The data; its lines are separated by LF.
  public let data: String
  /// The reader and the head of the event's stream, for ``decode(_:)``.
  @Uncompared var context: EventContext? = nil

  /// Creates an event.
  ///
  /// - Parameters:
  ///   - id: The last event ID. Default: none.
  ///   - type: The type. Default: `message`.
  ///   - data: The data.
  public init(id: String? = nil, type: String = "message", data: String) {
    (self.id, self.type, self.data) = (id, type, data)
  }

  /// Decodes the data as JSON.
  ///
  /// The rules are those of the request: ``Stages/decoder`` and ``JSONCoding`` of the request, the service or the
  /// client. Events that did not come from a client are decoded by the default rules.
  /// - Parameter type: The type to decode.
  /// - Returns: The value.
  /// - Throws: A `processing` error. The body of its response is the data; for an event that did not come from a client
  ///   the rest is a placeholder, the status 200 and the URL `file:///`.
  public func decode<Value: Decodable>(_ type: Value.Type) throws(NetworkError) -> Value {
    let body = Data(data.utf8)
    let root = URL(fileURLWithPath: "/", isDirectory: true)
    let head = context?.head ?? Response(value: body, head: HTTPResponse(statusCode: 200, url: root))
    let reader = context?.reader ?? ResponseReader(stages: Stages())
    return try reader.decode(type, from: head.replacing(body), prefix: "event \(self.type): ")
  }
}

/// The reader and the head with which the events of a connection are decoded.
final class EventContext: Sendable {
  let reader: ResponseReader
  let head: Response<Data>

  init(_ reader: ResponseReader, _ head: Response<Data>) {
    (self.reader, self.head) = (reader, head)
  }
}

extension ServerSentEvent: _Summarized {
  /// The type, the ID and the length of the data on one line, without secrets and the data, which may be secret.
  public var description: String {
    let texts = [type, id].compactMap { $0.map { SecretRedaction().text($0).singleLine } }
    return texts.joined(separator: " ") + " (\(data.utf8.count) bytes)"
  }
}
