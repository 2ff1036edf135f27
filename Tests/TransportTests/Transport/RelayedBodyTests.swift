import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// A body that is read from another exchange, and fails with it: the failure is not that of the upload.
struct RelayedBodyTests {
  /// The transports, each of which reads streams in its own way.
  enum Wire: CaseIterable, Sendable {
    case curl, urlSession, stub

    static var present: [Wire] { allCases.filter { $0 != .curl || CurlTransport.isAvailable } }

    func transport() throws -> any Transport {
      switch self {
      case .curl: try CurlTransport()
      case .urlSession: URLSessionTransport()
      case .stub: StubTransport()
      }
    }
  }

  private let server: LoopbackServer

  init() throws {
    server = try LoopbackServer()
    server.route("POST", "/backup") { .data($0.body) }
  }

  /// The request of the exchange from which the body is read.
  private static func export() throws -> HTTPRequest {
    HTTPRequest(url: try require(URL(string: "https://a.example/export")))
  }

  /// Sends a body that fails after a piece; returns the events and how often the body was opened.
  private func relay(
    _ failure: any Error, over wire: Wire, _ adjust: (inout NetworkClient.Configuration) -> Void = { _ in }
  ) async throws -> (SignalRecorder<Response<Data>, NetworkError>, openCount: Int) {
    let openCount = Guarded(0)
    let stream = BodyStream {
      openCount.withLock { $0 += 1 }
      let isFirst = Guarded(true)
      return {
        let isFirst = isFirst.withLock { isFirst in
          defer { isFirst = false }
          return isFirst
        }
        return isFirst ? .just(Data("piece".utf8)) : .fail(failure)
      }
    }
    var configuration = NetworkClient.Configuration(
      baseURL: server.baseURL, services: [], transport: try wire.transport())
    configuration.retry = Retry(limit: 2, backoff: .none)
    adjust(&configuration)
    let request = Request(.post, "/backup", body: .stream(stream, contentType: "a/b"))
    let recorder = SignalRecorder(NetworkClient(configuration).enqueue(request: request))
    await expect(recorder.waitForEnd())
    return (recorder, openCount.withLock { $0 })
  }

  /// The lost connection is that of an idempotent `GET`; the `POST` is not.
  @Test(arguments: Wire.present) func aLostSourceDoesNotRepeatThePost(_ wire: Wire) async throws {
    let failure = NetworkError(.connectionLost, request: try RelayedBodyTests.export())
    let (recorder, openCount) = try await relay(failure, over: wire)
    expectEqual(openCount, 1)
    expectEqual(recorder.failure?.code, .invalidBody, "\(recorder.events)")
    expectEqual((recorder.failure?.underlying as? NetworkError)?.code, .connectionLost)
    expectEqual(recorder.failure?.request?.url, server.url("/backup"))
    expectNil(recorder.failure?.response)
  }

  /// The credentials of the source were rejected, not those of the upload.
  @Test(arguments: Wire.present) func a401OfTheSourceStartsNoRecovery(_ wire: Wire) async throws {
    let refreshCount = Guarded(0)
    let export = try RelayedBodyTests.export()
    let response = Response(value: Data(), head: HTTPResponse(statusCode: 401, url: export.url))
    let failure = NetworkError(.status(401), request: export, response: response)
    let (recorder, openCount) = try await relay(failure, over: wire) {
      $0.trustedOrigins = [Origin(host: "a.example")]
      $0.recoveries = [
        Recovery {
          refreshCount.withLock { $0 += 1 }
          return Signal<Void, NetworkError>.empty
        }
      ]
    }
    expectEqual(refreshCount.withLock { $0 }, 0)
    expectEqual(openCount, 1)
    expectEqual(recorder.failure?.code, .invalidBody, "\(recorder.events)")
    expectEqual((recorder.failure?.underlying as? NetworkError)?.code, .status(401))
    expectEqual(recorder.failure?.isUnauthorized, false)
  }

  /// The body of the source's own request was invalid, not that of the upload.
  @Test(arguments: Wire.present, [true, false])
  func anInvalidBodyIsThatOfTheUploadOnlyWithoutARequest(_ wire: Wire, _ hasRequest: Bool) async throws {
    let export = try RelayedBodyTests.export()
    let failure = NetworkError(.invalidBody, reason: "the reason", request: hasRequest ? export : nil)
    let (recorder, _) = try await relay(failure, over: wire)
    expectEqual(recorder.failure?.code, .invalidBody, "\(recorder.events)")
    expectEqual(recorder.failure?.request?.url, server.url("/backup"))
    expectEqual(recorder.failure?.underlying is NetworkError, hasRequest)
    expectEqual(recorder.failure?.reason == "the reason", !hasRequest)
  }
}
