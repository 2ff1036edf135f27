import Foundation
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

@testable import Heliograph

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Ranges of bodies with a content coding, which a session decodes.
struct SessionRangeTests {
  private let server: LoopbackServer

  init() throws { server = try LoopbackServer() }

  @Test(arguments: [
    ("bytes 0-9/97", "gzip", 206, 0, true), ("bytes 0-9/97", "gzip", 206, 3, false),
    ("bytes 0-96/97", "gzip", 206, 1200, false), ("bytes 5-14/97", "gzip", 206, 0, true),
    ("bytes 5-14/97", "gzip", 206, 11, true), ("bytes 5-14/97", "gzip", 206, 10, false),
    ("bytes 5-14/*", "identity, br", 206, 11, true), ("bytes 5-14/97", "identity", 206, 11, false),
    ("bytes 5-14/97", "gzip", 200, 11, false), ("bytes */97", "gzip", 206, 0, false), ("", "gzip", 206, 0, false),
    ("bytes 0-9223372036854775806/*", "gzip", 206, 0, true), ("bytes 0-19/20", "gzip", 206, 0, false),
  ])
  func decodedBytesAreNotTheRange(
    _ range: String, _ coding: String, _ status: Int, _ count: Int, _ isFault: Bool
  ) throws {
    let transport = HandTransport()
    for method in [HTTPMethod.get, .head] {
      let request = HTTPRequest(method: method, url: server.url("/a"))
      _ = transport.send(request).subscribe { _ in }
      // Never resumed.
      let task = URLSession.shared.dataTask(with: request.url)
      var exchange = SessionExchange(transport.exchange(0), task, request)
      exchange.record(receivedByteCount: count, isHead: true)
      var fields = ["Content-Encoding": coding]
      if !range.isEmpty { fields["Content-Range"] = range }
      let response = HTTPURLResponse(
        url: request.url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
      expectEqual(exchange.rangeFault(of: response) != nil, isFault && method == .get)
    }
  }

  private func body(
    _ range: String, _ body: Data, _ contentRange: String, over transport: any Transport = URLSessionTransport()
  ) async -> (body: Data?, code: NetworkError.Code?) {
    server.route("GET", "/a") { _ in
      .data(body, status: 206).header("Content-Encoding", "gzip").header("Content-Range", contentRange)
    }
    let request = HTTPRequest(url: server.url("/a"), headers: ["Range": range])
    let recorder = SignalRecorder(transport.send(request))
    await recorder.waitForEnd()
    return (recorder.values.body, recorder.failure?.code)
  }

  @Test func aRangeThatDecodesToNothingFails() async throws {
    let gzip = Compressed.gzip
    let range = "bytes 0-9/\(gzip.count)"
    await expectEqual(body("bytes=0-9", gzip.prefix(10), range).code, .undecodableBody)
    guard CurlTransport.isAvailable else { return }
    let whole = await body("bytes=0-9", gzip.prefix(10), range, over: try CurlTransport())
    expectEqual(whole.body, gzip.prefix(10))
    expectNil(whole.code)
  }

  @Test func aRangeInTheMiddleFails() async {
    let gzip = Compressed.gzip
    let result = await body("bytes=20-", gzip.dropFirst(20), "bytes 20-\(gzip.count - 1)/\(gzip.count)")
    expect(result.code != nil)
  }

  @Test func aRangeThatIsTheWholeBodyOrWasEncodedItselfIsDelivered() async {
    let (gzip, plain) = (Compressed.gzip, Compressed.plain)
    let whole = await body("bytes=0-", gzip, "bytes 0-\(gzip.count - 1)/\(gzip.count)")
    expectEqual(whole.body, plain)
    expectNil(whole.code)
    let encoded = await body("bytes=100-", gzip, "bytes 100-\(plain.count + 99)/\(plain.count + 100)")
    expectEqual(encoded.body, plain)
    expectNil(encoded.code)
  }
}
