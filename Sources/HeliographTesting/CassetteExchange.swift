import Foundation
import Heliograph

/// A recorded exchange without secrets.
struct CassetteExchange: Codable, Sendable {
  /// The properties of a request that identify its recorded exchange.
  struct Key: Codable, Sendable, Hashable {
    let method: String
    let url: String
    /// The body as ``CassetteText``, or the description of a stream.
    let body: String
    /// The `Range` field; `nil` without one, and in a file of an earlier version.
    var range: String?

    var withoutRange: Key { Key(method: method, url: url, body: body) }

    /// The properties as they are compared: neither the order of the members of JSON nor that of query items with
    /// different names makes a difference.
    var compared: Key {
      let json = body.mayHaveRoundedNumber ? nil : body.bodyJSON?.description
      return Key(method: method, url: url.sortingQueryItems, body: json ?? body, range: range)
    }
  }

  struct Field: Codable, Sendable {
    let name: String
    let value: String
  }

  let request: Key
  /// The number of the request, in the order of sending; `nil` in a file of an earlier version.
  let number: Int?
  /// The number of an exchange whose request has the same secrets, which are not stored; `nil` if the request
  /// has none.
  let variant: Int?
  let status: Int
  let url: String
  let headers: [Field]
  /// Whether the exchange was cancelled before it completed; `nil` if not.
  let isPartial: Bool?
  /// Whether the end of a cut body was left out, because secrets are not recognized in it; `nil` if not.
  let omitsEnd: Bool?
  private let text: String

  /// Creates the exchange with the placeholders of its secrets.
  init(
    _ key: Key, number: Int, variant: Int?, _ head: HTTPResponse, _ received: Data, isPartial: Bool = false,
    _ placeholders: inout CassettePlaceholders
  ) {
    let body = isPartial ? received.recognizablePart(isEventStream: head.headers.isEventStream) : received
    request = key
    self.number = number
    self.variant = variant
    self.isPartial = isPartial ? true : nil
    omitsEnd = body.count < received.count ? true : nil
    status = head.statusCode
    let common = placeholders.common
    let redaction = SecretRedaction(placeholder: common, keepingTypes: true, keepingCodes: head.statusCode >= 400)
    let address = head.url.absoluteString
    url = placeholders.text(redaction.address(address), of: address)
    text = placeholders.body(CassetteText.text(body, head.headers["Content-Type"], redaction), of: body)
    var fields = head.headers
    let stored = CassetteText.body(text)
    if stored != body {
      // Removes the fields that describe the original body.
      for name in ["Content-MD5", "Digest", "Repr-Digest", "Content-Digest"] { fields[name] = nil }
      // A response to HEAD has no body at all.
      if fields["Content-Length"] != nil { fields["Content-Length"] = "\(stored.count)" }
    }
    headers = fields.map { field in
      guard let cookie = field.recordedCookie(at: Date()) else {
        let redacted = redaction.addresses(of: field) ?? field.redactedValue(with: common)
        return Field(name: field.name, value: placeholders.text(redacted, of: field.value))
      }
      let redacted = (cookie.value.isEmpty ? "" : common) + redaction.text(cookie.attributes)
      let value = placeholders.text(redacted, of: cookie.value + cookie.attributes)
      return Field(name: field.name, value: "\(cookie.name)=\(value)")
    }
  }

  var body: Data { CassetteText.body(text) }

  /// Whether the response has a status of 2xx and was cut, but is not an event stream, which has no other end.
  var isCutSuccess: Bool { isPartial == true && status < 300 && !fields.isEventStream }

  private var fields: HTTPHeaders { HTTPHeaders(headers.map { HTTPHeaders.Field(name: $0.name, value: $0.value) }) }

  func head(of request: HTTPRequest) -> HTTPResponse {
    HTTPResponse(statusCode: status, headers: fields, url: URL(string: url) ?? request.url)
  }
}

extension String {
  /// The URL with the items of its query sorted by their names; those with the same name keep their order.
  fileprivate var sortingQueryItems: String {
    let end = utf8.firstIndex(of: UInt8(ascii: "#")) ?? utf8.endIndex
    guard let mark = utf8[..<end].firstIndex(of: UInt8(ascii: "?")) else { return self }
    let start = utf8.index(after: mark)
    let items = utf8[start..<end].split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
    let name = { (item: Substring.UTF8View) in item.prefix { $0 != UInt8(ascii: "=") } }
    let sorted = items.sorted { name($0).lexicographicallyPrecedes(name($1)) }
    return self[..<start] + sorted.map { String(Substring($0)) }.joined(separator: "&") + self[end...]
  }
}

extension Data {
  /// The part of a cut body in which secrets are recognized: its complete events or lines of JSON, or a whole JSON
  /// text; a secret may precede its name, which has not been received then, as in `[{"value":"abc","na`.
  fileprivate func recognizablePart(isEventStream: Bool) -> Data {
    if isEventStream { return completeEvents }
    if (try? JSON(data: self)) != nil { return self }
    let lines = self[..<(lastIndex(of: 0x0A).map { index(after: $0) } ?? startIndex)]
    let text = String(validating: lines, as: UTF8.self)
    return text.flatMap { SecretRedaction().redactedLines($0) } == nil ? Data() : lines
  }

  /// The events of an event stream without an incomplete last one.
  fileprivate var completeEvents: Data {
    let ends = ["\n\n", "\r\n\r\n", "\r\r"].compactMap {
      range(of: Data($0.utf8), options: .backwards)?.upperBound
    }
    return self[..<(ends.max() ?? startIndex)]
  }
}

extension String {
  /// Whether JSON has a number of 17 digits and points, which may be rounded when it is read; texts are exact.
  fileprivate var mayHaveRoundedNumber: Bool {
    var (count, isText, isEscaped) = (0, false, false)
    for byte in utf8 {
      let isQuote = byte == UInt8(ascii: "\"") && !isEscaped
      if isQuote { isText.toggle() }
      isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
      count = !isText && "0123456789.".utf8.contains(byte) ? count + 1 : 0
      if count == 17 { return true }
    }
    return false
  }
}
