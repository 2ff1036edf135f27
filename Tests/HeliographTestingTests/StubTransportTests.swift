import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// When a stub counts a request, what it refuses, and what it does not deliver.
struct StubTransportTests {
  /// Sets a header field that no transport sends.
  private struct Breaking: Middleware {
    func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
      var request = request
      request.headers["X-Broken"] = "a\r\nb"
      return next(request)
    }
  }

  private let stub = StubTransport()

  private func request(_ path: String, _ method: HTTPMethod = .get, body: HTTPBody = .empty) throws -> HTTPRequest {
    HTTPRequest(method: method, url: try require(URL(string: "https://a.example" + path)), body: body)
  }

  private func bodies(_ events: [TransportEvent]) -> [Data] {
    events.compactMap { if case .body(let piece) = $0 { piece } else { nil } }
  }

  private func statuses(_ events: [TransportEvent]) -> [Int] {
    events.compactMap { if case .head(let head) = $0 { head.statusCode } else { nil } }
  }

  @Test func aRequestDoesNotCountBeforeItsAnswerIsComputed() async throws {
    let stub = StubTransport()
    let gate = DispatchSemaphore(value: 0)  // blocks: a thread of its own
    stub.on(.get, "/slow") { _ in
      _ = gate.wait(timeout: .now() + 300)
      return .text("late")
    }
    let request = try request("/slow")
    Thread.detachNewThread { stub.send(request).subscribe { _ in } }
    await until { !stub.requests.isEmpty }
    expectEqual(stub.requests.count, 1)
    await expectEqual(stub.requested(1, within: .milliseconds(50)), false)
    gate.signal()
    await expect(stub.requested(1))
  }

  /// A closure of a route may hold the last reference to a model that cancels its request at its end.
  @Test func theFormerRouteIsFreedOutsideTheLock() throws {
    final class Model: Sendable {
      private let load: Disposable

      init(_ load: Disposable) { self.load = load }

      deinit { load.dispose() }
    }
    stub.on(.get, "/never", .never)
    do {
      let model = Model(stub.send(try request("/never")).subscribe { _ in })
      stub.on(.get, "/a") { _ in withExtendedLifetime(model) { .text("1") } }
    }
    expectEqual(stub.activeCount, 1)
    stub.on(.get, "/a", .text("2"))
    expectEqual(stub.activeCount, 0)
    expectEqual(stub.cancelledCount, 1)
  }

  /// A test that waits for a request relies on it.
  @Test func aRequestThatCountsIsInFlight() async throws {
    let request = try request("/never")
    for round in 0..<200 {
      let stub = StubTransport()
      stub.on(.get, "/never", .never)
      let task = Task.detached { stub.send(request).subscribe { _ in } }
      await expect(stub.requested(1), "\(round)")
      expectEqual(stub.activeCount, 1, "\(round)")
      await task.value.dispose()
      expectEqual(stub.activeCount, 0, "\(round)")
      expectEqual(stub.cancelledCount, 1, "\(round)")
    }
  }

  @Test("P10") func aFieldThatNoTransportSendsIsRefused() async throws {
    let kit = TestKit { $0.middleware = [Breaking()] }
    kit.stub.on(.get, "/a", .text("answer"))
    let recorder = SignalRecorder(kit.client.exchange(request: "/a"))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .invalidHeader)
    let real = SignalRecorder(Breaking().intercept(try request("/a")) { URLSessionTransport().send($0) })
    await real.waitForEnd()
    expectEqual(real.failure?.code, .invalidHeader)
  }

  @Test func aBodyInAMissingFileIsRefused() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("stub-\(UUID().uuidString)")
    stub.on(.post, "/a", .text("answer"))
    let missing = SignalRecorder(stub.send(try request("/a", .post, body: .file(file))))
    expectEqual(missing.failure?.code, .invalidBody)
    expect(missing.values.isEmpty)
    defer { try? FileManager.default.removeItem(at: file) }
    try Data("body".utf8).write(to: file)
    let present = SignalRecorder(stub.send(try request("/a", .post, body: .file(file))))
    expectEqual(bodies(present.values), [Data("answer".utf8)])
    expect(present.isCompleted)
  }

  @Test func aBodyIsNotDeliveredWhereHTTPHasNone() throws {
    let cases: [(method: HTTPMethod, status: Int, hasBody: Bool)] = [
      (.head, 200, false), (.get, 204, false), (.get, 304, false), (.get, 200, true), (.post, 404, true),
    ]
    for (method, status, hasBody) in cases {
      stub.on(method, "/a", .text("body", status: status))
      let recorder = SignalRecorder(stub.send(try request("/a", method)))
      expectEqual(statuses(recorder.values), [status])
      expect(recorder.isCompleted)
      expectEqual(bodies(recorder.values), (hasBody ? [Data("body".utf8)] : []), "\(method) \(status)")
    }
  }

  @Test func aRouteWithoutAnswersExpectsNoRequest() throws {
    stub.on(.get, "/none")
    let recorder = SignalRecorder(stub.send(try request("/none")))
    expectEqual(recorder.failure?.code, .unexpectedRequest)
    expectEqual(stub.unexpectedRequests.map(\.url.path), ["/none"])
  }

  @Test func aRequestThatMeetsTheReplacementOfItsRouteIsAnswered() throws {
    let stub = StubTransport()
    stub.on(.get, "/a", .status(201))
    stub.on("*", "*") { _ in .status(500) }
    // Replaces the route while the routes are compared.
    stub.on(
      .get, "/*",
      body: { [weak stub] _ in
        stub?.on(.get, "/a", .status(202))
        return false
      }, .status(500))
    let recorder = SignalRecorder(stub.send(try request("/a")))
    expectEqual(statuses(recorder.values), [202])
    expect(stub.unexpectedRequests.isEmpty)
  }

  @Test func aHEADRequestPrefersASpecificRoute() throws {
    func status(_ path: String) throws -> [Int] { statuses(SignalRecorder(stub.send(try request(path, .head))).values) }
    stub.on(.get, "/a", .status(201))
    stub.on("*", "*", .status(202))
    try expectEqual(status("/a"), [201])
    try expectEqual(status("/b"), [202])
    stub.on("*", "/a", .status(203))
    try expectEqual(status("/a"), [201])
    stub.on(.head, "/*", .status(204))
    try expectEqual(status("/c"), [204])
    stub.on(.head, "/a", .status(205))
    stub.on(.get, "/a", .status(206))
    try expectEqual(status("/a"), [205])
  }
}
