import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Uploads whose source or whose server causes trouble.
@Suite(.enabled(if: CurlTransport.isAvailable)) struct UploadTroubleTests {
  /// What a server does that has read the head of a request.
  enum Server: CaseIterable, Sendable {
    case refuses, closes, resets, isSilent

    /// Starts it at a port or at the path of a Unix domain socket.
    func start(at path: String? = nil) throws -> EarlyServer {
      switch self {
      case .refuses: try EarlyServer("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n", reads: false, at: path)
      case .closes: try EarlyServer("", reads: true, then: .close, at: path)
      case .resets: try EarlyServer("", reads: false, then: .reset, at: path)
      case .isSilent: try EarlyServer("", reads: false, at: path)
      }
    }

    var outcome: Outcome {
      switch self {
      case .refuses: .refused
      case .closes, .resets: .failure(.connectionLost)
      case .isSilent: .failure(.timedOut)
      }
    }
  }

  enum Outcome: Equatable {
    case refused
    case failure(NetworkError.Code?)
  }

  @Test(arguments: TroubledSource.allCases, Server.allCases)
  func anUploadEndsWithTheTrueCause(_ source: TroubledSource, _ peer: Server) async throws {
    let server = try peer.start()
    let request = HTTPRequest(
      method: .post, url: try require(server.url), body: .stream(source.stream), idleTimeout: .seconds(60),
      totalTimeout: peer == .isSilent && !source.isInvalid ? .milliseconds(200) : nil)
    let recorder = SignalRecorder(try CurlTransport().send(request))
    await recorder.waitForEnd()
    let outcome: Outcome =
      recorder.values.head?.statusCode == 413 && recorder.isCompleted ? .refused : .failure(recorder.failure?.code)
    // Of two causes the first one counts.
    let isExpected =
      source.isInvalid
      ? outcome == .failure(.invalidBody) || (peer != .isSilent && outcome == peer.outcome) : outcome == peer.outcome
    expect(isExpected, "\(recorder.events)")
    expect(recorder.violations.isEmpty)
  }

  /// The transport has one thread, which such a source must not occupy.
  @Test func aSourceOfEmptyPiecesHoldsUpNoOtherRequest() async throws {
    let server = try LoopbackServer()
    server.route("*", "/a") { .text("\($0.body.count)") }
    let isAnswered = Guarded(false)
    let last = Guarded(0)
    let stream = BodyStream {
      {
        let count = last.withLock { count in
          count += 1
          return count
        }
        return isAnswered.withLock { $0 } || count > 1_000_000 ? .empty : .just(Data())
      }
    }
    let transport = try CurlTransport()
    let upload = SignalRecorder(
      transport.send(HTTPRequest(method: .put, url: server.url("/a"), body: .stream(stream))))
    let other = SignalRecorder(
      transport.send(HTTPRequest(url: server.url("/a"))).on(completion: { isAnswered.withLock { $0 = true } }))
    await other.waitForEnd()
    await upload.waitForEnd()
    expect(other.isCompleted && upload.isCompleted)
    expect(last.withLock { $0 } < 1_000_000)
  }

  /// It is asked again and again, and no timeout would end it.
  @Test func aSourceOfEmptyPiecesIsAskedNoMoreAfterADisposal() async throws {
    let server = try EarlyServer("", reads: true)
    let asked = Guarded(0)
    weak var source: Lifetime?
    let upload: SignalRecorder<TransportEvent, NetworkError>
    do {
      let token = Lifetime()
      source = token
      let stream = BodyStream {
        {
          asked.withLock { $0 += 1 }
          _ = token
          return .just(Data())
        }
      }
      upload = SignalRecorder(
        try CurlTransport().send(
          HTTPRequest(method: .put, url: try require(server.url), body: .stream(stream), idleTimeout: .seconds(60))))
    }
    await until { asked.withLock { $0 > 10 } }
    upload.dispose()
    await until { source == nil }
    expect(upload.failure == nil && !upload.isCompleted)
  }
}
