import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// What a first user fell into, by the numbers of the report, and what happens now.
///
/// Not here: 10, which is about a script, and the pages of 11.
struct FirstDayTraps {
  private let stubbed = Stubbed()

  @Test func trap1_aDateInABodyIsISO8601() throws {
    let date = Date(timeIntervalSince1970: 1_767_323_045)
    let options = RequestOptions.with { $0.placement = .json }
    for request in [
      Request(.post, "/x", body: .json(["at": date])),
      Request(.post, "/x", parameters: Parameters(["at": date]), options: options),
      Request(.post, "/x", parameters: ["at": date], options: options),
    ] {
      try expectEqual(stubbed.client.httpRequest(for: request).text, #"{"at":"2026-01-02T03:04:05Z"}"#)
    }
  }

  @Test func trap2_anyBodyIsNoContentTextOrData() async throws {
    let shop = try Shop()
    shop.server.route("GET", "/html") { _ in .data(Data("<p>OK</p>".utf8), contentType: "text/html") }
    try await expectEqual(shop.client.value(of: "/html", as: NoContent.self), NoContent())
    try await expectEqual(shop.client.value(of: "/html", as: String.self), "<p>OK</p>")
    try await expectEqual(shop.client.value(of: "/html", as: Data.self), Data("<p>OK</p>".utf8))
    let recorder = SignalRecorder(shop.client.enqueue(request: "/html", resultType: NoContent.self))
    await recorder.waitForEnd()
    expectEqual(recorder.values.count, 1)
    expect(recorder.isCompleted)
  }

  @Test(arguments: [#"[{"id":1,"name":"A"},{"id":2,"name":"B"}]"#, "[]"])
  func trap3_anArrayIsNoObject(_ body: String) async throws {
    stubbed.answer(body)
    let error = try await stubbed.client.failure(of: "/x", as: Product.self)
    expectEqual(error.code, .unexpectedShape)
  }

  @Test func trap4_theQueryOfAnEndpointIsSent() throws {
    enum Things: Endpoint {
      case a

      var request: Request { Request(.get, "/anything", query: ["dryRun": true]) }
    }
    try expectEqual(stubbed.target(Things.a), "/anything?dryRun=true")
  }

  @Test func trap4_aServiceHasToStateItsAddresses() throws {
    let defaults = try Repository.text(of: "Sources/Heliograph/Service/Service.swift").components(
      separatedBy: "\nextension Service")
    expectEqual(defaults.count, 2)
    expect(!defaults[1].contains("addresses"))
  }

  @Test func trap5_slowWorkInATransformOrADecoderBlocksNoOtherRequest() async throws {
    let shop = try Shop()
    shop.serve("/slow", "5")
    shop.serve("/fast", "7")
    // blocks: the thread of the processing, and one of its own.
    let (entered, finished) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let recorder = SignalRecorder(
      shop.client.enqueue(request: Request(.get, "/slow")) { _ in
        entered.signal()
        return finished.wait(timeout: .now() + 300) == .success
      })
    let isEntered = await withCheckedContinuation { continuation in
      Thread { continuation.resume(returning: entered.wait(timeout: .now() + 300) == .success) }.start()
    }
    expect(isEntered)
    // In flight at the same time, over the same transport.
    for _ in 0..<3 { try await expectEqual(shop.client.value(of: "/fast", as: Int.self), 7) }
    expect(recorder.events.isEmpty)
    finished.signal()
    await recorder.waitForEnd()
    expectEqual(recorder.values.map(\.value), [true])
  }

  @Test func trap6_theErrorSaysWhatCame() async throws {
    stubbed.answer(#"{"id":1}"#)
    let object = try await stubbed.client.failure(of: "/x", as: [Product].self)
    expect(object.reason.hasPrefix("the root is an object, not Array<Product>, decoding Array<Product>"))
    stubbed.answer(Data("<html>Sign in".utf8), contentType: "text/html")
    let page = try await stubbed.client.failure(of: "/x", as: [Product].self)
    expectEqual(page.code, .malformedBody)
    expect(page.reason.hasSuffix("Content-Type text/html: <html>Sign in"))
    for error in [object, page] {
      expect(!error.reason.contains("wasn't an array"))
      expect(!error.reason.contains("NSCocoaErrorDomain"))
      expect(error.reason.ranges(of: "the root").count <= 1, "\(error.reason)")
    }
  }

  @Test func trap7_aGetWithABodyOverURLSessionIsTheClientsError() async throws {
    let shop = try Shop(transport: URLSessionTransport())
    let request = Request(.get, "/x", body: .json(["q": "lamp"]))
    let error = try await shop.client.failure(of: request, as: Int.self)
    expectEqual(error.code, .invalidBody)
    expectEqual(error.attribution.party, .client)
    expectEqual(error.reason, "URLSession can't send a GET request with a body: use CurlTransport")
    expectEqual(error.message(in: .english), "The request couldn't be sent.")
    expectEqual(shop.server.log.acceptedCount, 0)
  }

  @Test func trap8_theClosureOfARequestGetsAnEventWhateverItsBody() async throws {
    stubbed.answer(#"{"id":1,"name":"Lamp"}"#)
    let lines = Log<String>()
    let signal = stubbed.client.enqueue(request: "/x", resultType: Product.self)
    signal.subscribe { lines.add("\(type(of: $0))") }
    signal.subscribe { lines.add("\($0.value?.value.name ?? "")") }
    signal.subscribe { (event) in lines.add("\(event.isTerminal)") }
    await SignalRecorder(signal).waitForEnd()
    await until { lines.entries.count >= 6 }
    expectEqual(
      lines.entries.sorted(),
      [
        "", "Event<Response<Product>, NetworkError>", "Event<Response<Product>, NetworkError>", "Lamp", "false", "true",
      ])
  }

  @Test func trap9_aResponseIsPrintedOnOneLine() async throws {
    stubbed.answer("5")
    let response = try await stubbed.client.send("/x?token=hunter2", as: Int.self)
    let event = Event<Response<Int>, NetworkError>.value(response)
    for text in ["\(response)", String(reflecting: response), "\(event)"] {
      expect(text.contains("Response<Int> 200 https://a.example/v1/x?…"), "\(text)")
      expect(!text.contains("\n"), "\(text)")
      expect(!text.contains("unknown context"), "\(text)")
      expect(!text.contains("hunter2"), "\(text)")
    }
  }

  private struct SentAndCancelled: Monitor {
    let lines: Log<String>

    func observe(_ event: MonitorEvent) {
      switch event {
      case .sent(let request): lines.add("sent \(request.headers["Authorization"] ?? "nothing")")
      case .ended(let report): if case .cancelled = report.outcome { lines.add("cancelled") }
      default: break
      }
    }
  }

  @Test func trap11_monitorsSeeWhatMiddlewareAddsAndCancellations() async throws {
    let lines = Log<String>()
    let kit = TestKit {
      $0.middleware = [.bearer { "hunter2" }]
      $0.monitors = [SentAndCancelled(lines: lines)]
    }
    kit.stub.on(.get, "/x", .never)
    let recorder = SignalRecorder(kit.client.exchange(request: "/x"))
    await expect(kit.stub.requested(1))
    recorder.dispose()
    expectEqual(lines.entries, ["sent Bearer hunter2", "cancelled"])
    kit.stub.on(.get, "/x", .json("5"))
    let response = try await kit.client.send("/x", as: Int.self)
    let expected = "curl 'https://api.example.com/x' -H 'Authorization: Bearer hunter2'"
    expectEqual(response.request?.curlCommand(includingSecrets: true), expected)
  }

  @Test func trap11_aCancelledLoopThrows() async throws {
    stubbed.stub.on(.get, "/v1/x", .never)
    let (client, asked) = (stubbed.client, stubbed.stub)
    let task = Task { () -> NetworkError? in
      do throws(NetworkError) {
        for try await _ in client.download(request: "/x").values {}
        return nil
      } catch {
        return error
      }
    }
    await expect(asked.requested(1))
    task.cancel()
    await expectEqual(task.value?.isCancelled, true)
    expectEqual(asked.cancelledCount, 1)
  }

  @Test(.enabled(if: CurlTransport.isAvailable), arguments: ["br", "compress"])
  func trap11_aBodyThatCannotBeDecompressedIsNoJSONError(_ coding: String) async throws {
    let shop = try Shop(transport: try CurlTransport())
    shop.server.route("GET", "/coded") { _ in
      .json(Data(repeating: 0xFF, count: 40)).header("Content-Encoding", coding)
    }
    let error = try await shop.client.failure(of: "/coded", as: Int.self)
    expectEqual(error.code, .undecodableBody)
  }
}
