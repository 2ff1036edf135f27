import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import Synchronization
import TestSupport
import Testing

@testable import HeliographInspector

/// An inspector of real requests, read as its page reads it.
struct NetworkInspectorTests {
  private let server: LoopbackServer
  private let inspector: NetworkInspector
  private let page: InspectorPageOf
  private let client: NetworkClient

  init() throws {
    let server = try LoopbackServer()
    let inspector = try NetworkInspector()
    (self.server, self.inspector, page) = (server, inspector, InspectorPageOf(inspector: inspector))
    client = NetworkClient(baseURL: server.baseURL) { $0.monitors = [inspector] }
    server.route("GET", "/lamps") { _ in .json(#"[{"name":"<script>alert(1)</script>"}]"#) }
  }

  private func hasEnded(_ count: Int) -> ([JSON]) -> Bool {
    { rows in rows.count { $0["state"].string != "inFlight" } == count }
  }

  /// The details of an exchange.
  private func details(_ key: Int = 1) async throws -> JSON { try await page.get("exchange?key=\(key)").json() }

  @Test func eachRequestIsListedOnce() async throws {
    for _ in 0..<3 { _ = try await client.send("/lamps", as: JSON.self) }
    let rows = try await page.rows(until: hasEnded(3))
    expectEqual(rows.map { $0["status"].int }, [200, 200, 200])
    expectEqual(Set(rows.map { $0["request"].int }).count, 3)
    expectEqual(rows.first?["url"].string, server.url("/lamps").absoluteString)
    let phases = try require(rows.first?["phases"].array)
    expectEqual(phases.count, 7)
  }

  @Test func aRequestInFlightIsShownAndUpdated() async throws {
    let gate = CurrentValue(false)
    server.route("GET", "/slow") { _ async in
      _ = await gate.signal.filter { $0 }.first()
      return .json("[]")
    }
    let request = Task { [client] in try await client.send("/slow", as: JSON.self) }
    let before = try await page.rows { $0.count == 1 }
    expectEqual(before.first?["state"].string, "inFlight")
    expectEqual(before.first?["duration"].double, nil)
    gate.value = true
    _ = try await request.value
    let after = try await page.rows(until: hasEnded(1))
    expectEqual(after.first?["status"].int, 200)
  }

  @Test func aPageWaitsForAChange() async throws {
    _ = try await client.send("/lamps", as: JSON.self)
    let rows = try await page.rows(until: hasEnded(1))
    expectEqual(rows.count, 1)
    let revision = try require(try await page.changes()["revision"].int)
    let changes = Task { [page] in try await page.changes(after: revision) }
    let other = Task { [page] in try await page.changes(after: revision) }
    _ = try await client.send("/lamps", as: JSON.self)
    for task in [changes, other] {
      let rows = try await task.value["rows"].array
      expectEqual(rows?.map { $0["key"].int }, [2])
    }
  }

  @Test func attemptsBelongToTheirRequest() async throws {
    let count = Atomic(0)
    server.route("GET", "/busy") { _ in
      count.add(1, ordering: .relaxed).newValue == 1 ? .status(503).header("Retry-After", "0") : .json("[]")
    }
    var request = Request(.get, "/busy")
    request.options.retry = Retry(limit: 1, backoff: .none)
    _ = try await client.send(request, as: JSON.self)
    let rows = try await page.rows(until: hasEnded(2))
    expectEqual(rows.map { $0["attempt"].int }, [1, 2])
    expectEqual(Set(rows.map { $0["request"].int }).count, 1)
    expectEqual(rows.map { $0["state"].string }, ["failed", "success"])
    // That of the whole request stands at its end.
    try await expectNil(details(1)["explanation"].string)
    let explanation = try await details(2)["explanation"].string
    expect(explanation?.contains("/busy") == true && explanation?.contains("503") == true, "\(explanation ?? "none")")
  }

  @Test func detailsHaveBodiesAsTexts() async throws {
    let body = ["name": "lamp"]
    server.route("POST", "/lamps") { _ in .json(#"{"id":12345678901234567890,"html":"</script><b>"}"#, status: 201) }
    _ = try await client.send(Request(.post, "/lamps", body: .json(body)), as: JSON.self)
    _ = try await page.rows(until: hasEnded(1))
    let reply = try await page.get("exchange?key=1")
    expect(reply.head.contains("Content-Type: application/json"))
    let details = try reply.json()
    expectEqual(details["requestBody"]["text"].string, #"{"name":"lamp"}"#)
    expectEqual(details["responseBody"]["text"].string, #"{"id":12345678901234567890,"html":"</script><b>"}"#)
    expect(details["curl"].string?.hasPrefix("curl -X POST") == true)
    expectNil(details["error"].array)
  }

  @Test func anErrorHasItsAttribution() async throws {
    _ = try await client.failure(of: "/absent", as: JSON.self)
    let rows = try await page.rows(until: hasEnded(1))
    expectEqual(rows.first?["problem"].string, "server 404")
    let error = try require(try await details()["error"].array).map { $0.array?.first?.string }
    expectEqual(error, ["Error", "Message", "Attribution"])
  }

  @Test func aRequestThatWasNotBuiltIsListed() async throws {
    _ = try await client.failure(of: Request(.get, "https://user@api.example/"), as: JSON.self)
    let rows = try await page.rows(until: hasEnded(1))
    expectEqual(rows.first?["state"].string, "failed")
    expectEqual(rows.first?["status"].int, nil)
  }

  @Test func allExchangesAreExported() async throws {
    _ = try await client.failure(of: Request(.get, "https://user@api.example/"), as: JSON.self)
    for _ in 0..<2 { _ = try await client.send("/lamps", as: JSON.self) }
    _ = try await page.rows(until: hasEnded(3))
    let reply = try await page.get("har")
    expect(reply.head.contains("Content-Disposition: attachment"))
    // One that could not be built has no entry.
    expectEqual(try reply.json()["log"]["entries"].array?.count, 2)
  }

  @Test func secretsAreRedacted() async throws {
    server.route("POST", "/login") { _ in .json(#"{"token":"s3cret-d","ok":true}"#).header("Set-Cookie", "a=s3cret-e") }
    server.route("GET", "/page") { _ in .data(Data("<p>s3cret-f</p>".utf8), contentType: "text/html") }
    let headers: HTTPHeaders = ["Authorization": "Bearer s3cret-a"]
    let login = Request(
      .post, "/login?access_token=s3cret-b", headers: headers, body: .json(["password": "s3cret-c"]))
    func send(_ client: NetworkClient) async throws {
      _ = try await client.send(login, as: JSON.self)
      _ = try await client.send("/page", as: Data.self)
    }
    try await send(client)
    func text(_ page: InspectorPageOf) async throws -> String {
      _ = try await page.rows(until: hasEnded(2))
      var texts = ""
      for resource in ["changes?after=0", "exchange?key=1", "exchange?key=2", "har"] {
        texts += try await page.get(resource).text
      }
      return texts
    }
    let redacted = try await text(page)
    expect(!redacted.contains("s3cret"), Comment(rawValue: redacted))
    expect(redacted.contains("<redacted>"))
    let open = try NetworkInspector(includingSecrets: true)
    try await send(NetworkClient(baseURL: server.baseURL) { $0.monitors = [open] })
    let shown = try await text(InspectorPageOf(inspector: open))
    for letter in "abcdef" { expect(shown.contains("s3cret-\(letter)"), "\(letter)") }
  }

  @Test func aLargeBodyIsCutAtOnce() async throws {
    let limit = InspectorText.bodyByteLimit
    server.route("GET", "/large") { _ in .data(Data(count: limit + 10)) }
    _ = try await client.send("/large", as: Data.self)
    _ = try await page.rows(until: hasEnded(1))
    let comment = try await details()["responseBody"]["comment"].string
    expect(comment?.hasPrefix("\(limit + 10) bytes") == true, "\(comment ?? "none")")
  }

  @Test func withoutAPageTheLatestRequestsAreKept() async throws {
    let inspector = try NetworkInspector(exchangeLimit: 5)
    let client = NetworkClient(baseURL: server.baseURL) { $0.monitors = [inspector] }
    for _ in 0..<20 { _ = try await client.send("/lamps", as: JSON.self) }
    let page = InspectorPageOf(inspector: inspector)
    let rows = try await page.rows { $0.last?["status"].int == 200 && $0.count >= 5 }
    expectEqual(rows.count, 5)
    expect(rows.allSatisfy { $0["state"].string == "success" })
  }

  @Test func withoutAPageBodiesDoNotReplaceRequests() async throws {
    let inspector = try NetworkInspector(totalBodyByteLimit: 1_000)
    let client = NetworkClient(baseURL: server.baseURL) { $0.monitors = [inspector] }
    server.route("POST", "/lamps/*") { _ in .text(String(repeating: "r", count: 300)) }
    let body = RequestBody.data(Data(count: 300), contentType: "text/plain")
    for index in 1...10 { _ = try await client.send(Request(.post, "/lamps/\(index)", body: body), as: Data.self) }
    let page = InspectorPageOf(inspector: inspector)
    let rows = try await page.rows { rows in
      rows.last?["url"].string == server.url("/lamps/10").absoluteString && rows.last?["state"].string == "success"
    }
    expectEqual(rows.count, 10)
    expect(rows.allSatisfy { $0["state"].string == "success" })
    let first = try await page.get("exchange?key=1").json()
    expectEqual(first["responseBody"]["comment"].string, "300 bytes, not stored: over the limit for bodies")
    // The export says the same, and the sizes are those of the exchange.
    let exported = try await page.get("har").json()["log"]["entries"][0]
    expectEqual(exported["response"]["content"]["comment"].string, "left out: 300 bytes, over the limit for bodies")
    expectEqual(exported["request"]["postData"]["comment"].string, "left out: 300 bytes, over the limit for bodies")
    expectEqual([exported["request"], exported["response"]].map { $0["bodySize"].int }, [300, 300])
    try await expectEqual(page.get("exchange?key=10").json()["responseBody"]["text"].string, "<300 bytes>")
  }

  @Test func stopsAndForgets() async throws {
    _ = try await client.send("/lamps", as: JSON.self)
    let waiting = Task { [page] in try await page.changes(after: .max) }
    inspector.stop()
    inspector.stop()
    // No server of another test is given its port.
    _ = try LoopbackSocket.closedPort(page.port)
    // A client goes on.
    _ = try await client.send("/lamps", as: JSON.self)
    await #expect(throws: (any Error).self) { _ = try await waiting.value }
    await #expect(throws: (any Error).self) { _ = try await page.get() }
  }

  @Test func endsWithItsOwner() async throws {
    try await expectInARound {
      var inspector: NetworkInspector? = try NetworkInspector()
      let port = UInt16(try require(inspector?.url.port))
      let lost = WeakReference(inspector)
      inspector = nil
      expect(lost.value == nil)
      // The port is free again, unless the server of another test is given it.
      return (try? LoopbackServer(port: port)) != nil
    }
  }
}

private struct WeakReference {
  weak var value: NetworkInspector?

  init(_ value: NetworkInspector?) { self.value = value }
}
