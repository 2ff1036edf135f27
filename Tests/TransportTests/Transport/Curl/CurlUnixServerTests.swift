import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Servers at a Unix domain socket that answer early, close, or say what nobody has asked for.
@Suite(.enabled(if: CurlTransport.isAvailable)) struct CurlUnixServerTests {
  private let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path

  private func transport() throws -> CurlTransport {
    var settings = TransportSettings()
    settings.unixSocketPath = path
    return try CurlTransport(settings)
  }

  private func request(_ body: HTTPBody) throws -> HTTPRequest {
    let url = try require(URL(string: "http://localhost/"))
    return HTTPRequest(
      method: .post, url: url, body: body, idleTimeout: .seconds(60), totalTimeout: .seconds(30))
  }

  @Test(arguments: [TroubledSource.mute, .silent], [UploadTroubleTests.Server.refuses, .closes, .resets])
  func anUploadThatWaitsForItsSourceEndsWithTheServer(
    _ source: TroubledSource, _ peer: UploadTroubleTests.Server
  ) async throws {
    let server = try peer.start(at: path)
    defer { unlink(path) }
    let recorder = SignalRecorder(try transport().send(try request(.stream(source.stream))))
    await recorder.waitForEnd()
    let outcome: UploadTroubleTests.Outcome =
      recorder.values.head?.statusCode == 413 && recorder.isCompleted ? .refused : .failure(recorder.failure?.code)
    expectEqual(outcome, peer.outcome, "\(recorder.events)")
    withExtendedLifetime(server) {}
  }

  @Test func anEarlyAnswerCountsThoughTheServerThenCloses() async throws {
    let server = try EarlyServer(
      "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n", reads: true, then: .close, at: path)
    defer { unlink(path) }
    let recorder = SignalRecorder(try transport().send(try request(.data(Data(count: 1_000_000)))))
    await recorder.waitForEnd()
    expectEqual(recorder.values.head?.statusCode, 413, "\(recorder.events)")
    expect(recorder.isCompleted)
    withExtendedLifetime(server) {}
  }

  /// Otherwise each request would get the answer to the one before.
  @Test func anUnsolicitedResponseIsNotDelivered() async throws {
    let clients = Guarded<[Int32]>([])
    let server = try LoopbackAcceptor(at: path) { client in
      var buffer = [UInt8](repeating: 0, count: 1024)
      _ = recv(client, &buffer, buffer.count, 0)  // blocks: a thread of its own
      let number = clients.withLock { clients in
        clients.append(client)
        return clients.count
      }
      LoopbackSocket.write(Data("HTTP/1.1 20\(number) OK\r\nContent-Length: 0\r\n\r\n".utf8), to: client)
    }
    defer {
      for client in clients.withLock({ $0 }) { close(client) }
      unlink(path)
    }
    let transport = try transport()
    for status in [201, 202] {
      let recorder = SignalRecorder(transport.send(try request(.empty)))
      await recorder.waitForEnd()
      expectEqual(recorder.values.head?.statusCode, status, "\(recorder.events)")
      let client = try require(clients.withLock { $0.last })
      LoopbackSocket.write(Data("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".utf8), to: client)
    }
    withExtendedLifetime(server) {}
  }
}
