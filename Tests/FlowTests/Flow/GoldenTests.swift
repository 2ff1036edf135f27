import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Requests of every kind, from what a caller writes to the bytes that arrive, compared with files that were read and
/// found right.
///
/// `HELIOGRAPH_GOLDEN=write` writes the files anew; read what has changed before you keep it.
struct GoldenTests {
  private static let isWriting = ProcessInfo.processInfo.environment["HELIOGRAPH_GOLDEN"] == "write"
  private static let folder = Repository.fixture("golden")

  private static func file(_ golden: GoldenRequest) -> URL { folder.appendingPathComponent(golden.name + ".txt") }

  @Test("S0-6 S0-7 S0-19 S1-5 S1-11 S1-20 S1-33", arguments: TransportKind.present, GoldenRequest.all)
  func arrivesAsTheFileSays(_ kind: TransportKind, _ golden: GoldenRequest) async throws {
    if kind == .urlSession, TransportHabits.refused[golden.name] != nil { return }
    let server = try WireServer()
    let base = try require(URL(string: "http://127.0.0.1:\(server.port)"))
    var configuration = NetworkClient.Configuration(baseURL: base, services: GoldenRequest.services(base))
    configuration.transport = try kind.transport()
    golden.adjust(&configuration.builder)
    let request = try golden.request(base).asRequest()
    let wanted = try configuration.builder.build(request)
    let recorder = SignalRecorder(NetworkClient(configuration).exchange(request: request))
    await recorder.waitForEnd()
    expectEqual(recorder.values.first?.statusCode, 200, "\(String(describing: recorder.failure))")
    let wire = try WireRequest(try require(server.requests.first))
    let arrived = TransportHabits.text(wire, wanted: wanted, port: server.port)
    if Self.isWriting, kind == .curl { try Data(arrived.utf8).write(to: Self.file(golden)) }
    let expected = String(decoding: try Data(contentsOf: Self.file(golden)), as: UTF8.self)
    expect(
      TransportHabits.comparable(arrived, kind).utf8.elementsEqual(TransportHabits.comparable(expected, kind).utf8),
      "\(golden.name) over \(kind):\n\(arrived)\n--- and not\n\(expected)")
  }

  /// Names of codings are case-insensitive (RFC 9112 §7), and CFNetwork is known to capitalize this one.
  @Test(arguments: ["chunked", "Chunked"]) func chunksAreJoinedHoweverTheirNameIsWritten(_ coding: String) throws {
    let head = "POST /a HTTP/1.1\r\nTransfer-Encoding: \(coding)\r\n\r\n"
    let bytes = Data("\(head)5\r\nhello\r\n0\r\n\r\n".utf8)
    expect(WireRequest.isComplete(bytes))
    let wire = try WireRequest(bytes)
    expectEqual(wire.body, Data("hello".utf8))
    let wanted = HTTPRequest(method: .post, url: try require(URL(string: "http://127.0.0.1/a")))
    let text = TransportHabits.text(wire, wanted: wanted, port: 80)
    expectEqual(
      TransportHabits.comparable(text, .urlSession), "POST /a HTTP/1.1\ncontent-length: 5\n\nhello")
  }

  @Test func eachExceptionIsOfARequest() {
    expect(Set(TransportHabits.refused.keys).isSubset(of: GoldenRequest.all.map(\.name)))
  }

  @Test(.enabled(if: !isWriting)) func eachFileHasItsRequest() throws {
    let names = GoldenRequest.all.map { $0.name + ".txt" }
    try expectEqual(FileManager.default.contentsOfDirectory(atPath: Self.folder.path).sorted(), names.sorted())
  }
}
