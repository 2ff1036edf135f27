import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// Parallel requests are replayed in the order in which they were sent, and the file is prepared before.
struct CassetteOrderTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("order-\(UUID().uuidString)")
  private let clock = VirtualScheduler()

  private var file: URL { folder.appendingPathComponent("cassettes/a.json") }

  private func send(_ target: String, over transport: CassetteTransport) throws -> SignalRecorder<
    TransportEvent, NetworkError
  > {
    let url = try require(URL(string: "https://api.example.com" + target))
    return SignalRecorder(transport.send(HTTPRequest(url: url)))
  }

  private func text(_ recorder: SignalRecorder<TransportEvent, NetworkError>) -> String {
    recorder.values.reduce(into: "") { text, event in
      if case .body(let data) = event { text += String(decoding: data, as: UTF8.self) }
    }
  }

  /// The same request, and requests that differ only in a secret.
  @Test(arguments: [["/a", "/a", "/a"], ["/a?token=x", "/a?token=y", "/a?token=x"]])
  func parallelRequestsAreReplayedAsTheyWereSent(_ targets: [String]) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    let stub = StubTransport(scheduler: clock)
    stub.on(
      .get, "/a", .text("first").delayed(by: .seconds(3)), .text("second").delayed(by: .seconds(2)),
      .text("third").delayed(by: .seconds(1)))
    let transports = [
      try CassetteTransport(file: file, recording: stub), try CassetteTransport(file: file, recording: stub),
    ]
    let recorders = try targets.enumerated().map { try send($1, over: transports[$0 % 2]) }
    clock.run()
    expectEqual(recorders.map(text), ["first", "second", "third"])
    let replaying = try CassetteTransport(file: file)
    try expectEqual(targets.map { text(try send($0, over: replaying)) }, ["first", "second", "third"])
  }

  @Test func aLaterRecordingFollowsTheEarlierOne() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    let stub = StubTransport(scheduler: clock)
    stub.on(.get, "/a", .text("first"), .text("second").delayed(by: .seconds(2)), .text("third"))
    for count in [1, 3] {
      let recording = try CassetteTransport(file: file, recording: stub)
      let recorders = try (1...count).map { _ in try send("/a", over: recording) }
      clock.run()
      expect(recorders.allSatisfy(\.isCompleted))
      // A file of an earlier version has no numbers.
      let text = try String(contentsOf: file, encoding: .utf8)
      if count == 1 {
        try text.replacing(/"number" : [0-9]+,/, with: "").write(to: file, atomically: true, encoding: .utf8)
      }
    }
    let replaying = try CassetteTransport(file: file)
    try expectEqual((1...3).map { _ in text(try send("/a", over: replaying)) }, ["first", "second", "third"])
  }

  @Test func aMissingFolderIsCreated() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let stub = StubTransport()
    stub.on(.get, "/a", .text("first"))
    let recorder = try send("/a", over: CassetteTransport(file: file, recording: stub))
    expectNil(recorder.failure)
    try expectEqual(text(send("/a", over: CassetteTransport(file: file))), "first")
  }

  @Test func nothingIsSentIfTheFolderCannotBeCreated() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data().write(to: folder)
    let stub = StubTransport()
    stub.on(.get, "/a", .text("first"))
    let recorder = try send("/a", over: CassetteTransport(file: file, recording: stub))
    expectEqual(recorder.failure?.code, .invalidTransport)
    expectEqual(stub.requests.count, 0)
  }

  @Test func theErrorOfAFailedWriteHasItsReason() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let stub = StubTransport()
    stub.on(.get, "/a") { [folder] _ in
      try FileManager.default.removeItem(at: folder)
      return .text("first")
    }
    let recorder = try send("/a", over: CassetteTransport(file: file, recording: stub))
    expectEqual(recorder.failure?.code, .invalidTransport)
    expectEqual((recorder.failure?.underlying as? POSIXError)?.code, .ENOENT)
  }
}
