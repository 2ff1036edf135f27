import Foundation
import Heliograph
import HeliographTesting

/// The server's answer in an exchange.
struct Answer: Sendable {
  private enum Form: Sendable {
    case fields(HTTPHeaders, body: String?, hasDate: Bool)
    case raw(String, closes: Bool)
    case closed
  }

  let status: Int
  private let form: Form

  /// Creates an answer with a length, a `Date`, and the number of its exchange in the field `Exchange-Number`.
  ///
  /// - Parameters:
  ///   - status: the status. Default: 200.
  ///   - headers: the header fields. A `Date` and a `Content-Length` replace the automatic ones.
  ///   - body: the body. Default: a text with the number of the exchange; none if the status forbids one.
  ///   - hasDate: whether a `Date` is added if there is none; it is the time of the case's clock. Default: `true`.
  init(_ status: Int = 200, headers: HTTPHeaders = [:], body: String? = nil, hasDate: Bool = true) {
    self.status = status
    form = .fields(headers, body: body, hasDate: hasDate)
  }

  private init(status: Int, _ form: Form) {
    self.status = status
    self.form = form
  }

  /// The connection is closed without a response.
  static let closed = Answer(status: 0, .closed)

  /// Creates an answer from its text, with line feeds for CRLF.
  ///
  /// - Parameters:
  ///   - text: status line, fields and body.
  ///   - status: the status of the final response in the text. Default: 200.
  ///   - closes: whether the connection is closed afterwards. Default: `false`.
  /// - Returns: the answer.
  static func raw(_ text: String, status: Int = 200, closes: Bool = false) -> Answer {
    Answer(status: status, .raw(text, closes: closes))
  }

  /// Whether the connection is closed without a response, after which a transport may try another connection.
  var isClosed: Bool { if case .closed = form { true } else { false } }

  /// Returns the body of the answer to a GET; `nil` for a raw answer.
  func body(number: Int) -> String? {
    guard case .fields(_, let body, _) = form else { return nil }
    return body ?? (isBodiless ? "" : "answer \(number)")
  }

  private var isBodiless: Bool { status < 200 || status == 204 || status == 304 }

  /// Returns what the server writes.
  func response(number: Int, expand: (String) -> String) -> LoopbackResponse {
    switch form {
    case .closed: return .script([.close])
    case .raw(let text, let closes):
      let bytes = Data(expand(text).replacingOccurrences(of: "\n", with: "\r\n").utf8)
      return .script(closes ? [.bytes(bytes), .close] : [.bytes(bytes)])
    case .fields(let headers, _, let hasDate):
      var response = LoopbackResponse.status(status)
      if !isBodiless {
        let text = Data((body(number: number) ?? "").utf8)
        response = .data(text, contentType: headers["Content-Type"] ?? "text/plain", status: status)
      }
      if hasDate, headers["Date"] == nil { response = response.header("Date", expand("{now}")) }
      if status != 304 { response = response.header("Exchange-Number", "\(number)") }
      for field in headers where field.name != "Content-Type" || isBodiless {
        response = response.header(field.name, expand(field.value))
      }
      return response
    }
  }
}
