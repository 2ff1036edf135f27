import Foundation
import Heliograph

/// A serializer of exchange records as entries of a HAR 1.2 file.
///
/// The whole file is an opening, the entries separated by commas, and ``closing``. Names with an underscore are
/// extensions, which other tools ignore: `_fromCache` and `_transferSize` are those of Chrome.
///
/// Source: http://www.softwareishard.com/blog/har-12-spec/
struct HAREntryWriter: Sendable {
  /// The size of each opening in bytes.
  static let openingByteCount = opening(at: Date(timeIntervalSince1970: 0)).count
  static let closing = "\n]}}\n"

  /// Returns the beginning of a file of the exchanges since a date: Safari refuses files without a page.
  static func opening(at date: Date) -> [UInt8] {
    var writer = HAREntryWriter(includingSecrets: false)
    writer.raw(#"{"log":{"version":"1.2","creator":{"name":"Heliograph","version":"1.0"},"pages":[{"#)
    writer.raw(#""startedDateTime":""#)
    writer.appendTime(of: date)
    writer.raw(#"","id":"page_1","title":"Heliograph","pageTimings":{}}],"entries":["#)
    return writer.bytes
  }

  let includesSecrets: Bool
  private(set) var bytes: [UInt8] = []
  private var fields: HARFields
  private var second = (number: Int64.min, text: "")

  init(includingSecrets includesSecrets: Bool) {
    self.includesSecrets = includesSecrets
    fields = HARFields(includingSecrets: includesSecrets)
  }

  /// Removes and returns the first bytes; by default all of them.
  mutating func take(_ byteCount: Int? = nil) -> [UInt8] {
    guard let byteCount, byteCount < bytes.count else {
      defer { bytes.removeAll(keepingCapacity: bytes.capacity <= 1_048_576) }
      return bytes
    }
    defer { bytes.removeFirst(byteCount) }
    return Array(bytes.prefix(byteCount))
  }

  /// Appends an entry on a line of its own, after a comma if it is not the first; an exchange in flight is described up
  /// to `now`.
  mutating func append(_ record: ExchangeRecord, isFirst: Bool, at now: Date) {
    let timings = HARTimings(ExchangePhases(of: record, at: now))
    let sizes = HARSizes(record)
    raw(isFirst ? "\n{\"startedDateTime\":\"" : ",\n{\"startedDateTime\":\"")
    appendTime(of: record.startedAt)
    raw(#"","time":"#)
    bytes.appendMilliseconds(timings.total)
    appendRequest(record, sizes)
    appendResponse(record, sizes)
    raw(#","cache":{"#)
    if !record.cacheEvents.isEmpty {
      string(#""comment":"#, record.cacheEvents.map(\.description).joined(separator: "; "))
    }
    raw(#"},"timings":{"#)
    timings.append(to: &bytes)
    number(#"},"_requestId":""#, Int(clamping: record.requestID.rawValue))
    number(#"","_attempt":"#, record.attempt)
    if let count = record.metrics?.resendCount, count > 0 { number(#","_resendCount":"#, count) }
    appendSource(record)
    raw("}")
  }

  private mutating func raw(_ text: StaticString) { bytes.append(text) }

  private mutating func raw(verbatim text: String) { bytes.append(contentsOf: text.utf8) }

  private mutating func number(_ name: StaticString, _ number: Int) {
    bytes.append(name)
    bytes.append(decimal: number)
  }

  private mutating func string(_ name: StaticString, _ text: String) {
    bytes.append(name)
    bytes.appendJSON(text)
  }

  /// Appends a time in UTC with milliseconds; entries of the same second reuse its text.
  private mutating func appendTime(of date: Date) {
    let time = Int64(exactly: (date.timeIntervalSince1970 * 1_000).rounded(.down)) ?? 0
    let number = time >= 0 ? time / 1_000 : 0
    if number != second.number {
      second = (number, String((ISO8601.text(number * 1_000) ?? "1970-01-01T00:00:00Z").dropLast()))
    }
    raw(verbatim: second.text)
    raw(".")
    bytes.append(thousandths: Int(max(0, time) % 1_000))
    raw("Z")
  }

  private mutating func appendRequest(_ record: ExchangeRecord, _ sizes: HARSizes) {
    let request = record.request
    let url = addressText(request.url)
    string(#","request":{"method":"#, request.method.rawValue)
    string(#","url":"#, url)
    appendCommon(request.headers, record)
    raw(#","queryString":["#)
    appendQuery(of: url)
    number(#"],"headersSize":"#, sizes.requestHead)
    number(#","bodySize":"#, sizes.requestBody)
    let type = request.body == .empty ? nil : request.headers["Content-Type"]
    if let body = HARBody.request(of: record, contentType: type, includingSecrets: includesSecrets) {
      string(#","postData":{"mimeType":"#, mediaType(type) ?? "")
      string(#","text":"#, body.text ?? "")
      if let comment = body.comment { string(#","comment":"#, comment) }
      raw("}")
    }
    raw("}")
  }

  /// Returns a `Content-Type` as its field is shown.
  private func mediaType(_ type: String?) -> String? {
    includesSecrets ? type : type.map { HTTPHeaders.Field(name: "Content-Type", value: $0).redactedValue }
  }

  private mutating func appendResponse(_ record: ExchangeRecord, _ sizes: HARSizes) {
    number(#","response":{"status":"#, record.response?.statusCode ?? 0)
    raw(#","statusText":"""#)
    appendCommon(record.response?.headers ?? [:], record)
    number(#","content":{"size":"#, record.responseByteCount)
    let type = record.response?.headers["Content-Type"]
    string(#","mimeType":"#, mediaType(type) ?? "x-unknown")
    if let compression = sizes.compression { number(#","compression":"#, compression) }
    let body = HARBody.response(of: record, contentType: type, includingSecrets: includesSecrets)
    if let body { append(body) }
    string(#"},"redirectURL":"#, redirectURL(of: record))
    number(#","headersSize":"#, sizes.responseHead)
    number(#","bodySize":"#, sizes.responseBody)
    number(#","_transferSize":"#, sizes.transfer)
    if let problem = record.problem { string(#","_error":"#, problem) }
    raw("}")
  }

  /// Appends the version and the header fields, which include the cookies.
  private mutating func appendCommon(_ headers: HTTPHeaders, _ record: ExchangeRecord) {
    raw(#","httpVersion":""#)
    let version = record.successor == nil ? record.metrics?.protocolVersion : nil
    // The name in Chrome's files.
    raw(verbatim: version == "HTTP/2" ? "HTTP/2.0" : version ?? "unknown")
    raw(#"","cookies":[],"headers":["#)
    fields.append(headers, to: &bytes)
    raw("]")
  }

  private mutating func append(_ body: HARBody) {
    if let text = body.text { string(#","text":"#, text) }
    if body.isBase64 { raw(#","encoding":"base64""#) }
    if let comment = body.comment { string(#","comment":"#, comment) }
  }

  private mutating func appendQuery(of url: String) {
    var url = url
    guard url.withUTF8({ $0.contains(UInt8(ascii: "?")) }) else { return }
    let address = url.prefix { $0 != "#" }
    guard let questionMark = address.firstIndex(of: "?") else { return }
    for (index, pair) in address[address.index(after: questionMark)...].split(separator: "&").enumerated() {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map { $0.removingPercentEncoding ?? String($0) }
      string(index > 0 ? #",{"name":"# : #"{"name":"#, parts.first ?? "")
      string(#","value":"#, parts.dropFirst().first ?? "")
      raw("}")
    }
  }

  private mutating func appendSource(_ record: ExchangeRecord) {
    switch record.source {
    // Chrome writes "memory" or "disk"; the default cache is in memory.
    case .cache: raw(#","_fromCache":"memory""#)
    case .revalidated: raw(#","_source":"revalidated""#)
    case .shared: raw(#","_source":"shared","comment":"received by the exchange of an identical request""#)
    case .network, nil: if !record.wasSent { raw(#","_source":"none","comment":"never sent""#) }
    }
  }

  /// The URL as text; its secrets are replaced by a word that is valid in a URL.
  private func addressText(_ url: URL) -> String {
    includesSecrets ? url.absoluteString : url.absoluteString.redactingSecretParameters(with: "redacted")
  }

  private func redirectURL(of record: ExchangeRecord) -> String {
    if let successor = record.successor, successor.url != record.request.url { return addressText(successor.url) }
    guard let head = record.response, (300..<400).contains(head.statusCode) else { return "" }
    return head.headers.first { $0.name.lowercased() == "location" }
      .map { includesSecrets ? $0.value : $0.redactedValue(with: "redacted") } ?? ""
  }
}

extension ExchangeRecord {
  /// The error or the cancellation as text, without secrets; `nil` if the exchange succeeded or is in flight.
  fileprivate var problem: String? {
    switch outcome {
    case nil where isFollowed: "failed; sent again by middleware"
    case .success, nil: nil
    case .failure(let error): "\(error); attributed to: \(error.attribution)"
    case .cancelled: "cancelled"
    }
  }
}
