import Foundation
import HeliographTestSupport
import Signals
import TestSupport
import Testing

@testable import Heliograph

/// A streamed body on its way to a pair of streams, whose buffer is limited.
struct BodyFeedTests {
  /// A buffer of a number of bytes, which a test drains.
  private final class Buffer: BodySink {
    private struct State {
      var waiting = Data()
      var taken = Data()
      var closeCount = 0
      var isReaderClosed = false
    }

    private let capacity: Int
    private let state = Guarded(State())

    init(_ capacity: Int = 10) { self.capacity = capacity }

    var hasSpace: Bool { state.withLock { $0.isReaderClosed || $0.waiting.count < capacity } }
    var all: String { state.withLock { String(decoding: $0.taken + $0.waiting, as: UTF8.self) } }
    var closeCount: Int { state.withLock { $0.closeCount } }

    func write(_ bytes: UnsafeRawBufferPointer) -> Int {
      state.withLock { state in
        if state.isReaderClosed { return -1 }
        let count = min(capacity - state.waiting.count, bytes.count)
        state.waiting += bytes.prefix(count)
        return count
      }
    }

    func close() { state.withLock { $0.closeCount += 1 } }

    /// Reads all that waits.
    func drain() {
      state.withLock { state in
        state.taken += state.waiting
        state.waiting = Data()
      }
    }

    func closeReader() { state.withLock { $0.isReaderClosed = true } }
  }

  private final class Failures: Sendable {
    let errors = Guarded<[NetworkError]>([])

    var reasons: [String] { errors.withLock { $0.map(\.reason) } }
  }

  private let failures = Failures()
  private let wakeCount = CurrentValue(0)

  private func reader(_ stream: BodyStream) -> PieceReader {
    PieceReader(stream) { [wakeCount] in wakeCount.modify { $0 += 1 } }
  }

  private func feed(_ reader: PieceReader, to buffer: Buffer) -> BodyFeed {
    BodyFeed(reader, to: buffer) { [failures] error in failures.errors.withLock { $0.append(error) } }
  }

  /// A stream of texts that counts the requests for them.
  private func stream(
    _ texts: String..., byteCount: Int? = nil, counting count: CurrentValue<Int> = CurrentValue(0)
  ) -> BodyStream {
    BodyStream(byteCount: byteCount) {
      let next = BodyStream.pieces(of: texts.map { Data($0.utf8) })
      return {
        count.modify { $0 += 1 }
        return next()
      }
    }
  }

  @Test func aStoppedFeedLeavesItsSinkOpen() {
    let buffer = Buffer(2)
    let feed = feed(reader(stream("abcd")), to: buffer)
    feed.feed()
    feed.stop()
    buffer.drain()
    feed.feed()
    expectEqual(buffer.all, "ab")
    expectEqual(buffer.closeCount, 0)
    feed.close()
    expectEqual(buffer.closeCount, 1)
  }

  @Test func aPieceIsRequestedWhenTheBufferHasSpace() {
    let requested = CurrentValue(0)
    let buffer = Buffer(4)
    let reader = reader(stream("abcdef", "gh", counting: requested))
    let feed = feed(reader, to: buffer)
    feed.feed()
    expectEqual(buffer.all, "abcd")
    expectEqual(requested.value, 1)
    feed.feed()
    expectEqual(requested.value, 1)
    buffer.drain()
    feed.feed()
    expectEqual(buffer.all, "abcdefgh")
    expectEqual(requested.value, 2)
    expectEqual(buffer.closeCount, 0)
    expectNil(reader.byteCountAtEnd)
    buffer.drain()
    feed.feed()
    expectEqual(buffer.closeCount, 1)
    expectEqual(reader.byteCountAtEnd, 8)
    expectEqual(failures.reasons, [])
  }

  @Test func aPieceThatComesLaterWakesTheFeed() {
    let pieces = PublishSubject<Data, any Error>()
    let buffer = Buffer()
    let feed = feed(reader(BodyStream { { pieces.signal.take(1) } }), to: buffer)
    feed.feed()
    feed.feed()
    expectEqual(buffer.all, "")
    expectEqual(wakeCount.value, 0)
    pieces.send(Data("ab".utf8))
    expectEqual(wakeCount.value, 1)
    feed.feed()
    expectEqual(buffer.all, "ab")
  }

  /// Not one that waits for space.
  @Test func aFeedAwaitsItsSourceWhenEverythingIsWritten() {
    let pieces = PublishSubject<Data, any Error>()
    let buffer = Buffer(4)
    let feed = feed(reader(BodyStream { { pieces.signal.take(1) } }), to: buffer)
    expect(!feed.isAwaitingSource)
    feed.feed()
    expect(feed.isAwaitingSource)
    pieces.send(Data("abcdef".utf8))
    feed.feed()
    expect(!feed.isAwaitingSource)
    buffer.drain()
    feed.feed()
    expect(feed.isAwaitingSource)
    expectEqual(buffer.all, "abcdef")
  }

  @Test func aSourceThatFailsLeavesTheBufferOpenUntilTheTaskHasEnded() {
    let buffer = Buffer()
    let next: BodyStream.Next = { .fail(POSIXError(.EIO)) }
    let feed = feed(reader(BodyStream { next }), to: buffer)
    feed.feed()
    feed.feed()
    expectEqual(failures.reasons, ["the body stream failed"])
    expectEqual(failures.errors.withLock { $0.map(\.code) }, [.invalidBody])
    // A closed buffer would look like the end of the body.
    expectEqual(buffer.closeCount, 0)
    feed.close()
    feed.close()
    expectEqual(buffer.closeCount, 1)
  }

  @Test func anotherLengthThanTheDeclaredOneFails() {
    for (text, found) in [("abc", "3"), ("abcdef", "more")] {
      let failures = Failures()
      let buffer = Buffer()
      let feed = BodyFeed(reader(stream(text, byteCount: 4)), to: buffer) { error in
        failures.errors.withLock { $0.append(error) }
      }
      feed.feed()
      expectEqual(failures.reasons, ["body size mismatch: declared 4 bytes, read \(found)"])
      expectEqual(buffer.closeCount, 0)
    }
  }

  @Test func theDeclaredLengthIsTheEnd() {
    let buffer = Buffer()
    let feed = feed(reader(stream("ab", "cd", byteCount: 4)), to: buffer)
    feed.feed()
    // The last piece is held back until the source has ended, which wakes the feed.
    while buffer.closeCount == 0, wakeCount.value > 0 {
      wakeCount.value = 0
      feed.feed()
    }
    expectEqual(buffer.all, "abcd")
    expectEqual(buffer.closeCount, 1)
    expectEqual(failures.reasons, [])
  }

  @Test func aClosedReaderEndsTheRequestsForPieces() {
    let requested = CurrentValue(0)
    let buffer = Buffer(2)
    let feed = feed(reader(stream("ab", "cd", "ef", counting: requested)), to: buffer)
    feed.feed()
    buffer.closeReader()
    feed.feed()
    feed.feed()
    expectEqual(requested.value, 2)
    expectEqual(buffer.closeCount, 1)
    expectEqual(failures.reasons, [])
  }

  @Test func aFeedThatIsClosedTakesNoFurtherPiece() {
    let requested = CurrentValue(0)
    let buffer = Buffer(2)
    let feed = feed(reader(stream("ab", "cd", counting: requested)), to: buffer)
    feed.feed()
    feed.close()
    buffer.drain()
    feed.feed()
    expectEqual(buffer.all, "ab")
    expectEqual(requested.value, 1)
    expectEqual(buffer.closeCount, 1)
  }

  /// The session asks for the body again.
  @Test func aSecondPassBeginsAtTheStart() {
    let reader = reader(stream("ab", "cd"))
    let (first, second) = (Buffer(2), Buffer())
    let cut = feed(reader, to: first)
    cut.feed()
    cut.close()
    reader.rewind()
    feed(reader, to: second).feed()
    expectEqual(second.all, "abcd")
    expectEqual(failures.reasons, [])
  }

  @Test func aBodyThatIsReadOnceFailsTheSecondPass() async {
    let (pieces, input) = AsyncStream.makeStream(of: Data.self)
    let reader = reader(BodyStream(readingOnce: pieces))
    let first = feed(reader, to: Buffer())
    input.yield(Data("ab".utf8))
    first.feed()
    await until { wakeCount.value == 1 }
    first.feed()
    first.close()
    reader.rewind()
    let buffer = Buffer()
    feed(reader, to: buffer).feed()
    expectEqual(failures.reasons, ["the body can be read only once and can't be sent again"])
    expectEqual(failures.errors.withLock { $0.map(\.code) }, [.invalidBody])
    expectEqual(buffer.all, "")
    input.finish()
  }

  /// Nothing of it was sent, such as before the session asks for the first time.
  @Test func aBodyThatIsReadOnceIsSentAfterAPassThatReadNothing() async {
    let (pieces, input) = AsyncStream.makeStream(of: Data.self)
    let reader = reader(BodyStream(readingOnce: pieces))
    reader.rewind()
    input.yield(Data("ab".utf8))
    input.finish()
    let buffer = Buffer()
    let feed = feed(reader, to: buffer)
    feed.feed()
    await until {
      feed.feed()
      return buffer.closeCount == 1
    }
    expectEqual(buffer.all, "ab")
    expectEqual(failures.reasons, [])
  }
}
