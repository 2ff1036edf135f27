import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

/// The pieces of a stream, as a transport requests them.
struct PieceReaderTests {
  private final class Probe: Sendable {
    private let onDeinit: @Sendable () -> Void

    init(_ onDeinit: @escaping @Sendable () -> Void) { self.onDeinit = onDeinit }

    deinit { onDeinit() }
  }

  @Test func aStreamIsOpenedWithTheFirstRequest() throws {
    let openCount = Guarded(0)
    let stream = BodyStream {
      openCount.withLock { $0 += 1 }
      return { .just(Data([1])) }
    }
    let reader = PieceReader(stream) {}
    reader.rewind()
    expectEqual(openCount.withLock { $0 }, 0)
    var byte: UInt8 = 0
    for count in 1...2 {
      try withUnsafeMutableBytes(of: &byte) { expectEqual(try reader.read(into: $0), 1) }
      expectEqual(openCount.withLock { $0 }, count)
      reader.rewind()
    }
  }

  /// What a source captures is the app's, and its deinit may do anything.
  @Test func aRewindFreesTheFormerPassOutsideTheLock() throws {
    let reader = Guarded<PieceReader?>(nil)
    let freed = Guarded(0)
    let stream = BodyStream {
      let probe = Probe {
        _ = reader.withLock { $0 }?.offset
        freed.withLock { $0 += 1 }
      }
      return {
        _ = probe
        return .just(Data([1]))
      }
    }
    let first = PieceReader(stream) {}
    reader.withLock { $0 = first }
    var byte: UInt8 = 0
    let count = try withUnsafeMutableBytes(of: &byte) { try first.read(into: $0) }
    expectEqual(count, 1)
    first.rewind()
    expectEqual(freed.withLock { $0 }, 1)
    let last = reader.withLock { $0.take() }
    withExtendedLifetime(last) {}
  }

  /// The deallocator of a piece is the app's, too.
  @Test func theNextPieceFreesTheFormerOneOutsideTheLock() throws {
    let reader = Guarded<PieceReader?>(nil)
    let freed = Guarded(0)
    let stream = BodyStream {
      {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 1)
        memory.initializeMemory(as: UInt8.self, repeating: 1, count: 64)
        return .just(
          Data(
            bytesNoCopy: memory, count: 64,
            deallocator: .custom { memory, _ in
              memory.deallocate()
              _ = reader.withLock { $0 }?.offset
              freed.withLock { $0 += 1 }
            }))
      }
    }
    let first = PieceReader(stream) {}
    reader.withLock { $0 = first }
    var bytes = [UInt8](repeating: 0, count: 64)
    for count in 0..<3 {
      expectEqual(try bytes.withUnsafeMutableBytes { try first.read(into: $0) }, 64)
      expectEqual(freed.withLock { $0 }, count)
    }
    let last = reader.withLock { $0.take() }
    withExtendedLifetime(last) {}
  }
}
