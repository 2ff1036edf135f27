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

  /// The last response is written before the first one.
  @Test func aNumberIsGivenOnce() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let stub = StubTransport(scheduler: clock)
    stub.on(.get, "/a", .text("first").delayed(by: .seconds(2)), .text("second"), .text("third"))
    let recording = try CassetteTransport(file: file, recording: stub)
    for tokens in [["x", "y"], ["z"]] {
      let recorders = try tokens.map { try send("/a?token=\($0)", over: recording) }
      clock.run()
      expect(recorders.allSatisfy(\.isCompleted))
    }
    let replaying = try CassetteTransport(file: file)
    try expectEqual(
      ["x", "y", "z"].map { text(try send("/a?token=\($0)", over: replaying)) }, ["first", "second", "third"])
  }

  /// The exchanges of a file, in which a user has removed some.
  private func change(_ change: (inout [[String: Any]]) -> Void) throws {
    let data = try Data(contentsOf: file)
    var exchanges = try require(JSONSerialization.jsonObject(with: data) as? [[String: Any]])
    change(&exchanges)
    try JSONSerialization.data(withJSONObject: exchanges, options: .prettyPrinted).write(to: file)
  }

  /// Records so many requests, of which the first are answered by the file.
  private func record(_ path: String, _ count: Int, _ answers: StubAnswer...) throws {
    let stub = StubTransport()
    let rest = Guarded(answers[...])
    stub.on(.get, RequestPath(path)) { _ in rest.withLock { $0.popFirst() } ?? .status(500) }
    let recording = try CassetteTransport(file: file, recording: stub)
    for _ in 1...count { try expectNil(send(path, over: recording).failure) }
  }

  @Test func aRecordingFollowsWhatIsLeftOfAnEarlierOne() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try record("/a", 3, .text("first"), .text("second"), .text("third"))
    try change { $0.removeFirst(2) }
    try record("/a", 2, .text("fourth"))
    let replaying = try CassetteTransport(file: file)
    try expectEqual((1...2).map { _ in text(try send("/a", over: replaying)) }, ["third", "fourth"])
  }

  @Test func anyNumberInAFileIsExtended() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try record("/a", 1, .text("first"))
    try change { $0[0]["number"] = Int.max }
    try record("/a", 2, .text("second"))
  }

  @Test func anEmptiedFileIsExtended() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try record("/a", 1, .text("first"))
    try Data("[\n\n]".utf8).write(to: file)
    try record("/a", 1, .text("second"))
    try expectEqual(text(send("/a", over: CassetteTransport(file: file))), "second")
  }

  /// Its exchanges have no numbers, but replacements of numbers that begin with theirs.
  @Test func aSecretNumberIsNotThatOfAnExchangeOfAnEarlierVersion() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try record("/a", 1, .json(#"{"token":4711}"#))
    try change { $0[0]["number"] = nil }
    try record("/b", 1, .json(#"{"token":4712}"#))
    let replaying = try CassetteTransport(file: file)
    let bodies = try ["/a", "/b"].map { text(try send($0, over: replaying)) }
    expect(bodies[0] != bodies[1] && bodies[0].contains("token"), "\(bodies)")
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
