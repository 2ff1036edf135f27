import Foundation
import Heliograph
import HeliographTesting
import Testing

/// Responses that no server should send, asked for as JSON over real sockets.
@Suite struct MalformedResponseTests {
  let server: LoopbackServer

  init() throws {
    server = try LoopbackServer()
    server.route("GET", "/good") { _ in .json("1") }
  }

  private func client(_ kind: TransportKind) throws -> NetworkClient {
    NetworkClient(.init(baseURL: server.baseURL, services: [], transport: try kind.transport()))
  }

  /// What came of a request, as the file writes it.
  private func outcome(_ recorder: SignalRecorder<Response<JSON>, NetworkError>) -> Data {
    guard let error = recorder.failure else {
      return Data(recorder.values.map { "value \($0.statusCode) \($0.value)" }.joined(separator: " and ").utf8)
    }
    let start = "\(error.domain) \(error.code)"
    guard let response = error.response else { return Data(start.utf8) }
    let body = response.value.isEmpty ? Data() : Data(" ".utf8) + response.value
    return Data("\(start) \(response.statusCode)".utf8) + body
  }

  private static func shown(_ bytes: Data) -> String { String(decoding: bytes.prefix(300), as: UTF8.self).debugDescription }

  @Test("S0-9, S1-6", arguments: TransportKind.present, MalformedResponse.all)
  func endsOnceAsTheFileSays(_ kind: TransportKind, _ answer: MalformedResponse) async throws {
    if let only = ProcessInfo.processInfo.environment["ONLY"], only != kind.rawValue + " " + answer.name { return }
    guard let expected = answer.expected(over: kind) else { return }
    server.route("GET", "/") { _ in answer.response }
    let wire = try answer.ending == .early ? WireServer(early: answer.bytes) : nil
    let url = wire.map { "http://127.0.0.1:\($0.port)/" } ?? "/"
    let client = try client(kind)
    // Where nothing more comes only this ends it; elsewhere it never counts.
    let timeout = Duration.milliseconds(answer.ending == .hold ? 500 : 60_000)
    let request = Request(.get, url, options: .with { $0.timeout = timeout })
    let recorder = SignalRecorder(client.enqueue(request: request, resultType: JSON.self))
    #expect(await recorder.waitForEnd(.seconds(30)), "it does not end")
    let outcome = outcome(recorder)
    print("OUT|\(kind.rawValue)|\(answer.name)|\(Self.shown(outcome))|\(recorder.failure?.reason ?? "")")
    #expect(outcome == expected, "\(Self.shown(outcome)), not \(Self.shown(expected))")
    // The client goes on as if nothing had been, and gets nobody else's answer.
    let next = SignalRecorder(client.enqueue(request: "/good", resultType: JSON.self))
    await next.waitForEnd()
    #expect(next.values.map(\.value) == [1], "\(next.events)")
    #expect(recorder.violations.isEmpty)
    #expect(recorder.events.count { $0.isTerminal } == 1)
  }
}
