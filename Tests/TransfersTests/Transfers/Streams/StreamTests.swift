import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Bodies in pieces, over each transport there is.
struct StreamTests {
  typealias Kind = TransportKind

  let server: LoopbackServer

  init() throws {
    server = try LoopbackServer()
    server.route("GET", "/long") { _ in .data(RangedContent.bytes(3_000_000)) }
    server.route("GET", "/none") { _ in .data(Data()) }
    server.route("GET", "/bad") { _ in .json(#"{"why":"no"}"#, status: 422) }
    server.route("GET", "/cut") { _ in .data(RangedContent.bytes(300_000)).cut(afterByteCount: 200_000) }
  }

  private func client(_ kind: Kind, _ change: (inout NetworkClient.Configuration) -> Void = { _ in }) throws
    -> NetworkClient
  {
    var configuration = NetworkClient.Configuration(baseURL: server.baseURL, transport: try kind.transport())
    change(&configuration)
    return NetworkClient(configuration)
  }

  private struct Feed: Service {
    let messages: [NetworkError.Code: String] = [.notCached: "Nothing was saved."]

    func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? { nil }
  }

  @Test func theMessageOfTheServiceIsUsedForAStreamFromTheCache() {
    let kit = TestKit { $0.services = ServiceRegistry([Feed()]) }
    let request = Request(.get, "/a", service: "Feed", cache: .onlyIfCached)
    let recorder = SignalRecorder(kit.client.stream(request: request))
    expectEqual(recorder.failure?.code, .notCached)
    expectEqual(recorder.failure?.message, "Nothing was saved.")
  }

  @Test(arguments: Kind.present) func thePiecesAreTheBody(_ kind: Kind) async throws {
    let recorder = SignalRecorder(try client(kind).stream(request: "/long"))
    await recorder.waitForEnd()
    expect(recorder.isCompleted)
    let pieces = recorder.values.map(\.value)
    expect(pieces.count > 3)
    expect(!pieces.dropFirst().dropLast().contains(Data()))
    expectEqual(pieces.reduce(Data(), +), RangedContent.bytes(3_000_000))
    expect(recorder.values.allSatisfy { $0.statusCode == 200 && $0.headers["Content-Length"] == "3000000" })
  }

  @Test(arguments: Kind.present) func theFirstAndTheLastPieceAreEmpty(_ kind: Kind) async throws {
    for path in ["/none", "/long"] as [RequestPath] {
      let recorder = SignalRecorder(try client(kind).stream(request: Request(.get, path)))
      await recorder.waitForEnd()
      expect(recorder.isCompleted)
      let (first, last) = (try require(recorder.values.first), try require(recorder.values.last))
      expectEqual([first.value, last.value], [Data(), Data()])
      expectNil(first.metrics)
      expect(last.metrics != nil)
      if path == "/none" { expectEqual(recorder.values.count, 2) }
    }
  }

  @Test(.enabled(if: TransportKind.isComplete)) func theHeadIsDeliveredBeforeAnyByte() async throws {
    server.route("GET", "/later") { _ in
      .script([.text("HTTP/1.1 203 Later\r\nContent-Type: text/csv\r\nContent-Length: 5\r\n\r\n"), .hold])
    }
    for try await piece in try client(.default).stream(request: "/later").values {
      expectEqual(piece.statusCode, 203)
      expectEqual(piece.headers["Content-Type"], "text/csv")
      break
    }
    await expect(server.wait { $0.openConnectionCount == 0 })
  }

  @Test(arguments: Kind.present) func anErrorHasItsBody(_ kind: Kind) async throws {
    let recorder = SignalRecorder(try client(kind).stream(request: "/bad"))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .status(422))
    expect(recorder.values.isEmpty)
    expectEqual(recorder.failure?.response?.value, Data(#"{"why":"no"}"#.utf8))
  }

  @Test(arguments: Kind.present) func theBodyOfAnErrorIsCutAtAMebibyte(_ kind: Kind) async throws {
    server.route("GET", "/endless") { _ in
      .script([.text("HTTP/1.1 404 Not Found\r\n\r\n"), .bytes(Data(count: 1_200_000)), .hold])
    }
    for limit in [268_435_456, 1_000] {
      let recorder = SignalRecorder(try client(kind) { $0.limits.bodyByteCount = limit }.stream(request: "/endless"))
      await recorder.waitForEnd()
      expectEqual(recorder.failure?.code, .status(404))
      expectEqual(recorder.failure?.response?.value.count, min(limit, 1_048_576))
    }
  }

  @Test(arguments: Kind.present) func aCutBodyFailsAfterItsPiecesAndIsNotRetried(_ kind: Kind) async throws {
    let client = try client(kind) { $0.retry = Retry(limit: 3, backoff: .constant(.zero)) }
    let recorder = SignalRecorder(client.stream(request: "/cut"))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.domain, .network)
    expectEqual(recorder.failure?.response?.statusCode, 200)
    expect(RangedContent.bytes(300_000).starts(with: recorder.values.map(\.value).reduce(Data(), +)))
    expectEqual(server.log.requests.count, 1)
  }

  @Test func aFailureBeforeTheFirstPieceIsRetriedAndRecovered() async throws {
    let kit = TestKit {
      $0.retry = Retry(limit: 1, backoff: .constant(.zero))
      $0.recoveries = [Recovery { (client: NetworkClient) in client.exchange(request: "/token") }]
    }
    kit.stub.on(.get, "/token", .json("{}"))
    kit.stub.on(.get, "/feed", .status(503), .status(401), .json("[1]"))
    let recorder = SignalRecorder(kit.client.stream(request: "/feed"))
    await kit.clock.advance()
    await recorder.waitForEnd()
    expectEqual(recorder.values.map(\.value), [Data(), Data("[1]".utf8), Data()], "\(recorder.events)")
  }

  @Test func theLimitCoversAllPieces() async throws {
    let client = try client(.default) { $0.limits.streamedByteCount = 1_000_000 }
    let recorder = SignalRecorder(client.stream(request: "/long"))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .responseTooLarge)
    expect(recorder.values.reduce(0) { $0 + $1.value.count } <= 1_000_000)
    // The limit of a body in memory does not apply.
    let other = try self.client(.default) { $0.limits.bodyByteCount = 1000 }
    let whole = SignalRecorder(other.stream(request: "/long"))
    await whole.waitForEnd()
    expect(whole.isCompleted)
  }

  @Test(.enabled(if: TransportKind.isComplete)) func aSlowReaderPausesTheConnection() async throws {
    server.route("GET", "/huge") { _ in .data(Data(repeating: 1, count: 60_000_000)) }
    let client = try client(.default)
    for try await piece in client.stream(request: "/huge").values where !piece.value.isEmpty {
      // Another reader has all of it meanwhile, over the same threads.
      let other = SignalRecorder(client.exchange(request: "/huge"))
      await other.waitForEnd()
      expectEqual(other.values.first?.value.count, 60_000_000)
      // What the system's buffers hold at most.
      expect(server.log.connections[0].sentByteCount < 20_000_000)
      break
    }
  }

  @Test func theMonitorsSeeOneDelivery() async throws {
    let log = MonitorLog()
    let client = try client(.default) { $0.monitors = [log] }
    let recorder = SignalRecorder(client.stream(request: "/long"))
    await recorder.waitForEnd()
    let names = log.names.map { String($0.prefix { $0 != " " }) }
    expectEqual(names.filter { $0 == "delivered" || $0 == "received" }, ["delivered", "received"], "\(names)")
    let report = try require(log.requests.first)
    expectEqual(report.bodyByteCount, 3_000_000)
    expect(report.metrics != nil)
    expectNil(report.error)
  }
}
