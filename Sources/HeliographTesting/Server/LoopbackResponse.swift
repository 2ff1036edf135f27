public import Foundation
public import Heliograph

/// A response of the server: its content and the way it is written, whole, in chunks, delayed or truncated.
///
/// The length is added automatically: `Content-Length` for a body, no length for 1xx, 204 and 304, and for HEAD the
/// length without the body. The connection stays open for the next request unless the client or the response requests a
/// close. A field added by `header(_:_:)` replaces an automatic field of the same name, such as `Content-Type`, so a
/// test can also send a wrong length.
public struct LoopbackResponse: Sendable {
  /// An action of a scripted response.
  public enum Step: Hashable, Sendable {
    /// Writes bytes unchanged; the next step follows once the kernel has accepted all of them.
    case bytes(Data)
    /// Writes text as UTF-8.
    case text(String)
    /// Waits; the wait ends immediately if the client closes the connection.
    case delay(Duration)
    /// Closes the connection with a FIN and ends the script.
    case close
    /// Aborts the connection with an RST (`SO_LINGER` 0) and ends the script.
    ///
    /// The RST follows once the client's kernel has acknowledged the written bytes, or after two seconds.
    case reset
    /// Keeps the connection open without further writes until the client closes it, and ends the script.
    case hold
  }

  enum Content: Sendable {
    case whole(Data)
    case chunks([Data], every: Duration)
    case script([Step])
  }

  struct Limit: Sendable {
    let byteCount: Int
    /// Whether byte counts begin after the head.
    var isOfBody = false
    let last: Step
  }

  var content: Content
  var status = 200
  var contentType: String?
  var headers = HTTPHeaders()
  var delay: Duration = .zero
  var closes = false
  var limit: Limit?

  /// Creates a response with a JSON body from text.
  ///
  /// - Parameters:
  ///   - text: The JSON text; it is not validated.
  ///   - status: The status code. Default: 200.
  /// - Returns: The response, of type `application/json`.
  public static func json(_ text: String, status: Int = 200) -> LoopbackResponse {
    json(Data(text.utf8), status: status)
  }

  /// Creates a response with a JSON body from bytes.
  ///
  /// The parameters are those of ``json(_:status:)-(String,_)``.
  public static func json(_ data: Data, status: Int = 200) -> LoopbackResponse {
    self.data(data, contentType: "application/json", status: status)
  }

  /// Creates a response with a value encoded as JSON.
  ///
  /// - Parameters:
  ///   - value: The value. If it cannot be encoded, the status is 500 and the body is the reason.
  ///   - status: The status code. Default: 200.
  ///   - coding: The rules for JSON. Default: ``/Heliograph/JSONCoding``, as for a client.
  /// - Returns: The response, of type `application/json`.
  public static func json(
    _ value: some Encodable, status: Int = 200, coding: JSONCoding = JSONCoding()
  ) -> LoopbackResponse {
    do {
      return json(try coding.makeEncoder().encode(value), status: status)
    } catch {
      return text("the response cannot be encoded: \(error)", status: 500)
    }
  }

  /// Creates a response with a plain text body in UTF-8.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - status: The status code. Default: 200.
  /// - Returns: The response, of type `text/plain; charset=utf-8`.
  public static func text(_ text: String, status: Int = 200) -> LoopbackResponse {
    data(Data(text.utf8), contentType: "text/plain; charset=utf-8", status: status)
  }

  /// Creates a response with a body of any type; its bytes are written without a copy.
  ///
  /// - Parameters:
  ///   - data: The body.
  ///   - contentType: The media type. Default: `application/octet-stream`.
  ///   - status: The status code. Default: 200.
  /// - Returns: The response.
  public static func data(
    _ data: Data, contentType: String = "application/octet-stream", status: Int = 200
  ) -> LoopbackResponse {
    LoopbackResponse(content: .whole(data), status: status, contentType: contentType)
  }

  /// Creates a response with the content of a file as its body, such as a fixture of the test bundle.
  ///
  /// - Parameters:
  ///   - url: The file, which is read immediately. If it cannot be read, the status is 500 and the body is the reason.
  ///   - contentType: The media type. Default: derived from the file name extension.
  ///   - status: The status code. Default: 200.
  /// - Returns: The response.
  public static func file(_ url: URL, contentType: String? = nil, status: Int = 200) -> LoopbackResponse {
    do {
      let type = contentType ?? MultipartMediaType.ofFile(named: url.lastPathComponent)
      return data(try Data(contentsOf: url), contentType: type, status: status)
    } catch {
      return text("cannot read the file \(url.path): \(error)", status: 500)
    }
  }

  /// Creates a response without a body: `Content-Length: 0`, or no length if the status forbids one (1xx, 204, 304).
  public static func status(_ code: Int) -> LoopbackResponse {
    LoopbackResponse(content: .whole(Data()), status: code)
  }

  /// Creates a redirect response without a body.
  ///
  /// - Parameters:
  ///   - location: The value of `Location`, absolute or relative.
  ///   - status: The status code. Default: 302.
  /// - Returns: The response.
  public static func redirect(to location: String, status: Int = 302) -> LoopbackResponse {
    self.status(status).header("Location", location)
  }

  /// Creates a response in the chunked transfer coding (RFC 9112 §7.1), as `application/octet-stream`.
  ///
  /// An HTTP/1.0 client, which does not support chunks, receives the same bytes without chunk framing, followed by a
  /// close.
  ///
  /// - Parameters:
  ///   - chunks: The chunks. Empty ones are omitted, because an empty chunk marks the end.
  ///   - interval: The time between two chunks. The first chunk is sent with the head. Default: zero.
  /// - Returns: The response.
  public static func chunked(_ chunks: [Data], every interval: Duration = .zero) -> LoopbackResponse {
    LoopbackResponse(content: .chunks(chunks, every: interval), contentType: "application/octet-stream")
  }

  /// Creates a response in chunks of text, sent as UTF-8.
  ///
  /// - Parameters:
  ///   - chunks: The chunks. Empty ones are omitted.
  ///   - interval: The time between two chunks. Default: zero.
  /// - Returns: The response.
  public static func chunked(_ chunks: [String], every interval: Duration = .zero) -> LoopbackResponse {
    chunked(chunks.map { Data($0.utf8) }, every: interval)
  }

  /// A response that is never sent: the connection stays open until the client closes it or the server stops.
  public static var never: LoopbackResponse { script([.hold]) }

  /// Creates a response from actions, which also write the status line and the header fields.
  ///
  /// A script that ends without `close`, `reset` or `hold` keeps the connection open for the next request, unless the
  /// client has requested a close. Of `header(_:_:)`, only `Connection: close` has an effect on a script.
  /// `cut(afterBodyByteCount:)` and `resetting(afterBodyByteCount:)` count its bytes from the first.
  ///
  /// - Parameter steps: The actions in order.
  /// - Returns: The response.
  public static func script(_ steps: [Step]) -> LoopbackResponse {
    LoopbackResponse(content: .script(steps))
  }

  /// Returns this response with its first byte delayed; a second call adds to the delay.
  ///
  /// - Parameter duration: The time from the route's return, at most one day. If the client closes, the delay ends
  ///   immediately.
  /// - Returns: The changed response.
  public func delayed(by duration: Duration) -> LoopbackResponse {
    with { $0.delay += duration }
  }

  /// Returns this response with one more header field, even if a field of that name was added before.
  ///
  /// - Parameters:
  ///   - name: The name of the field, written unchanged.
  ///   - value: The value of the field, written unchanged.
  /// - Returns: The changed response.
  public func header(_ name: String, _ value: String) -> LoopbackResponse {
    with { $0.headers.add(value, for: name) }
  }

  /// Returns this response with `Connection: close`; the server closes the connection after the last byte.
  public func closing() -> LoopbackResponse {
    with { $0.closes = true }
  }

  /// Returns this response truncated by an RST.
  ///
  /// - Parameter byteCount: The number of bytes of the serialized response, including its head, that reach the client
  ///   before the RST. If it exceeds the length of the response, all bytes are sent before the RST.
  /// - Returns: The changed response.
  public func resetting(afterByteCount byteCount: Int) -> LoopbackResponse {
    with { $0.limit = Limit(byteCount: max(0, byteCount), last: .reset) }
  }

  /// Returns this response truncated by an orderly close (FIN).
  ///
  /// - Parameter byteCount: The number of bytes of the serialized response, including its head, that are written before
  ///   the FIN. If it exceeds the length of the response, all bytes are written.
  /// - Returns: The changed response.
  public func cut(afterByteCount byteCount: Int) -> LoopbackResponse {
    with { $0.limit = Limit(byteCount: max(0, byteCount), last: .close) }
  }

  /// Returns this response truncated by an RST after bytes of its body, which reach the client; chunks count with their
  /// framing.
  public func resetting(afterBodyByteCount byteCount: Int) -> LoopbackResponse {
    with { $0.limit = Limit(byteCount: max(0, byteCount), isOfBody: true, last: .reset) }
  }

  /// Returns this response truncated by an orderly close (FIN) after bytes of its body; chunks count with their
  /// framing.
  public func cut(afterBodyByteCount byteCount: Int) -> LoopbackResponse {
    with { $0.limit = Limit(byteCount: max(0, byteCount), isOfBody: true, last: .close) }
  }

  private func with(_ change: (inout LoopbackResponse) -> Void) -> LoopbackResponse {
    var changed = self
    change(&changed)
    return changed
  }
}
