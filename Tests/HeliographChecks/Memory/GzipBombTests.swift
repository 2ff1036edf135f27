import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Ten megabytes that unpack to ten gigabytes of zeros.
///
/// `HELIOGRAPH_SCALE=10`, in a process in which nothing else runs: with a look at the process's memory.
@Suite(.serialized, .enabled(if: CurlTransport.isAvailable)) struct GzipBombTests {
  private static let isAlone = Scale.isMedium
  private static let limit = 8 << 20
  private static let memberByteCount = 3_000_000

  private let server: LoopbackServer
  private let client: NetworkClient

  init() throws {
    // Members one after another are a gzip file, too (RFC 1952 §2.2).
    let member = try Compressed.bomb()
    var bomb = Data(capacity: 10_100_000)
    while bomb.count < 10_000_000 { bomb.append(member) }
    expect(bomb.count / member.count * GzipBombTests.memberByteCount > 9_900_000_000)
    server = try LoopbackServer()
    server.route("GET", "/bomb") { [bomb] _ in .data(bomb).header("Content-Encoding", "gzip") }
    client = NetworkClient(.init(baseURL: server.baseURL, transport: try CurlTransport()))
  }

  private func request(_ limits: ResponseLimits) -> Request {
    let options = RequestOptions.with {
      $0.limits = limits
      $0.progressInterval = .zero  // Memory is looked at with each piece.
    }
    return Request(.get, "/bomb", options: options)
  }

  /// Runs a signal to its end and returns the growth of memory at its peak, and the failure.
  private func growth<Value>(
    _ signal: Signal<Value, NetworkError>, _ note: @escaping @Sendable (Value) -> Void
  ) async -> (byteCount: Int, failure: NetworkError?) {
    let before = residentByteCount()
    let peak = Guarded(before)
    let watched = signal.on(
      value: {
        note($0)
        peak.withLock { $0 = max($0, ProcessMemory.residentByteCount) }
      },
      failure: { _ in peak.withLock { $0 = max($0, ProcessMemory.residentByteCount) } })
    let recorder = SignalRecorder(watched.filter { _ in false })
    await recorder.waitForEnd()
    return (peak.withLock { $0 } - before, recorder.failure)
  }

  private func check(_ growth: Int, _ name: String) {
    guard GzipBombTests.isAlone else { return }
    print("gzip bomb, \(name): growth \(growth) bytes")
    expect(growth <= 32 << 20)
  }

  @Test("S4-4") func inMemoryItIsRefusedAtTheLimit() async throws {
    let limits = ResponseLimits(bodyByteCount: GzipBombTests.limit)
    let download = client.download(request: request(limits))
    let result = await growth(download) { expect(($0.progress?.byteCount ?? 0) <= GzipBombTests.limit + 262_144) }
    expectEqual(result.failure?.code, .responseTooLarge)
    check(result.byteCount, "in memory")
    await expect(server.wait { $0.openConnectionCount == 0 })
  }

  @Test("S4-4") func inPiecesItIsRefusedAtTheLimit() async throws {
    let count = Guarded(0)
    for limit in [GzipBombTests.limit, GzipBombTests.isAlone ? 1 << 30 : 64 << 20] {
      count.withLock { $0 = 0 }
      let pieces = client.stream(request: request(ResponseLimits(streamedByteCount: limit)))
      let result = await growth(pieces) { piece in count.withLock { $0 += piece.value.count } }
      expectEqual(result.failure?.code, .responseTooLarge)
      expect(count.withLock { $0 } <= limit)
      check(result.byteCount, "in pieces up to \(limit)")
    }
    await expect(server.wait { $0.openConnectionCount == 0 })
  }

  @Test func aSlowConsumerIsNotFloodedBeforeTheLimit() async throws {
    let count = Guarded(0)
    let pieces = client.stream(request: request(ResponseLimits(streamedByteCount: GzipBombTests.limit)))
    let result = await growth(pieces.observe(on: .serial("slow"))) { piece in
      count.withLock { $0 += piece.value.count }
      // sleeps: a consumer that is slower than the decoder.
      usleep(1000)
    }
    expectEqual(result.failure?.code, .responseTooLarge)
    expect(count.withLock { $0 } <= GzipBombTests.limit)
    check(result.byteCount, "a slow consumer")
  }
}
