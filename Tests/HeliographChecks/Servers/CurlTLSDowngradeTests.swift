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
    return transport.send(
      HTTPRequest(method: method, url: url, body: method == .get ? .empty : .data(Data(path.utf8))))
  }

  @Test(arguments: [HTTPMethod.get, .post], [["known/1", "known/2"], ["any/1", "known/1", "any/2", "known/2"]])
  func aRequestIsProcessedOnceOverHTTP11(_ method: HTTPMethod, _ paths: [String]) async throws {
    for path in paths {
      let recorder = SignalRecorder(try exchange(method, path))
      await recorder.waitForEnd()
      expectEqual(recorder.values.head?.statusCode, 200, "\(path): \(recorder.events)")
      if method == .post { expectEqual(recorder.values.body, Data(path.utf8)) }
      if path.hasPrefix("known") { expectEqual(recorder.values.metrics?.protocolVersion, "HTTP/1.1") }
    }
    expectEqual(upstream.log.requests.map(\.path), paths.map { "/" + $0 })
  }

  /// Some are refused on a connection that others use, and some find a connection over HTTP/1.1.
  @Test(arguments: [HTTPMethod.get, .post]) func manyAtOnceAreProcessedOnce(_ method: HTTPMethod) async throws {
    let paths = (0..<60).map { $0 % 3 == 0 ? "known/\($0)" : "any/\($0)" }
    let all = try paths.map { try exchange(method, $0) }
    let recorder = SignalRecorder(Signal.from(all).flatMap(.merge(maxConcurrent: 6)) { $0 })
    await recorder.waitForEnd()
    expect(recorder.isCompleted, "\(String(describing: recorder.failure))")
    expectEqual(upstream.log.requests.map(\.path).sorted(), paths.map { "/" + $0 }.sorted())
  }
}
