#if HELIOGRAPH_CURL
import TestSupport
import Testing

@testable import Heliograph

/// When a transfer pauses, and what resumes it.
struct CurlFlowTests {
  private let start = SuspendingClock.now
  private var flow: CurlFlow

  init() { flow = CurlFlow(start) }

  @Test mutating func aResultIsHeldWhileTheConsumerIsAhead() {
    expect(!flow.hold(0))
    expect(flow.pauseReceiving())
    expect(!flow.pauseReceiving())
    expect(flow.hold(0))
    expectEqual(flow.receiving, .held(result: 0))
    // A held transfer is not paused once more.
    expect(!flow.pauseReceiving())
    expectEqual(flow.resumeReceiving(), .held(result: 0))
    expectEqual(flow.resumeReceiving(), .running)
  }

  @Test mutating func eachDirectionPausesSeparately() {
    flow.pauseSending()
    expect(flow.sending == .paused && flow.receiving == .running)
    expect(flow.pauseReceiving())
    expect(flow.resumeSending())
    expect(!flow.resumeSending())
    expect(flow.sending == .running && flow.receiving == .paused)
  }

  @Test mutating func whileTheConsumerIsWaitedForNothingExpires() {
    let idle = start + .seconds(60)
    expectEqual(flow.expiry(idleTimeoutAt: idle), idle)
    let checkConnection = flow.pauseSending()
    expectEqual(flow.expiry(idleTimeoutAt: idle), checkConnection)
    _ = flow.pauseReceiving()
    expectNil(flow.expiry(idleTimeoutAt: idle))
  }

  @Test mutating func aPauseAcceptsLittle() {
    for _ in 0..<2 {
      expect(flow.pauseReceiving())
      expect(flow.claimPauseAllowance(262_144))
      // What was decoded meanwhile has not resumed libcurl.
      _ = flow.resumeReceiving()
      expect(flow.pauseReceiving())
      expect(!flow.claimPauseAllowance(1))
      _ = flow.resumeReceiving()
      flow.renewPauseAllowance()
    }
  }

  @Test mutating func inputIsReadOnceForEachPiece() {
    expectEqual([true, true, true].map { flow.claimReading($0) }, [true, false, true])
    expectEqual([false, false, true, true].map { flow.claimReading($0) }, [false, false, true, false])
  }

  @Test mutating func twoLooksSeeTheEndOfAConnection() {
    // Bytes arrive between two of the looks.
    let isClosed = [false, true, true, true, false, true, true]
    let byteCounts = [0, 0, 5, 5, 5, 5, 5]
    let ends = zip(isClosed, byteCounts).map { flow.checkConnection(at: start, isClosed: $0, $1) }
    expectEqual(ends, [false, false, false, true, false, false, true])
    let last = start + .seconds(9)
    _ = flow.checkConnection(at: last, isClosed: true, 5)
    expect(flow.pauseSending() > last)
  }
}
#endif
