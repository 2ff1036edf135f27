import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

/// What a paused task may go on delivering.
struct PausedBacklogTests {
  private static let limit = PausedBacklog.byteLimit

  /// Adds pieces, one value each, to a consumer that has taken some of them; returns the first one beyond the limit.
  private func firstRefusal(
    of count: Int, _ byteCount: Int, from backlog: inout PausedBacklog, taken: (Int) -> Int = { _ in 0 }
  ) -> Int? {
    // Sixteen values wait when the pause begins.
    (1...count).first { !backlog.add(byteCount: byteCount, waitingCount: 16 + $0 - taken($0)) }
  }

  @Test func aConsumerThatTakesNothingEndsTheExchangeBeyondTheLimit() {
    var backlog = PausedBacklog()
    let piece = 65_536
    expectEqual(firstRefusal(of: 10_000, piece, from: &backlog), Self.limit / piece + 1)
    expectEqual(backlog.byteCount, Self.limit + piece)
  }

  /// However much arrives.
  @Test func aConsumerThatKeepsPaceIsWithinTheLimit() {
    var backlog = PausedBacklog()
    expectNil(firstRefusal(of: 200_000, 65_536, from: &backlog) { $0 })
    expectEqual(backlog.byteCount, 16 * 65_536)
  }

  /// A network twice as fast as the consumer: half of what arrives is buffered.
  @Test func whatTheConsumerHasTakenDoesNotCount() {
    var backlog = PausedBacklog()
    let piece = 65_536
    let expected = 2 * (Self.limit / piece + 1 - 16)
    expectEqual(firstRefusal(of: 10_000, piece, from: &backlog) { $0 / 2 }.map { abs($0 - expected) <= 2 }, true)
  }

  @Test func piecesOfDifferentSizesCountByTheirMean() {
    var backlog = PausedBacklog()
    for number in 0..<1_000 { _ = backlog.add(byteCount: number % 2 == 0 ? 1 : 2_001, waitingCount: 100) }
    expect((95_000...105_000).contains(backlog.byteCount), "\(backlog.byteCount)")
  }

  /// Lines: nothing says how many of them a piece had, so all of it counts.
  @Test func aPieceOfManyValuesCountsWhole() {
    var backlog = PausedBacklog()
    for number in 1...100 { _ = backlog.add(byteCount: 1_000, waitingCount: 16 + number * 40 - number * 20) }
    expectEqual(backlog.byteCount, 100_000)
  }

  @Test func aConsumerThatHasEndedHasNoBacklog() {
    var backlog = PausedBacklog()
    for _ in 0..<10 { expect(backlog.add(byteCount: 1_000, waitingCount: 0)) }
    expectEqual(backlog.byteCount, 0)
    expect(backlog.add(byteCount: Self.limit, waitingCount: 16))
    expect(!backlog.add(byteCount: 1, waitingCount: 16))
  }
}
