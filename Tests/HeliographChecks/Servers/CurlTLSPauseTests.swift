import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Downloads over HTTP/2 whose consumer falls behind, while another exchange reads from their connection.
@Suite(.enabled(if: CurlTransport.supportsHTTP2 && NginxServer.isAvailable)) struct CurlTLSPauseTests {
  private static let byteCount = 200 << 20
  /// What may be waiting: the windows of two pauses, buffers of the kernel and of nginx.
  private static let limit = 64 << 20

  let nginx: NginxServer
  let upstream: LoopbackServer

  init() async throws {
    upstream = try LoopbackServer()
    upstream.route("GET", "/never") { _ in .never }
    nginx = try await NginxServer(upstream: upstream)
    let file = nginx.folder.appendingPathComponent("files/zeros")
    try Data().write(to: file)
    let handle = try FileHandle(forWritingTo: file)
    try handle.truncate(atOffset: UInt64(Self.byteCount))
    try handle.close()
  }

  /// The number of bytes that nginx has read, of which nearly all are the file's.
  private func readByteCount() throws -> Int {
    let folder = nginx.folder
    let pid = try String(contentsOf: folder.appendingPathComponent("nginx.pid"), encoding: .utf8)
    let path = "/proc/\(pid.trimmingCharacters(in: .whitespacesAndNewlines))/io"
    let first = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").first
    return try require(first.flatMap { Int($0.dropFirst("rchar: ".count)) })
  }

  @Test(arguments: [false, true]) func aPausedStreamIsPausedWhileTheConnectionIsRead(_ isSlow: Bool) async throws {
    let transport = try CurlTransport(try secureSettings())
    let never = HTTPRequest(url: try nginx.url(\.secure, "/upstream/never"), idleTimeout: .seconds(3_600))
    let other = SignalRecorder(transport.send(never))
    await expect(upstream.wait { $0.requests.count == 1 })
    let before = try readByteCount()
    let arrived = Guarded(0)
    let taken = Guarded(0)
    let scheduler = VirtualScheduler()
    let recorder = SignalRecorder(
      transport.send(HTTPRequest(url: try nginx.url(\.secure, "/files/zeros"), idleTimeout: .seconds(3_600)))
        .map { event -> Int in if case .body(let body) = event { body.count } else { 0 } }
        .on(value: { count in arrived.withLock { $0 += count } })
        .observe(on: scheduler)
        .on(value: { count in taken.withLock { $0 += count } }))
    await until { arrived.withLock { $0 } > 0 }
    // sleeps: the consumer takes nothing while nginx could send everything.
    try await Task.sleep(for: .seconds(1))
    expect(arrived.withLock { $0 } < 2 << 20)
    var most = 0
    while !recorder.hasEnded {
      most = max(most, try readByteCount() - before - taken.withLock { $0 })
      scheduler.run()
      // sleeps: the consumer falls behind again and again.
      try await Task.sleep(for: .milliseconds(isSlow ? 30 : 2))
    }
    expect(recorder.isCompleted, "\(String(describing: recorder.failure))")
    expectEqual(taken.withLock { $0 }, Self.byteCount)
    expect(most < Self.limit, "\(most)")
    expect(!other.hasEnded)
  }

  /// What libcurl has held back comes in order, and is decoded as it is consumed.
  @Test(arguments: [false, true]) func aPausedBodyArrivesWhole(_ isEncoded: Bool) async throws {
    let random = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/dev/urandom"))
    let body = try require(try random.read(upToCount: 30_000_000))
    let response =
      isEncoded ? LoopbackResponse.data(Self.deflated(body)).header("Content-Encoding", "deflate") : .data(body)
    upstream.route("GET", "/random") { _ in response }
    let transport = try CurlTransport(try secureSettings())
    let never = HTTPRequest(url: try nginx.url(\.secure, "/upstream/never"), idleTimeout: .seconds(3_600))
    let other = SignalRecorder(transport.send(never))
    let scheduler = VirtualScheduler()
    let recorder = SignalRecorder(
      transport.send(HTTPRequest(url: try nginx.url(\.secure, "/upstream/random"), idleTimeout: .seconds(3_600)))
        .observe(on: scheduler))
    while !recorder.hasEnded {
      // sleeps: a consumer that falls behind.
      try await Task.sleep(for: .milliseconds(50))
      scheduler.run()
    }
    expect(recorder.isCompleted, "\(String(describing: recorder.failure))")
    expect(recorder.values.body == body)
    expect(!other.hasEnded)
  }

  /// Data in blocks without compression (RFC 1951 §3.2.4).
  private static func deflated(_ data: Data) -> Data {
    var result = Data()
    for start in stride(from: 0, to: data.count, by: 65_535) {
      let block = data[start..<min(start + 65_535, data.count)]
      let count = UInt16(block.count)
      let isLast = block.endIndex == data.count
      result.append(isLast ? 1 : 0)
      for number in [count, ~count] { result.append(contentsOf: [UInt8(number & 0xFF), UInt8(number >> 8)]) }
      result += block
    }
    return result
  }
}
