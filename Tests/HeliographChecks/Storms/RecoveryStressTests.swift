import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Recovery with real threads: 20 rounds of each, 50 in `.ci/run` and 1,000 in `make check`.
@Suite(.serialized) struct RecoveryStressTests {
  private let roundCount = Scale.isFull ? 1_000 : Scale.isMedium ? 50 : 20
  private var rounds: Range<Int> { 0..<roundCount }

  /// Twenty that have been sent with the old token; their answers come at once, on as many threads as are free.
  private func round(_ refresh: Signal<Void, NetworkError>, disposing isDisposed: (Int) -> Bool = { _ in false })
    async -> (recorders: [SignalRecorder<Int, NetworkError>], replayCount: Int, refreshCount: Int, recovery: Recovery)
  {
    let refreshCount = Guarded(0)
    let recovery = Recovery(limit: .max) {
      Signal<Void, NetworkError>.deferred {
        refreshCount.withLock { $0 += 1 }
        return refresh.subscribe(on: .global)
      }
    }
    let replayCount = Guarded(0)
    let answers = (0..<20).map { _ in PublishSubject<Int, NetworkError>() }
    let recorders = answers.map { answer in
      let isFirst = Guarded(true)
      return SignalRecorder(
        recovery.recovering(
          .deferred {
            let isFirst = isFirst.withLock { isFirst in
              defer { isFirst = false }
              return isFirst
            }
            if isFirst { return answer.signal }
            replayCount.withLock { $0 += 1 }
            return .just(1)
          }))
    }
    let disposed = (0..<20).filter(isDisposed)
    await together(4) { lane in
      for index in stride(from: lane, to: 20, by: 4) {
        answers[index].fail(.status(401))
        // Somebody else's, as its own has not begun to wait before.
        let other = (index + 19) % 20
        if disposed.contains(other) { recorders[other].dispose() }
      }
    }
    for (index, recorder) in recorders.enumerated() where !disposed.contains(index) { await recorder.waitForEnd() }
    return (recorders, replayCount.withLock { $0 }, refreshCount.withLock { $0 }, recovery)
  }

  @Test("P5") func aRefreshThatWorksReplaysEachOnce() async {
    for _ in rounds {
      let (recorders, replayCount, refreshCount, _) = await round(.empty)
      expectEqual(refreshCount, 1)
      expectEqual(replayCount, 20)
      expect(recorders.allSatisfy { $0.values == [1] && $0.isCompleted && $0.violations.isEmpty })
    }
  }

  @Test func aRefreshThatFailsFailsEachOnce() async {
    for _ in rounds {
      let (recorders, replayCount, refreshCount, _) = await round(.fail(.status(400)))
      expectEqual(refreshCount, 1)
      expectEqual(replayCount, 0)
      expect(recorders.allSatisfy { $0.failure?.statusCode == 400 && $0.events.count == 1 && $0.violations.isEmpty })
    }
  }

  @Test func whoIsDisposedMeanwhileHinderNobody() async {
    for number in rounds {
      let (recorders, replayCount, refreshCount, recovery) = await round(.empty) { ($0 + number).isMultiple(of: 3) }
      expect(refreshCount >= 1)
      expect(replayCount <= 20)
      for (index, recorder) in recorders.enumerated() {
        expect(recorder.violations.isEmpty)
        if !(index + number).isMultiple(of: 3) { expect(recorder.values == [1] && recorder.isCompleted) }
      }
      // Nothing is left in flight for which the next one would wait.
      let next = SignalRecorder(recovery.recovering(Script(.failure(.status(401)), .value(2)).signal))
      await next.waitForEnd()
      expectEqual(next.values, [2])
    }
  }
}
