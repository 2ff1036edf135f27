import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// The same exchanges with each real server, over each protocol and transport there is; `.ci/interop` runs them.
@Suite(.enabled(if: Interop.isWanted && CurlTransport.isAvailable)) struct InteropTests {
  private static func post(_ path: String, _ body: Data) -> Request {
    Request(.post, RequestPath(path), body: .data(body, contentType: "application/octet-stream"))
  }

  @Test(arguments: InteropWay.present, [0, 1, 70_000, 5_000_000])
  func aBodyComesBackAsItWas(_ way: InteropWay, _ count: Int) async throws {
    let body = CurlTLSStreamsTests.large.prefix(count)
    let echo = Self.post("/upstream/echo", body)
    let recorder = try await InteropSite(way).responses([echo, echo])
    expectEqual(recorder.values.map(\.statusCode), [200, 200], "\(String(describing: recorder.failure))")
    expect(recorder.values.allSatisfy { $0.value == body })
  }

  @Test(arguments: InteropWay.present) func aLargeDownloadIsComplete(_ way: InteropWay) async throws {
    let site = try await InteropSite(way)
    let recorder = await site.responses(Array(repeating: Request(.get, "/files/large"), count: 4), atOnce: 4)
    expectEqual(recorder.values.count, 4, "\(String(describing: recorder.failure))")
    expect(recorder.values.allSatisfy { $0.value == CurlTLSStreamsTests.large })
  }

  @Test(arguments: InteropWay.present) func responsesWithoutABodyEndAndTheConnectionIsKept(
    _ way: InteropWay
  ) async throws {
    let site = try await InteropSite(way)
    let first = await site.responses([Request(.get, "/files/fox")])
    let head = try require(first.values.first?.headers, "\(first.events)")
    let condition: HTTPHeaders =
      head["ETag"].map { ["If-None-Match": $0] } ?? ["If-Modified-Since": head["Last-Modified"] ?? ""]
    // Our own server behind HAProxy ignores conditions.
    let unchanged = way.product == .haproxy ? 200 : 304
    let recorder = await site.responses([
      Request(.head, "/files/fox"), Request(.get, "/files/fox", headers: condition),
      Request(.get, way.product == .nghttpd ? "/files/fox" : "/nothing"), Request(.get, "/files/fox"),
    ])
    let nothing = way.product == .nghttpd ? 200 : 204
    let statuses = recorder.values.map(\.statusCode)
    expectEqual(statuses, [200, unchanged, nothing, 200], "\(String(describing: recorder.failure))")
    expectEqual(recorder.values.first?.headers["Content-Length"], "\(InteropSite.text.count)")
    expectEqual(recorder.values.first?.value.isEmpty, true)
    expectEqual(recorder.values.last?.value, InteropSite.text)
    if way.transport == .curl {
      expect(recorder.values.allSatisfy { $0.metrics?.isConnectionReused == true })
      let version = way.version == .http2 ? "HTTP/2" : "HTTP/1.1"
      expect(recorder.values.allSatisfy { $0.metrics?.protocolVersion == version })
    }
  }

  @Test(arguments: InteropWay.full) func aCompressedBodyIsDecoded(_ way: InteropWay) async throws {
    let recorder = try await InteropSite(way).responses([Request(.get, "/text/fox")])
    let response = try require(recorder.values.first, "\(recorder.events)")
    expectEqual(response.value, InteropSite.text)
    expectEqual(response.headers["Content-Encoding"], "gzip")
    if way.transport == .curl { expect((response.metrics?.receivedByteCount ?? .max) < InteropSite.text.count / 10) }
  }

  @Test(arguments: InteropWay.full.filter { $0.product != .haproxy }, ["/files/fox", "/text/fox"])
  func aPartIsAPart(_ way: InteropWay, _ path: String) async throws {
    guard way.transport == .curl || path == "/files/fox" else { return }
    let recorder = try await InteropSite(way).responses([
      Request(.get, RequestPath(path), headers: ["Range": "bytes=4-8"]),
      Request(.get, RequestPath(path), headers: ["Range": "bytes=\(InteropSite.text.count)-"]),
    ])
    expectEqual(recorder.values.map(\.statusCode), [206, 416], "\(String(describing: recorder.failure))")
    expectEqual(recorder.values.first?.value, Data("quick".utf8))
    expectEqual(recorder.values.first?.headers["Content-Range"], "bytes 4-8/\(InteropSite.text.count)")
  }

  @Test(arguments: InteropWay.full) func redirectsAreFollowed(_ way: InteropWay) async throws {
    let body = Data(repeating: 0x61, count: 1000)
    let recorder = try await InteropSite(way).responses([Request(.get, "/moved"), Self.post("/kept", body)])
    expectEqual(recorder.values.map(\.statusCode), [200, 200], "\(recorder.events)")
    expectEqual(recorder.values.map(\.value), [InteropSite.text, body])
    expect(recorder.values.allSatisfy { $0.metrics?.redirectCount == 1 })
  }

  @Test(arguments: InteropWay.full) func anEarlyResponseIsNotLost(_ way: InteropWay) async throws {
    // HAProxy closes while the body is being sent, which HTTP/1.1 cannot always tell from a failure: Decision Transport 5.
    let count = way.product == .haproxy && way.version != .http2 ? 10 : 5_000_000
    let denied = Array(repeating: Self.post("/denied", Data(count: count)), count: 4)
    let recorder = try await InteropSite(way).responses(denied + [Request(.get, "/private"), Request(.get, "/moved")])
    expectEqual(recorder.values.map(\.statusCode), [413, 413, 413, 413, 401, 200], "\(recorder.events)")
    expectEqual(recorder.values.dropLast().last?.headers["WWW-Authenticate"]?.hasPrefix("Basic"), true)
  }

  @Test(arguments: InteropWay.present) func aHundredInFlightAllEnd(_ way: InteropWay) async throws {
    let bodies = (0..<100).map { Data(repeating: UInt8($0), count: $0 * 100) }
    let requests = bodies.flatMap { [Self.post("/upstream/echo", $0), Request(.get, "/files/fox")] }
    let recorder = try await InteropSite(way).responses(requests, atOnce: 100)
    expect(recorder.isCompleted, "\(String(describing: recorder.failure))")
    expectEqual(recorder.values.count { $0.value == InteropSite.text }, 100)
    expect(Set(recorder.values.map(\.value)).isSuperset(of: bodies))
  }

  /// Every response says that the connection is closed, or is the last before it.
  @Test(arguments: InteropWay.full) func connectionsThatTheServerClosesLoseNothing(_ way: InteropWay) async throws {
    let site = try await InteropSite(way)
    let bodies = (0..<100).map { Data("\($0)".utf8) }
    let requests = bodies.map { Request(.post, "/upstream/echo", body: .data($0, contentType: "text/plain")) }
    let recorder = await site.responses(requests, atOnce: 8, over: site.briefClient)
    expect(recorder.isCompleted, "\(String(describing: recorder.failure))")
    expectEqual(Set(recorder.values.map(\.value)), Set(bodies))
    expectEqual(site.upstream.log.requests.count, 100)
  }

  @Test(arguments: InteropWay.full) func aCancelledRequestLeavesTheOthersAlone(_ way: InteropWay) async throws {
    let site = try await InteropSite(way)
    let stuck = (0..<4).map { _ in SignalRecorder(site.client.exchange(request: "/upstream/never")) }
    await expect(site.upstream.wait { $0.requests.count == 4 })
    async let others = site.responses((0..<20).map { _ in Request(.get, "/files/fox") }, atOnce: 4)
    for recorder in stuck { recorder.dispose() }
    let recorder = await others
    expectEqual(recorder.values.count, 20, "\(String(describing: recorder.failure))")
    expect(recorder.values.allSatisfy { $0.value == InteropSite.text })
    expect(stuck.allSatisfy { $0.events.isEmpty })
  }
}
