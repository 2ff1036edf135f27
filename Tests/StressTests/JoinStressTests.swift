import Foundation
import HeliographTesting
import Signals
import Synchronization
import Testing

/// A subscriber that joins a shared signal gets the replayed values and then every value, none twice and none missing.
@Suite(.serialized) struct JoinStressTests {
  @Test(arguments: [1, 3]) func joiningWhileAnotherThreadSendsLosesNothing(replayCount: Int) async {
    let subject = PublishSubject<Int, Never>()
    let shared = subject.signal.share(replay: replayCount)
    let keeper = SignalRecorder(shared)
    let isTerminated = Flag()
    let sender = Thread {
      var number = 0
      while !isTerminated.isSet {
        number += 1
        subject.send(number)
      }
      subject.complete()
    }
    sender.start()
    for _ in 0..<(stressCount / 8) {
      let recorder = SignalRecorder(shared)
      // At least one live value, so that the replay is over.
      await recorder.wait { $0.count > replayCount }
      recorder.dispose()
      let values = recorder.values
      #expect(zip(values, values.dropFirst()).allSatisfy { $1 == $0 + 1 }, "\(values.prefix(10))")
      #expect(recorder.violations.isEmpty)
    }
    isTerminated.set()
    await keeper.waitForEnd()
    let all = keeper.values
    #expect(all == Array(1...max(1, all.count)))
  }
}
