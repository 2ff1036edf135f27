import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// Streams and event streams: validation of the head, presentation of errors, redirects.
struct StreamStageTests {
  typealias Kind = TransportKind

  let server: LoopbackServer

  init() throws { server = try LoopbackServer() }

  private func client(_ kind: Kind) throws -> NetworkClient {
    let configuration = NetworkClient.Configuration(baseURL: server.baseURL, transport: try kind.transport())
    return NetworkClient(configuration)
  }

  @Test(arguments: Kind.present) func aStreamOfAnotherContentTypeFailsBeforeItsBody(_ kind: Kind) async throws {
    server.route("GET", "/film") { _ in .data(Data("<p>Sign in</p>".utf8), contentType: "text/html") }
    let stages = Stages(validators: [ContentTypeValidator(accepted: ["video/mp4"])])
    let request = Request(.get, "/film", options: .with { $0.stages = stages })
    let recorder = SignalRecorder(try client(kind).stream(request: request))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .unacceptableType)
    expect(recorder.values.isEmpty)
  }

  /// Only a success is delivered in pieces; the body of any other response is collected, and nothing of it is lost.
  @Test(arguments: Kind.present) func anAcceptedErrorIsOneElementOrTooLarge(_ kind: Kind) async throws {
    server.route("GET", "/*") { request in
      .data(Data(repeating: 10, count: request.path == "/short" ? 5 : 1_200_000), status: 404)
    }
    let cases: [(RequestPath, NetworkError.Code?)] = [("/short", nil), ("/long", .responseTooLarge)]
    for (path, code) in cases {
      let stages = Stages(baseValidators: [StatusValidator(accepted: 200..<500)])
      let request = Request(.get, path, options: .with { $0.stages = stages })
      let stream = SignalRecorder(try client(kind).stream(request: request))
      await stream.waitForEnd()
      expectEqual(stream.values.map(\.value.count), code == nil ? [5] : [])
      expectEqual(stream.failure?.code, code)
      let lines = SignalRecorder(try client(kind).lines(request: request))
      await lines.waitForEnd()
      expectEqual(lines.values.count, code == nil ? 5 : 0)
      expectEqual(lines.failure?.code, code)
    }
  }

  /// They refuse the status themselves and need no body.
  @Test func anAcceptedErrorOfADownloadOrEventStreamKeepsItsStatus() async throws {
    server.route("GET", "/*") { _ in .data(Data(repeating: 10, count: 20_000), status: 503) }
    let request = Request(
      .get, "/a",
      options: .with {
        $0.stages = Stages(baseValidators: [StatusValidator(accepted: 200..<600)])
        $0.limits = ResponseLimits(bodyByteCount: 10_000)
        $0.retry = .never
      })
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    let client = try client(.default)
    let download = SignalRecorder(client.download(request: request, to: file))
    await download.waitForEnd()
    expectEqual(download.failure?.code, .status(503))
    let events = SignalRecorder(client.events(request: request, options: EventStreamOptions(reconnectionLimit: 0)))
    await events.waitForEnd()
    expectEqual(events.failure?.code, .status(503))
  }

  @Test(arguments: [PresentationStyle.toast, nil])
  func onlyTheLastErrorOfAnEventStreamIsPresented(_ style: PresentationStyle?) async throws {
    let log = MonitorLog()
    let kit = TestKit { $0.monitors = [log] }
    let request = Request(.get, "/events", options: .with { $0.presentation = style })
    kit.stub.on(.get, "/events", .failure(.lost), .events("data: a\n\n"), .status(401))
    let recorder = SignalRecorder(kit.client.events(request: request))
    await kit.clock.advance(by: .seconds(6))
    expectEqual(recorder.values.count, 1)
    expectEqual(recorder.failure?.code, .status(401))
    expectEqual(recorder.failure?.presentation, style)
    let started = log.events.compactMap { event -> PresentationStyle? in
      if case .started(_, let request) = event { request?.options.presentation } else { nil }
    }
    expectEqual(started, [.silent, .silent, .silent])
    expectEqual(log.requests.compactMap(\.error?.presentation), [.silent, .silent])
    // Without any reconnection.
    kit.stub.on(.get, "/events", .failure(.lost))
    let options = EventStreamOptions(reconnectionLimit: 0)
    let once = SignalRecorder(kit.client.events(request: request, options: options))
    expectEqual(once.failure?.code, .connectionLost)
    expectEqual(once.failure?.presentation, style)
  }

  @Test("P13", arguments: Kind.present) func theLastEventIDIsSentToAnotherOrigin(_ kind: Kind) async throws {
    let other = try LoopbackServer()
    let target = other.url("/events").absoluteString
    server.route("GET", "/events") { _ in .redirect(to: target) }
    other.route("GET", "/events") { _ in .status(204) }
    let fields: HTTPHeaders = ["Last-Event-ID": "7", "X-Shop": "private", "Authorization": "Bearer x"]
    let request = Request(.get, "/events", headers: fields)
    let recorder = SignalRecorder(try client(kind).events(request: request))
    await recorder.waitForEnd()
    expect(recorder.isCompleted, "\(recorder.events)")
    let first = try require(server.log.requests.last)
    expectEqual(first.header("Last-Event-ID"), "7")
    expectEqual(first.header("X-Shop"), "private")
    expectEqual(first.header("Authorization"), "Bearer x")
    let last = try require(other.log.requests.last)
    expectEqual(last.header("Last-Event-ID"), "7")
    expectNil(last.header("X-Shop"))
    expectNil(last.header("Authorization"))
  }
}
