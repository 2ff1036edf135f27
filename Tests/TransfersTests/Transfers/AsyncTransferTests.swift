import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// A transfer ends with its response, as a signal and as an async call.
struct AsyncTransferTests {
  private struct Receipt: Codable, Sendable, Equatable { var byteCount: Int }

  private let server: LoopbackServer
  private let client: NetworkClient
  private let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).bin")

  init() throws {
    server = try LoopbackServer()
    server.route("POST", "/films") { request in .json(#"{"byteCount": \#(request.body.count)}"#, status: 201) }
    server.route("GET", "/film") { _ in .data(Data(count: 300_000)).header("ETag", "v1") }
    server.route("GET", "/same") { _ in .status(304).header("ETag", "v1") }
    server.route("GET", "/gone") { _ in .status(410) }
    client = NetworkClient(baseURL: server.baseURL)
  }

  // Before Swift 6.2, async functions do not run on the actor of their caller.
  #if compiler(>=6.2)
  @MainActor @Test func anUploadReportsOnTheActorOfTheCaller() async throws {
    var progress: [TransferProgress] = []
    let request = Request(
      .post, "/films", body: .data(Data(count: 200_000), contentType: "application/octet-stream"),
      options: .with { $0.progressInterval = .zero })
    let response = try await client.upload(request, as: Receipt.self) {
      MainActor.assertIsolated()
      progress.append($0)
    }
    expectEqual(response.statusCode, 201)
    expectEqual(response.value, Receipt(byteCount: 200_000))
    expect(!progress.isEmpty)
    // The actor may be busy until the response is there: the end of the sending is reported all the same.
    expectEqual(progress.last { $0.direction == .sending }?.byteCount, 200_000)
  }

  @MainActor @Test func aDownloadReturnsItsFileAndItsResponse() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    var last: TransferProgress?
    let response = try await client.download("/film", to: file) { last = $0 }
    expectEqual(response.value, file)
    expectEqual(response.statusCode, 200)
    expectEqual(response.etag, "v1")
    expectEqual(last?.byteCount, 300_000)
    try expectEqual(Data(contentsOf: file).count, 300_000)
  }
  #endif

  @Test func aSignalOfATransferHasItsResponse() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let responses = SignalRecorder(client.download(request: "/film", to: file).finished())
    await responses.waitForEnd()
    expectEqual(responses.values.map(\.value), [file])
    expectEqual(responses.values.first?.etag, "v1")
    expect(responses.isCompleted)
    let memory = try await client.download(request: "/film").finished().value()
    expectEqual(memory.value.count, 300_000)
  }

  @Test func failuresAreThrown() async throws {
    let (client, file) = (client, file)
    let gone = await #expect(throws: NetworkError.self) { try await client.download("/gone", to: file) }
    expectEqual(gone?.code, .status(410))
    let request = Request(.get, "/same", headers: ["If-None-Match": "v1"])
    let same = await #expect(throws: NetworkError.self) { try await client.download(request, to: file) }
    expectEqual(same?.code, .status(304))
    let also = await #expect(throws: NetworkError.self) { try await client.upload(request, as: Receipt.self) }
    expectEqual(also?.code, .status(304))
    expect(!FileManager.default.fileExists(atPath: file.path))
  }

  @Test("S0-36 S2-6") func a304IsACompleteErrorThatMonitorsSee() async throws {
    let log = MonitorLog()
    let client = NetworkClient(baseURL: server.baseURL) { $0.monitors = [log] }
    let file = file
    let request = Request(.get, "/same", headers: ["If-None-Match": "v1"])
    let errors = [
      await #expect(throws: NetworkError.self) { try await client.download(request, to: file) },
      await #expect(throws: NetworkError.self) { try await client.upload(request, as: Receipt.self) },
    ]
    for error in errors {
      expectEqual(error?.code, .status(304))
      expectEqual(error?.response?.headers["ETag"], "v1")
      expectEqual(error?.request?.url, server.url("/same"))
      expect(error?.metrics != nil)
    }
    expectEqual(log.requests.map(\.outcome.name), ["failed", "failed"])
  }

  /// The app has the content.
  @Test("P7") func a304ToAConditionalRequestIsNotShown() async throws {
    let audience = Audience()
    let client = NetworkClient(baseURL: server.baseURL) { $0.monitors = [audience.presenter] }
    let file = file
    let request = Request(.get, "/same", headers: ["If-None-Match": "v1"])
    let errors = [
      await #expect(throws: NetworkError.self) { try await client.send(request, as: Receipt.self) },
      await #expect(throws: NetworkError.self) { try await client.download(request, to: file) },
      await #expect(throws: NetworkError.self) { try await client.upload(request, as: Receipt.self) },
    ]
    expectEqual(errors.map { $0?.code }, [.status(304), .status(304), .status(304)])
    expectEqual(audience.all.values, [[]])
    let plain = await #expect(throws: NetworkError.self) { try await client.send("/same", as: Receipt.self) }
    expectEqual(audience.texts, [plain?.message])
  }

  private struct Starts: Monitor {
    @TaskLocal static var span: String?
    let spans = CurrentValue<[String?]>([])

    func observe(_ event: MonitorEvent) {
      if case .started = event { spans.modify { $0.append(Self.span) } }
    }
  }

  /// For tracers, whose current span is task-local.
  @MainActor @Test func anUploadStartsInTheTaskOfItsCaller() async throws {
    let starts = Starts()
    let client = NetworkClient(baseURL: server.baseURL) { $0.monitors = [starts] }
    try await Starts.$span.withValue("main") {
      _ = try await client.upload(Request(.post, "/films"), as: Receipt.self)
    }
    await Task.detached {
      await Starts.$span.withValue("detached") {
        _ = try? await client.upload(Request(.post, "/films"), as: Receipt.self)
      }
    }.value
    expectEqual(starts.spans.value, ["main", "detached"])
  }

  @Test func aCancelledTaskCancelsTheTransfer() async throws {
    let kit = TestKit { $0.messages[.cancelled] = "Stopped." }
    kit.stub.on(.post, "/stuck", .never)
    let client = kit.client
    let task = Task { try await client.upload(Request(.post, "/stuck"), as: Receipt.self) }
    await expect(kit.stub.requested(1))
    task.cancel()
    let error = await #expect(throws: NetworkError.self) { try await task.value }
    expectEqual(error?.code, .cancelled)
    expectEqual(error?.message, "Stopped.")
    await until { kit.stub.activeCount == 0 }
  }

  /// The server has executed the request.
  @Test func aResponseThatHasArrivedIsReturnedAlthoughTheTaskIsCancelled() async throws {
    let stub = StubTransport()
    stub.on(.post, "/films", .json(#"{"id": 7}"#))
    let client = NetworkClient(baseURL: server.baseURL) { ($0.transport, $0.processing) = (stub, .immediate) }
    let film = Request(.post, "/films", body: .data(Data(count: 10), contentType: "a/b"))
    let counts = CurrentValue(0)
    let task = Task {
      let response = try await client.upload(film, as: JSON.self) { _ in
        counts.modify { $0 += 1 }
        withUnsafeCurrentTask { $0?.cancel() }
      }
      return (response.value["id"].int, Task.isCancelled)
    }
    let (id, isCancelled) = try await task.value
    expect(id == 7 && isCancelled && counts.value > 0)
  }
}
