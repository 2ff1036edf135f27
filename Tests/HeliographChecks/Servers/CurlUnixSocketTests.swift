#if HELIOGRAPH_CURL
import Foundation
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

@testable import Heliograph

/// Requests over a Unix domain socket, on which a real nginx listens.
@Suite(.enabled(if: CurlTransport.isAvailable && NginxServer.isAvailable)) struct CurlUnixSocketTests {
  let nginx: NginxServer

  init() async throws {
    nginx = try await NginxServer()
  }

  private func transport(_ adjust: (inout TransportSettings) -> Void = { _ in }) throws -> CurlTransport {
    var settings = TransportSettings()
    settings.unixSocketPath = nginx.socketPath
    adjust(&settings)
    return try CurlTransport(settings)
  }

  private func record(
    _ transport: CurlTransport, _ request: Request
  ) async -> SignalRecorder<Response<Data>, NetworkError> {
    let recorder = SignalRecorder(NetworkClient(.open(transport)).exchange(request: request))
    await recorder.waitForEnd()
    return recorder
  }

  @Test(arguments: ["http://localhost/", "http://shop.invalid:8080/", "http://[::1]/"])
  func allRequestsGoThereWhateverTheirHost(_ address: String) async throws {
    let asked = Guarded(false)
    let transport = try transport {
      $0.resolve = { _, _ in
        asked.withLock { $0 = true }
        return []
      }
      $0.proxy = URL(string: "http://127.0.0.1:1").map { .server($0) } ?? .direct
    }
    let recorder = await record(transport, Request(.get, RequestPath(address)))
    expectEqual(recorder.values.first?.value, Data("unix".utf8), "\(recorder.events)")
    expect(!asked.withLock { $0 })
  }

  /// See `CurlQuirks.sendsOnUncleanConnections`.
  @Test("S1-34") func theConnectionIsKeptFromLibcurl8On() async throws {
    let transport = try transport()
    var connections: Set<String> = []
    for _ in 0..<4 {
      let recorder = await record(transport, "http://localhost/")
      connections.insert(try require(recorder.values.first?.headers["X-Connection"]))
    }
    expectEqual(connections.count, CurlQuirks.sendsOnUncleanConnections ? 4 : 1)
  }

  @Test func bodiesGoBothWays() async throws {
    let transport = try transport()
    let data = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
    let body = RequestBody.data(data, contentType: "a/b")
    let put = await record(transport, Request(.put, "http://localhost/files/new", body: body))
    expectEqual(put.values.first?.statusCode, 201, "\(put.events)")
    let get = await record(transport, "http://localhost/files/new")
    expectEqual(get.values.first?.value, data)
  }

  @Test func noNetworkIsNeeded() throws {
    try expectEqual(transport().usesNetwork, false)
  }

  @Test func aSocketThatIsNotThereCannotBeConnectedTo() async throws {
    let path = nginx.folder.path + "/nobody.sock"
    let recorder = await record(try transport { $0.unixSocketPath = path }, "http://localhost/")
    expectEqual(recorder.failure?.code, .cannotConnect, "\(recorder.events)")
  }

  @Test(arguments: ["", String(repeating: "a", count: 108), "a\0b"])
  func aPathThatNoSocketCanHaveIsRefusedAtOnce(_ path: String) {
    let error = #expect(throws: NetworkError.self) { try transport { $0.unixSocketPath = path } }
    expectEqual(error?.code, .invalidTransport)
  }
}
#endif
