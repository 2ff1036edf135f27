import Foundation
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

@testable import Heliograph
@testable import HeliographInspector

/// An entry of a record, without a client.
struct HAREntryWriterTests {
  private let start = Date(timeIntervalSince1970: 1_700_000_000.25)
  private var record: ExchangeRecord

  init() throws {
    let url = try require(URL(string: "https://api.example/items?q=a%20b&token=abc"))
    let request = HTTPRequest(url: url, headers: ["Authorization": "Bearer abc", "Accept": "text/plain"])
    record = ExchangeRecord(number: 1, request, bodyLimit: 100, at: start)
    record.wasSent = true
    record.sentAt = start
    record.endedAt = start + 1
    record.outcome = .success
  }

  private mutating func respond(_ body: String, _ headers: HTTPHeaders = ["Content-Type": "application/json"]) {
    record.response = HTTPResponse(statusCode: 200, headers: headers, url: record.request.url)
    record.responseBody = .init(Data(body.utf8), limit: 100)
    record.responseByteCount = body.utf8.count
    record.source = .network
  }

  private func entry(_ record: ExchangeRecord, includingSecrets: Bool = false) throws -> JSON {
    var writer = HAREntryWriter(includingSecrets: includingSecrets)
    writer.append(record, isFirst: true, at: start)
    let text = HAREntryWriter.opening(at: start) + writer.take() + Array(HAREntryWriter.closing.utf8)
    return try require(HARDocument(Data(text)).entries.first)
  }

  @Test("P12") mutating func hasRequestAndResponse() throws {
    respond(#"{"name":"Lamp"}"#)
    let entry = try entry(record)
    expectEqual(entry["startedDateTime"].string, "2023-11-14T22:13:20.250Z")
    expectEqual(entry["time"].double, 1_000)
    expectEqual(entry["request"]["method"].string, "GET")
    expectEqual(entry["request"]["headers"][1]["value"].string, "text/plain")
    expectEqual(entry["request"]["queryString"][0]["value"].string, "a b")
    expectEqual(entry["response"]["status"].int, 200)
    expectEqual(entry["response"]["content"]["text"].string, #"{"name":"Lamp"}"#)
    expectEqual(entry["response"]["content"]["size"].int, 15)
    expectEqual(entry["_attempt"].int, 1)
    expectEqual(entry["_requestId"].string, "\(record.requestID)")
  }

  @Test("P12") mutating func secretsAreRedacted() throws {
    respond(#"{"token":"abc","name":"Lamp"}"#, ["Content-Type": "application/json", "Set-Cookie": "sid=abc"])
    record.request.body = .data(Data("name=x&password=abc".utf8))
    record.request.headers["Content-Type"] = "application/x-www-form-urlencoded"
    record.requestBody = .init(Data("name=x&password=abc".utf8), limit: 100)
    record.response?.headers.add("https://a.example/?token=abc", for: "Location")
    record.response?.statusCode = 302
    let entry = try entry(record)
    expect(!entry.description.contains("abc"), "\(entry)")
    expectEqual(entry["request"]["url"].string, "https://api.example/items?q=a%20b&token=redacted")
    expectEqual(entry["request"]["postData"]["text"].string, "name=x&password=<redacted>")
    expectEqual(entry["response"]["redirectURL"].string, "https://a.example/?token=redacted")
    let open = try self.entry(record, includingSecrets: true)
    expect(open["request"]["url"].string?.hasSuffix("token=abc") == true)
    expectEqual(open["request"]["headers"][0]["value"].string, "Bearer abc")
    expectEqual(open["response"]["content"]["text"].string, #"{"token":"abc","name":"Lamp"}"#)
  }

  /// The same places as for all other texts, in the file and on the page.
  @Test("P12") func noPlaceOfASecretIsShown() throws {
    for place in SecretPlace.all where place.reason.isEmpty {
      let request = try require(place.request)
      let response = place.response(to: request)
      var record = ExchangeRecord(number: 1, request, bodyLimit: 65_536, at: start)
      (record.wasSent, record.sentAt, record.endedAt) = (true, start, start + 1)
      record.requestBody = .init(request.bodyData, limit: 65_536)
      record.response = response.head
      record.responseBody = .init(response.value, limit: 65_536)
      let message = "Unknown token=\(place.secret)"
      record.outcome = .failure(NetworkError(.status(500), message: message, request: request, response: response))
      let details = InspectorDetails(
        InspectorEntry(key: 1, content: .exchange(record)), InspectorText(isRedacted: true), at: start)
      let texts = [try entry(record).description, "\(details)"]
      for text in texts where text.contains(place.secret) { Issue.record("\(place): \(text.prefix(2_000))") }
    }
  }

  @Test("P12") mutating func bodiesThatCannotBeRedactedAreLeftOut() throws {
    respond("<p>hello</p>", ["Content-Type": "text/html"])
    let content = try entry(record)["response"]["content"]
    expectNil(content["text"].string)
    expectEqual(content["comment"].string, "left out: 12 bytes; only forms and JSON objects or arrays can be redacted")
    expectEqual(try entry(record, includingSecrets: true)["response"]["content"]["text"].string, "<p>hello</p>")
  }

  @Test("P12", arguments: ["\"hunter2\"", "123456"]) mutating func aLoneValueIsLeftOut(_ text: String) throws {
    respond(text)
    expectNil(try entry(record)["response"]["content"]["text"].string)
    expectEqual(try entry(record, includingSecrets: true)["response"]["content"]["text"].string, text)
  }

  @Test mutating func aLongBodyIsLeftOutOrCut() throws {
    respond("\"" + String(repeating: "é", count: 100) + "\"")
    let redacted = try entry(record)["response"]["content"]
    expectNil(redacted["text"].string)
    expectEqual(redacted["comment"].string, "left out: 202 bytes, over the limit of 100 for redacted bodies")
    let open = try entry(record, includingSecrets: true)["response"]["content"]
    // The limit is in the middle of a character.
    expectEqual(open["text"].string?.count, 50)
    expectEqual(open["comment"].string, "cut at 100 of 202 bytes")
  }

  @Test mutating func aBinaryBodyIsInBase64() throws {
    respond("")
    record.responseBody = .init(Data([0xFF, 0xD8, 0xFF]), limit: 100)
    record.responseByteCount = 3
    let content = try entry(record, includingSecrets: true)["response"]["content"]
    expectEqual(content["encoding"].string, "base64")
    expectEqual(content["text"].string, "/9j/")
  }

  @Test mutating func sizesAreThoseOnTheWire() throws {
    respond(#"{"name":"Lamp"}"#, ["Content-Encoding": "gzip", "Content-Length": "10"])
    record.metrics = Metrics(endedAt: .seconds(1))
    record.metrics?.startedAt = .zero
    record.metrics?.sentByteCount = 80
    record.metrics?.receivedByteCount = 130
    record.metrics?.protocolVersion = "HTTP/2"
    let entry = try entry(record)
    expectEqual(entry["request"]["headersSize"].int, 80)
    expectEqual(entry["request"]["bodySize"].int, 0)
    expectEqual(entry["response"]["headersSize"].int, 120)
    expectEqual(entry["response"]["bodySize"].int, 10)
    expectEqual(entry["response"]["content"]["compression"].int, 5)
    expectEqual(entry["response"]["_transferSize"].int, 130)
    expectEqual(entry["response"]["httpVersion"].string, "HTTP/2.0")
  }

  /// As `URLSession` counts on Linux, after it has removed the content coding.
  @Test(arguments: [false, true], ["", "name=x"])
  mutating func aTransportThatCountsBodiesOnlyHasNoHeads(_ isCoded: Bool, _ body: String) throws {
    respond(#"{"name":"Lamp"}"#, isCoded ? ["Content-Encoding": "gzip", "Content-Length": "10"] : [:])
    if !body.isEmpty {
      record.request.body = .data(Data(body.utf8))
      record.requestBody = .init(Data(body.utf8), limit: 100)
    }
    record.metrics = Metrics(endedAt: .seconds(1))
    record.metrics?.startedAt = .zero
    record.metrics?.sentByteCount = body.utf8.count
    record.metrics?.receivedByteCount = 15
    let entry = try entry(record)
    expectEqual(entry["request"]["headersSize"].int, -1)
    expectEqual(entry["request"]["bodySize"].int, body.utf8.count)
    expectEqual(entry["response"]["headersSize"].int, -1)
    expectEqual(entry["response"]["bodySize"].int, isCoded ? 10 : 15)
    expectEqual(entry["response"]["_transferSize"].int, -1)
  }

  @Test mutating func aResponseBeforeTheEndOfTheUploadHasASize() throws {
    respond("{}")
    record.request.body = .data(Data(count: 500))
    record.requestBody = .init(Data(count: 500), limit: 1_000)
    record.metrics = Metrics(endedAt: .seconds(1))
    record.metrics?.startedAt = .zero
    record.metrics?.sentByteCount = 300
    record.metrics?.receivedByteCount = 132
    let entry = try entry(record)
    expectEqual(entry["request"]["headersSize"].int, -1)
    expectEqual(entry["response"]["headersSize"].int, 130)
    expectEqual(entry["response"]["_transferSize"].int, 132)
  }

  /// A server has received it twice.
  @Test(arguments: [0, 1]) mutating func aRequestThatTheTransportResentSaysSo(_ count: Int) throws {
    respond("{}")
    record.metrics = Metrics(endedAt: .seconds(1), resendCount: count)
    expectEqual(try entry(record)["_resendCount"].int, count == 0 ? nil : 1)
  }

  @Test mutating func aResponseFromTheCacheHasNoSizes() throws {
    respond("{}")
    record.source = .cache(age: .seconds(3))
    record.cacheEvents = [.hit(age: .seconds(3))]
    let entry = try entry(record)
    expectEqual(entry["_fromCache"].string, "memory")
    expectEqual(entry["cache"]["comment"].string, "cache hit, 3 s old")
    expectEqual(entry["response"]["bodySize"].int, 0)
  }

  /// The body is the stored one, the measured exchange is that of the 304.
  @Test(arguments: [20, 2_000]) mutating func aRevalidatedResponseHasNoBodyOnTheWire(_ byteCount: Int) throws {
    respond(String(repeating: "1", count: byteCount))
    record.source = .revalidated
    record.metrics = Metrics(endedAt: .seconds(1))
    record.metrics?.startedAt = .zero
    record.metrics?.sentByteCount = 80
    record.metrics?.receivedByteCount = 150
    let response = try entry(record)["response"]
    expectEqual(response["bodySize"].int, 0)
    expectEqual(response["headersSize"].int, 150)
    expectEqual(response["content"]["size"].int, byteCount)
    expect(response["content"]["compression"].int == nil)
  }

  @Test mutating func aFailureHasStatusZero() throws {
    record.outcome = .failure(NetworkError(.timedOut, reason: "idle timeout", request: record.request))
    let response = try entry(record)["response"]
    expectEqual(response["status"].int, 0)
    expectEqual(response["headersSize"].int, -1)
    expect(response["_error"].string?.contains("idle timeout") == true)
    record.outcome = .cancelled
    expectEqual(try entry(record)["response"]["_error"].string, "cancelled")
    (record.outcome, record.isFollowed) = (nil, true)
    expectEqual(try entry(record)["response"]["_error"].string, "failed; sent again by middleware")
  }

  @Test mutating func streamedBodiesAreLeftOut() throws {
    respond("")
    record.responseBody = nil
    record.responseByteCount = 1_000_000
    record.request.body = .file(URL(fileURLWithPath: "/a/photo.jpg"))
    let entry = try entry(record)
    expectEqual(entry["response"]["content"]["comment"].string, "left out: streamed to the app")
    expectEqual(entry["request"]["postData"]["comment"].string, "left out: file photo.jpg")
  }

  @Test mutating func followingEntriesBeginWithAComma() {
    var writer = HAREntryWriter(includingSecrets: false)
    writer.append(record, isFirst: true, at: start)
    writer.append(record, isFirst: false, at: start)
    let text = String(decoding: writer.take(), as: UTF8.self)
    expectEqual(text.split(separator: "\n").count, 2)
    expect(text.contains("},\n{"))
    expect(writer.bytes.isEmpty)
  }
}
