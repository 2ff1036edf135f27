import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

@testable import HeliographInspector

/// A client with the monitor over a real socket, and the file that it writes.
struct HARMonitorTests {
  private let server: LoopbackServer
  private let folder: HARFolder

  init() throws {
    server = try LoopbackServer()
    folder = try HARFolder()
  }

  private func client(
    _ monitor: HARMonitor, _ adjust: (inout NetworkClient.Configuration) -> Void = { _ in }
  ) -> NetworkClient {
    var configuration = NetworkClient.Configuration(baseURL: server.baseURL)
    configuration.monitors = [monitor]
    configuration.retry = .never
    configuration.idleTimeout = .seconds(3_600)
    adjust(&configuration)
    return NetworkClient(configuration)
  }

  /// The entries, after checks that hold for all of them.
  private func document() throws -> HARDocument {
    let document = try HARDocument(folder.file)
    for entry in document.entries {
      let timings = entry["timings"]
      let phases = ["blocked", "dns", "connect", "send", "wait", "receive"].compactMap { timings[$0].double }
      let sum = phases.reduce(0) { $0 + max(0, $1) }
      expect(abs(sum - (entry["time"].double ?? -1)) < 0.000_1, "\(entry)")
    }
    return document
  }

  @Test("P12") func everyRequestOfTheServerIsOneEntry() async throws {
    server.route("GET", "/moved") { _ in .redirect(to: "/target") }
    server.route("GET", "/target") { _ in .json(#"{"a":1}"#) }
    server.route("GET", "/broken") { _ in .status(503) }
    server.route("GET", "/kept") { _ in .json("1").header("Cache-Control", "max-age=60") }
    let monitor = try HARMonitor(file: folder.file)
    let client = client(monitor) { configuration in
      configuration.retry = Retry(limit: 1, backoff: .constant(.zero))
    }
    _ = try await client.value(of: "/moved")
    _ = try? await client.value(of: "/broken")
    for _ in 0..<2 { _ = try await client.value(of: Request(.get, "/kept", cache: .http)) }
    await monitor.close()
    let document = try document()
    let network = document.entries.filter { $0["_fromCache"].string == nil }
    let urls = network.map { $0["request"]["url"].string }
    expectEqual(urls, server.log.requests.map { server.url($0.target).absoluteString })
    expectEqual(document.numbers("response.status"), [302, 200, 503, 503, 200, 200])
    expectEqual(document.numbers("_attempt"), [1, 1, 1, 2, 1, 1])
    expectEqual(document.texts("response.redirectURL").first, server.baseURL.absoluteString + "/target")
    expectEqual(document.texts("_fromCache"), [nil, nil, nil, nil, nil, "memory"])
  }

  @Test func phasesAndSizesAreKnown() async throws {
    server.route("GET", "/slow") { _ in .json(#"{"a":1}"#).delayed(by: .milliseconds(50)) }
    let monitor = try HARMonitor(file: folder.file)
    _ = try await client(monitor).value(of: "/slow")
    await monitor.close()
    let entry = try require(try document().entries.first)
    // On a busy machine the client notices late that it has sent the request, and its wait is shorter.
    expect((entry["timings"]["wait"].double ?? 0) > 0, "\(entry)")
    expect((entry["time"].double ?? 0) >= 50)
    expectEqual(entry["response"]["bodySize"].int, 7)
    guard TransportKind.isComplete else { return }
    expect((entry["timings"]["connect"].double ?? -1) >= 0)
    expect((entry["response"]["headersSize"].int ?? 0) > 20)
    expectEqual(entry["response"]["httpVersion"].string, "HTTP/1.1")
  }

  /// Of the two exchanges of a challenge only sums are known, as of a redirect chain.
  @Test func aDigestChallengeAndItsAnswerAreOneEntry() async throws {
    let challenge = #"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#
    server.route("POST", "/secret") { request in
      if request.header("Authorization") != nil { return .json(#"{"a":1}"#) }
      return .text("who is it?", status: 401).header("WWW-Authenticate", challenge).delayed(by: .milliseconds(50))
    }
    let origin = try require(Origin(server.baseURL))
    let monitor = try HARMonitor(file: folder.file)
    let client = client(monitor) { configuration in
      configuration.transport = DigestTransport(configuration.transport, origins: [origin]) { ("ada", "sesame") }
    }
    let request = Request(.post, "/secret", body: .data(Data("hello".utf8), contentType: "text/plain"))
    for _ in 0..<2 { _ = try await client.value(of: request) }
    await monitor.close()
    expectEqual(server.log.requests.count, 3)
    let document = try document()
    expectEqual(document.numbers("response.status"), [200, 200])
    expectEqual(document.numbers("request.bodySize"), [5, 5])
    expectEqual(document.numbers("response.bodySize"), [7, 7])
    expect((document.numbers("time").first.flatMap { $0 } ?? 0) >= 50)
    for path in ["request.headersSize", "response.headersSize", "response._transferSize"] {
      let sizes = document.numbers(path)
      expectEqual(sizes.first, -1, "\(path)")
      if TransportKind.isComplete { expect((sizes.last.flatMap { $0 } ?? 0) > 20, "\(path)") }
    }
  }

  @Test func failuresAndCancellationsAreEntries() async throws {
    server.route("GET", "/closed") { _ in .script([.reset]) }
    server.route("GET", "/stuck") { _ in .never }
    let monitor = try HARMonitor(file: folder.file)
    let client = client(monitor)
    _ = try? await client.value(of: "/closed")
    let task = Task { try await client.value(of: "/stuck") }
    await server.wait { !$0.requests(to: "/stuck").isEmpty }
    task.cancel()
    _ = try? await task.value
    await monitor.close()
    let document = try document()
    expectEqual(document.numbers("response.status"), [0, 0])
    expect(document.texts("response._error").first??.hasPrefix("network error") == true)
    expectEqual(document.texts("response._error").last, "cancelled")
  }

  @Test func theFileIsCompleteWhileItIsWritten() async throws {
    server.route("GET", "/items/*") { _ in .json("[1,2,3]") }
    let monitor = try HARMonitor(file: folder.file)
    let client = client(monitor)
    for number in 0..<200 {
      _ = try await client.value(of: "/items/\(number)")
      _ = try HARDocument(folder.file)
    }
    await monitor.close()
    expectEqual(try document().entries.count, 200)
    expectEqual(try folder.names, ["traffic.har"])
  }

  @Test func theEndOfTheMonitorWritesTheRest() async throws {
    server.route("GET", "/a") { _ in .json("1") }
    do {
      let monitor = try HARMonitor(file: folder.file)
      _ = try await client(monitor).value(of: "/a")
    }
    await until { (try? HARDocument(folder.file).entries.count) == 1 && (try? folder.names) == ["traffic.har"] }
  }

  @Test func aFullFileIsRenamed() async throws {
    server.route("GET", "/items/*") { _ in .json("[1,2,3]") }
    let monitor = try HARMonitor(file: folder.file, fileByteLimit: 5_000)
    let client = client(monitor)
    for number in 0..<20 {
      _ = try await client.value(of: "/items/\(number)")
      // A batch of its own.
      if number % 4 == 3 { await until { (try? self.lastNumber()) == number } }
    }
    await monitor.close()
    expectEqual(try folder.names, ["traffic-1.har", "traffic.har"])
  }

  /// The batch is longer than a file.
  @Test func noFileIsLongerThanTheLimit() async throws {
    let monitor = try HARMonitor(file: folder.file, fileByteLimit: 50_000)
    let kit = TestKit { $0.monitors = [monitor] }
    let text = "[\"" + String(repeating: "a", count: 2_000) + "\"]"
    for number in 0..<200 { kit.stub.on(.get, "/items/\(number)", .json(text)) }
    let recorders = (0..<200).map { SignalRecorder(kit.client.exchange(request: Request(.get, "/items/\($0)"))) }
    for recorder in recorders { await recorder.waitForEnd() }
    await monitor.close()
    expectEqual(try folder.names, ["traffic-1.har", "traffic.har"])
    for name in try folder.names {
      let bytes = try Data(contentsOf: folder.url.appendingPathComponent(name))
      expect(bytes.count <= 50_000, "\(name): \(bytes.count)")
    }
    expectEqual(try lastNumber(), 199)
  }

  @Test func anEntryLongerThanTheLimitHasAFileOfItsOwn() async throws {
    let monitor = try HARMonitor(file: folder.file, fileByteLimit: 20_000)
    let kit = TestKit { $0.monitors = [monitor] }
    let long = "[\"" + String(repeating: "a", count: 30_000) + "\"]"
    for (number, text) in ["1", "2", long, "3", "4"].enumerated() {
      kit.stub.on(.get, "/items/\(number)", .json(text))
      _ = try await kit.client.value(of: "/items/\(number)")
    }
    await monitor.close()
    let former = try HARDocument(folder.url.appendingPathComponent("traffic-1.har"))
    expectEqual(former.texts("request.url").map { $0?.last }, ["2"])
    expectEqual(try document().texts("request.url").map { $0?.last }, ["3", "4"])
  }

  private func lastNumber() throws -> Int? {
    try HARDocument(folder.file).texts("request.url").last??.split(separator: "/").last.flatMap { Int($0) }
  }

  @Test func aProblemOfTheFileIsANotice() async throws {
    server.route("GET", "/a") { _ in .json("1") }
    let notices = Guarded<[String]>([])
    let monitor = try HARMonitor(file: folder.file) { notice in notices.withLock { $0.append(notice) } }
    try FileManager.default.removeItem(at: folder.url)
    let client = client(monitor)
    expectEqual(try await client.value(of: "/a"), Data("1".utf8))
    await monitor.close()
    let texts = notices.withLock { $0 }
    expectEqual(texts.count, 1)
    expect(texts.first?.hasPrefix("HAR file: 1 entries are missing: cannot create") == true, "\(texts)")
  }
}
