import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// A body that is stored and delivered without being in memory as a whole.
///
/// `HELIOGRAPH_SCALE=10`, in a process in which nothing else runs: 200 MB, with a look at the process's memory.
struct CacheLargeBodyTests {
  private static let isAlone = Scale.isMedium
  private static let pieceCount = isAlone ? 3_200 : 100

  /// Sends pieces of 64 KiB that are made one after another.
  private struct PieceTransport: Transport {
    let exchanges: ExchangeCount

    func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
      Signal { observer in
        exchanges.count.withLock { $0 += 1 }
        observer.send(.head(HTTPResponse(statusCode: 200, headers: ["Cache-Control": "max-age=60"], url: request.url)))
        for number in 0..<CacheLargeBodyTests.pieceCount where !observer.isDisposed {
          observer.send(.body(Data(repeating: UInt8(truncatingIfNeeded: number), count: 65_536)))
        }
        observer.complete()
        return nil
      }
    }
  }

  @Test func aLargeBodyIsStreamedToAndFromDisk() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "large-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let cache = try ResponseCache(folder: folder, diskByteCount: 1_000_000_000, reservedByteCount: 0)
    let box = ExchangeCount()
    let transport = CachingTransport(PieceTransport(exchanges: box), cache: cache, scheduler: .immediate)
    let url = try require(URL(string: "https://api.example.com/large"))
    var request = HTTPRequest(url: url)
    request.cachePolicy = .http
    let before = residentByteCount()
    for round in 0..<3 {
      let seen = Seen()
      transport.send(request).subscribe { seen.take($0) }
      expectEqual(seen.byteCount, CacheLargeBodyTests.pieceCount * 65_536)
      expect(seen.isInOrder)
      expect(seen.isCompleted)
      expectEqual(seen.isFromCache, (round > 0))
    }
    expectEqual(box.count.withLock { $0 }, 1)
    if CacheLargeBodyTests.isAlone { expect(residentByteCount() - before <= 16 << 20) }
  }

  /// What a subscriber sees of a body, without keeping it.
  private final class Seen: Sendable {
    private struct State {
      var byteCount = 0
      var isInOrder = true
      var isCompleted = false
      var isFromCache = false
    }

    private let state = Guarded(State())

    var byteCount: Int { state.withLock { $0.byteCount } }
    var isInOrder: Bool { state.withLock { $0.isInOrder } }
    var isCompleted: Bool { state.withLock { $0.isCompleted } }
    var isFromCache: Bool { state.withLock { $0.isFromCache } }

    func take(_ event: Event<TransportEvent, NetworkError>) {
      state.withLock { state in
        switch event {
        case .value(.source(.cache)): state.isFromCache = true
        case .value(.body(let piece)):
          let number = UInt8(truncatingIfNeeded: state.byteCount / 65_536)
          state.isInOrder = state.isInOrder && piece.first == number && piece.last == number
          state.byteCount += piece.count
        case .completed: state.isCompleted = true
        default: break
        }
      }
    }
  }
}

/// A count that several copies of a transport share.
private final class ExchangeCount: Sendable {
  let count = Guarded(0)
}
