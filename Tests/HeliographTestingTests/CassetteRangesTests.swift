import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// Requests for ranges of one URL have exchanges of their own.
struct CassetteRangesTests {
  private let file = FileManager.default.temporaryDirectory.appendingPathComponent("ranges-\(UUID().uuidString).json")
  private let stub = StubTransport()

  init() {
    let text = "0123456789"
    stub.on(.get, "/film") { request in
      guard let range = request.headers["Range"] else { return .text(text) }
      let start = Int(range.dropFirst(6).prefix(1)) ?? 0  // "bytes=4-"
      return .text(String(text.dropFirst(start)), status: 206, headers: ["Content-Range": "bytes \(start)-9/10"])
    }
  }

  private func client(recording: Bool) throws -> NetworkClient {
    let transport = try CassetteTransport(file: file, recording: recording ? stub : nil)
    return NetworkClient(.init(baseURL: URL(string: "https://api.example.com"), transport: transport))
  }

  private func body(_ client: NetworkClient, _ range: String?, _ query: String = "") async throws -> String {
    let headers: HTTPHeaders = range.map { ["Range": $0] } ?? [:]
    return try await client.value(of: Request(.get, RequestPath("/film" + query), headers: headers), as: String.self)
  }

  /// Also of a URL with a secret.
  @Test(arguments: ["", "?token=alpha"]) func eachRangeIsReplayed(_ query: String) async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let recording = try client(recording: true)
    for range in ["bytes=4-", nil, "bytes=7-"] { _ = try await body(recording, range, query) }
    let replaying = try client(recording: false)
    for (range, expected) in [("bytes=7-", "789"), (nil, "0123456789"), ("bytes=4-", "456789"), ("bytes=7-", "789")] {
      try await expectEqual(body(replaying, range, query), expected)
    }
  }

  @Test func anotherRangeIsExplained() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let recording = try client(recording: true)
    for range in ["bytes=4-", nil] { _ = try await body(recording, range) }
    let request = Request(.get, "/film", headers: ["Range": "bytes=5-"])
    let recorder = try SignalRecorder(client(recording: false).exchange(request: request))
    expectEqual(recorder.failure?.code, .unexpectedRequest)
    let reason = "the cassette has this request with other Range fields: bytes=4-, none"
    try expect("\(require(recorder.failure))".contains(reason))
  }

  /// Its exchanges do not have the range: they are replayed in their order, and extended.
  @Test func aFileOfAnEarlierVersionIsReplayed() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let recording = try client(recording: true)
    for range in ["bytes=4-", "bytes=7-"] { _ = try await body(recording, range) }
    let text = try String(contentsOf: file, encoding: .utf8)
    let earlier = text.replacing(/"range" : "bytes=[0-9]-",\s*/, with: "")
    expect(text.contains("\"range\"") && !earlier.contains("\"range\""), "\(text)")
    try earlier.write(to: file, atomically: true, encoding: .utf8)
    let extending = try client(recording: true)
    for (range, expected) in [("bytes=4-", "456789"), ("bytes=7-", "789"), ("bytes=9-", "9")] {
      try await expectEqual(body(extending, range), expected)
    }
    let replaying = try client(recording: false)
    for expected in ["456789", "789", "9"] { try await expectEqual(body(replaying, "bytes=1-"), expected) }
  }
}
