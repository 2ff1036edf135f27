import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// A server that speaks HTTP/2 and demands HTTP/1.1 for some of its resources (RFC 9113 §7, `HTTP_1_1_REQUIRED`).
@Suite(.enabled(if: CurlTransport.supportsHTTP2 && ApacheServer.isAvailable)) struct CurlTLSDowngradeTests {
  let upstream: LoopbackServer
  let apache: ApacheServer
  let transport: CurlTransport

  init() async throws {
    upstream = try LoopbackServer()
    upstream.route("*", "/**") { request in .data(request.body) }
    apache = try await ApacheServer(upstream: upstream)
    transport = try CurlTransport(
      try secureSettings {
        $0.trust.identities["localhost"] = Trust.Identity(
          certificate: try Certificates.file("client.pem"), key: try Certificates.file("client.key"))
      })
  }

  /// A request; Apache asks for the client's certificate for paths below `known`, for which it needs HTTP/1.1.
  private func exchange(_ method: HTTPMethod, _ path: String) throws -> Signal<TransportEvent, NetworkError> {
    let url = try require(URL(string: apache.origin(isSecure: true) + "/upstream/" + path))
    let body = Self.body(method, path)
    return transport.send(HTTPRequest(method: method, url: url, body: body.isEmpty ? .empty : .data(body)))
  }

  /// A body, which libcurl gets at once for POST and in pieces for PUT.
  private static func body(_ method: HTTPMethod, _ path: String) -> Data {
    switch method {
    case .post: Data(path.utf8)
    case .put: Data(path.utf8) + Data(count: 100_000)
    default: Data()
    }
  }

  @Test(
    arguments: [HTTPMethod.get, .post, .put], [["known/1", "known/2"], ["any/1", "known/1", "any/2", "known/2"]])
  func aRequestIsProcessedOnceOverHTTP11(_ method: HTTPMethod, _ paths: [String]) async throws {
    for path in paths {
      let recorder = SignalRecorder(try exchange(method, path))
      await recorder.waitForEnd()
      expectEqual(recorder.values.head?.statusCode, 200, "\(path): \(recorder.events)")
      expectEqual(recorder.values.body, Self.body(method, path))
      if path.hasPrefix("known") { expectEqual(recorder.values.metrics?.protocolVersion, "HTTP/1.1") }
    }
    expectEqual(upstream.log.requests.map(\.path), paths.map { "/" + $0 })
  }

  @Test func aBodyThatCanBeReadOnceIsNotSentInPart() async throws {
    let (pieces, input) = AsyncStream.makeStream(of: Data.self)
    for _ in 0..<3 { input.yield(Data(count: 10_000)) }
    input.finish()
    let url = try require(URL(string: apache.origin(isSecure: true) + "/upstream/known/1"))
    let body = HTTPBody.stream(BodyStream(readingOnce: pieces))
    let recorder = SignalRecorder(transport.send(HTTPRequest(method: .put, url: url, body: body)))
    await recorder.waitForEnd()
    // Apache may refuse the request before the first piece has come.
    if recorder.isCompleted { return expectEqual(upstream.log.requests.map(\.body.count), [30_000]) }
    expectEqual(recorder.failure?.code, .connectionLost, "\(recorder.events)")
    expectEqual(recorder.failure?.reason.hasPrefix("HTTP/1.1 required; not retried: "), true)
    expect(upstream.log.requests.isEmpty)
  }

  /// Some are refused on a connection that others use, and some find a connection over HTTP/1.1.
  @Test(arguments: [HTTPMethod.get, .post, .put]) func manyAtOnceAreProcessedOnce(_ method: HTTPMethod) async throws {
    let paths = (0..<60).map { $0 % 3 == 0 ? "known/\($0)" : "any/\($0)" }
    let all = try paths.map { try exchange(method, $0) }
    let recorder = SignalRecorder(Signal.from(all).flatMap(.merge(maxConcurrent: 6)) { $0 })
    await recorder.waitForEnd()
    expect(recorder.isCompleted, "\(String(describing: recorder.failure))")
    expectEqual(upstream.log.requests.map(\.path).sorted(), paths.map { "/" + $0 }.sorted())
  }
}
