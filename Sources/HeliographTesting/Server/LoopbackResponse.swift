public import Foundation

/// A value that says what to write in answer to a request, and how: whole, in pieces, late, or not to the end.
///
/// The length is written for the caller: `Content-Length` for a body, nothing for 1xx, 204 and 304, and for HEAD the
/// length without the body. The connection stays open for the next request unless the client or the response says
/// otherwise. A field added by `header(_:_:)` replaces an automatic one of the same name, so a length can also lie.
public struct LoopbackResponse: Sendable {
  /// One action of a scripted response.
  public enum Step: Hashable, Sendable {
    /// Writes bytes as they are; the next step follows when the kernel has taken them all.
    case bytes(Data)
    /// Writes text as UTF-8.
    case text(String)
    /// Waits; a client that closes the connection meanwhile is noticed at once.
    case delay(Duration)
    /// Closes in order (FIN) and ends the script.
    case close
    /// Aborts (RST, by `SO_LINGER` 0) once the client's kernel has acknowledged what was written; ends the script.
    case reset
    /// Writes nothing more and keeps the connection until the client closes it; ends the script.
    case hold
  }

  enum Content: Sendable {
    case whole(Data)
    case chunks([Data], every: Duration)
    case script([Step])
  }

  struct Limit: Sendable {
    let byteCount: Int
    let last: Step
  }

  var content: Content
  var status = 200
  var fields: [LoopbackRequest.Field] = []
  var delay: Duration = .zero
  var closes = false
  var limit: Limit?
}

extension LoopbackResponse {
  /// A JSON body given as text.
  ///
  /// - Parameters:
  ///   - text: the JSON; it is not checked.
  ///   - status: the status code, 200 unless told.
  /// - Returns: the response, of type `application/json`.
  public static func json(_ text: String, status: Int = 200) -> LoopbackResponse {
    json(Data(text.utf8), status: status)
  }

  /// A JSON body given as bytes.
  ///
  /// - Parameters:
  ///   - data: the JSON; it is not checked.
  ///   - status: the status code, 200 unless told.
  /// - Returns: the response, of type `application/json`.
  public static func json(_ data: Data, status: Int = 200) -> LoopbackResponse {
    self.data(data, contentType: "application/json", status: status)
  }

  /// A plain text body in UTF-8.
  ///
  /// - Parameters:
  ///   - text: the text.
  ///   - status: the status code, 200 unless told.
  /// - Returns: the response, of type `text/plain; charset=utf-8`.
  public static func text(_ text: String, status: Int = 200) -> LoopbackResponse {
    data(Data(text.utf8), contentType: "text/plain; charset=utf-8", status: status)
  }

  /// A body of any type; its bytes are written without being copied.
  ///
  /// - Parameters:
  ///   - data: the body.
  ///   - contentType: the media type, `application/octet-stream` unless told.
  ///   - status: the status code, 200 unless told.
  /// - Returns: the response.
  public static func data(
    _ data: Data, contentType: String = "application/octet-stream", status: Int = 200
  ) -> LoopbackResponse {
    LoopbackResponse(content: .whole(data), status: status).header("Content-Type", contentType)
  }

  /// A status without a body: `Content-Length: 0`, or no length where the status forbids one (1xx, 204, 304).
  ///
  /// - Parameter code: the status code.
  /// - Returns: the response.
  public static func status(_ code: Int) -> LoopbackResponse {
    LoopbackResponse(content: .whole(Data()), status: code)
  }

  /// A redirection without a body.
  ///
  /// - Parameters:
  ///   - location: the value of `Location`, absolute or relative.
  ///   - status: the status code, 302 unless told.
  /// - Returns: the response.
  public static func redirect(to location: String, status: Int = 302) -> LoopbackResponse {
    self.status(status).header("Location", location)
  }

  /// A body in the chunked transfer coding (RFC 9112 section 7.1), as `application/octet-stream`.
  ///
  /// An HTTP/1.0 client, which knows no chunks, gets the same bytes bare and then a close.
  ///
  /// - Parameters:
  ///   - chunks: the chunks; empty ones are left out, as an empty chunk is the end.
  ///   - interval: the time between two chunks, none unless told; the first goes with the head.
  /// - Returns: the response.
  public static func chunked(_ chunks: [Data], every interval: Duration = .zero) -> LoopbackResponse {
    LoopbackResponse(content: .chunks(chunks, every: interval))
      .header("Content-Type", "application/octet-stream")
  }

  /// No answer at all: the connection stays open until the client closes it or the server stops.
  public static var never: LoopbackResponse { script([.hold]) }

  /// Exactly these actions and nothing else: the status line and the head are the script's to write.
  ///
  /// A script that ends without `close`, `reset` or `hold` leaves the connection for the next request, unless the
  /// client asked for a close. `header(_:_:)` has no effect on a script.
  ///
  /// - Parameter steps: the actions in their order.
  /// - Returns: the response.
  public static func script(_ steps: [Step]) -> LoopbackResponse {
    LoopbackResponse(content: .script(steps))
  }
}

extension LoopbackResponse {
  /// The same response, its first byte written later; a second call adds to the first.
  ///
  /// - Parameter duration: the time from the route's return, at most a day; a client's close ends it at once.
  /// - Returns: the changed response.
  public func delayed(by duration: Duration) -> LoopbackResponse {
    with { $0.delay += duration }
  }

  /// The same response with one more header field, also when the name is there already.
  ///
  /// - Parameters:
  ///   - name: the field's name, written as given.
  ///   - value: the field's value, written as given.
  /// - Returns: the changed response.
  public func header(_ name: String, _ value: String) -> LoopbackResponse {
    with { $0.fields.append(LoopbackRequest.Field(name: name, value: value)) }
  }

  /// The same response with `Connection: close`, and the close after its last byte.
  ///
  /// - Returns: the changed response.
  public func closing() -> LoopbackResponse {
    with { $0.closes = true }
  }

  /// The same response broken off by an RST.
  ///
  /// - Parameter byteCount: how many bytes of the serialized response, its head included, reach the client before; more
  ///   than there are means all of them.
  /// - Returns: the changed response.
  public func resetting(afterByteCount byteCount: Int) -> LoopbackResponse {
    with { $0.limit = Limit(byteCount: max(0, byteCount), last: .reset) }
  }

  /// The same response broken off by an orderly close (FIN).
  ///
  /// - Parameter byteCount: how many bytes of the serialized response, its head included, are written before; more than
  ///   there are means all of them.
  /// - Returns: the changed response.
  public func cut(afterByteCount byteCount: Int) -> LoopbackResponse {
    with { $0.limit = Limit(byteCount: max(0, byteCount), last: .close) }
  }

  private func with(_ change: (inout LoopbackResponse) -> Void) -> LoopbackResponse {
    var changed = self
    change(&changed)
    return changed
  }
}
