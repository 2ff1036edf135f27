@preconcurrency import Dispatch
import Signals
import SignalsTestSupport
import TestSupport
import Testing

/// Work that a `DispatchScheduler` runs after a delay, in real time.
struct DelayedWorkTests {
  private let census = Census()

  /// Waits until the timer has moved all work to its queue that is due before this call.
  private func wait(for delay: Duration) async {
    let moment = Moment()
    DispatchScheduler.serial("wait").schedule(after: delay) { moment.arrive() }
    await expect(moment.wait())
  }

  /// Waits until a queue has run what was put on it before.
  private func turn(of queue: DispatchQueue) async {
    await withCheckedContinuation { continuation in queue.async(flags: .barrier) { continuation.resume() } }
  }

  @Test func workRunsOnItsQueueInTheOrderOfTheInstantsAndNeverEarly() async {
    let (queue, key) = (DispatchQueue(label: "work"), DispatchSpecificKey<Bool>())
    queue.setSpecific(key: key, value: true)
    let (scheduler, log, end) = (DispatchScheduler(queue), Log<Int>(), Moment())
    let delays = [30, 2, 20, 1, 10, 3, 40].map { Duration.milliseconds($0) }
    // The thread may pause between two calls: the instant of each work is known within these bounds.
    let bounds = delays.indices.map { index in
      let start = scheduler.now
      scheduler.schedule(after: delays[index]) {
        expect(scheduler.now - start >= delays[index])
        expectEqual(DispatchQueue.getSpecific(key: key), true)
        log.add(index)
        if log.count == delays.count { end.arrive() }
      }
      return (start + delays[index])...(scheduler.now + delays[index])
    }
    await expect(end.wait())
    expectEqual(log.entries.sorted(), Array(delays.indices))
    for (earlier, later) in zip(log.entries, log.entries.dropFirst()) {
      expect(bounds[earlier].lowerBound <= bounds[later].upperBound)
    }
  }

  @Test func workWithTheSameDelayKeepsItsOrder() async {
    let (scheduler, log, end) = (DispatchScheduler.serial("order"), Log<Int>(), Moment())
    for number in 0..<1_000 {
      scheduler.schedule(after: .milliseconds(5)) {
        log.add(number)
        if number == 999 { end.arrive() }
      }
    }
    await expect(end.wait())
    expectEqual(log.entries, Array(0..<1_000))
  }

  @Test(arguments: [Duration.zero, .nanoseconds(-1), .seconds(Int64.min), .nanoseconds(1)])
  func aDelayOfNothingIsAsynchronous(delay: Duration) async {
    let (queue, log) = (DispatchQueue(label: "nothing"), Log<Int>())
    let end = Moment()
    queue.suspend()
    let handle = DispatchScheduler(queue).schedule(after: delay) {
      log.add(1)
      end.arrive()
    }
    expect(!handle.isDisposed)
    expectEqual(log.count, 0)
    queue.resume()
    await expect(end.wait())
    expect(handle.isDisposed)
    queue.suspend()
    DispatchScheduler(queue).schedule(after: delay) { log.add(2) }.dispose()
    await wait(for: .milliseconds(1))
    queue.resume()
    await turn(of: queue)
    expectEqual(log.entries, [1])
  }

  @Test func workThatIsDueEarlierRunsWhileOtherWorkWaits() async {
    let handles = [Duration.seconds(Int64.max), .seconds(3_600), .seconds(60)].map { delay in
      DispatchScheduler.global.schedule(after: delay) { expect(false, "\(delay)") }
    }
    await wait(for: .milliseconds(5))
    await wait(for: .milliseconds(1))
    expect(handles.allSatisfy { !$0.isDisposed })
    for handle in handles { handle.dispose() }
  }

  @Test(arguments: [Duration.seconds(3_600), .seconds(Int64.max)])
  func disposalFreesTheWorkAndTheQueueAtOnce(delay: Duration) async {
    weak var freed: DispatchQueue?
    let handle = { [token = census.token()] in
      let queue = DispatchQueue(label: "freed")
      freed = queue
      return DispatchScheduler(queue).schedule(after: delay) { token.use() }
    }()
    expectEqual(census.alive, 1)
    handle.dispose()
    expectEqual(census.alive, 0)
    expect(handle.isDisposed)
    // Dispatch may retain it for a moment.
    await until { freed == nil }
  }

  @Test func workThatIsDueOnASuspendedQueueIsFreedAtItsDisposal() async {
    let (queue, log) = (DispatchQueue(label: "suspended"), Log<Int>())
    queue.suspend()
    let handle = { [token = census.token()] in
      DispatchScheduler(queue).schedule(after: .microseconds(1)) {
        token.use()
        log.add(1)
      }
    }()
    // A suspended queue delays no other.
    await wait(for: .milliseconds(1))
    expectEqual(census.alive, 1)
    handle.dispose()
    expectEqual(census.alive, 0)
    queue.resume()
    await turn(of: queue)
    expectEqual(log.count, 0)
  }

  @Test func workIsFreedOnceItHasRunAndMayDisposeItself() async {
    let (scheduler, end) = (DispatchScheduler.serial("own"), Moment())
    let own = Guarded<Disposable?>(nil)
    let handle = { [token = census.token()] in
      scheduler.schedule(after: .milliseconds(1)) {
        token.use()
        own.withLock { $0 }?.dispose()
        end.arrive()
      }
    }()
    own.set(handle)
    await expect(end.wait())
    await until { census.alive == 0 }
    expect(handle.isDisposed)
  }

  @Test func freedWorkMayScheduleAndDispose() {
    // Its end runs inside the disposal of another, with no lock held.
    final class Last: Sendable {
      deinit { DispatchScheduler.global.schedule(after: .seconds(60)) {}.dispose() }
    }
    let handle = { [last = Last()] in
      DispatchScheduler.global.schedule(after: .seconds(60)) { withExtendedLifetime(last) {} }
    }()
    handle.dispose()
    expect(handle.isDisposed)
  }

  @Test func slowWorkDelaysNoOtherOnAConcurrentQueue() async {
    let scheduler = DispatchScheduler(DispatchQueue(label: "concurrent", attributes: .concurrent))
    // blocks: a thread of Dispatch, until the other work runs.
    let (other, end) = (DispatchSemaphore(value: 0), Moment())
    scheduler.schedule(after: .milliseconds(1)) {
      other.wait()
      end.arrive()
    }
    scheduler.schedule(after: .milliseconds(1)) { other.signal() }
    await expect(end.wait())
  }

  @Test func workOfManyThreadsRunsOnceOrNotAtAllIfItIsDisposed() async {
    let (threads, count) = (4, 2_500)
    let (concurrent, serial) = (DispatchScheduler.global, DispatchScheduler.serial("many"))
    let runs = Guarded([Int](repeating: 0, count: threads * count))
    let late = Tally()
    await together(threads) { [census] thread in
      var long: [Disposable] = []
      for index in 0..<count {
        let (number, token, isDisposed) = (thread * count + index, census.token(), Once())
        let scheduler = index % 2 == 0 ? concurrent : serial
        // Every fifth is due long after the test, the others while it runs.
        let delay = Duration.microseconds(index % 5 == 0 ? 3_600_000_000 : index * 37 % 2_000)
        let handle = scheduler.schedule(after: delay) {
          token.use()
          if isDisposed.isClaimed { late.arrive() }
          runs.withLock { $0[number] += 1 }
        }
        switch index % 15 {
        case 0, 5, 10: long.append(handle)
        case 3, 6: handle.dispose()
        case 9, 12:
          // Where the work of half of them runs, which thus has run before or never does.
          serial.schedule {
            handle.dispose()
            if index % 2 == 1 { isDisposed.claim() }
          }
        default: break
        }
        if long.count == 100 { long.removeFirst().dispose() }
      }
      for handle in long.reversed() { handle.dispose() }
    }
    await until { census.alive == 0 }
    expectEqual(late.count, 0)
    for (number, runs) in runs.withLock({ $0 }).enumerated() {
      switch number % count % 15 {
      case 0, 5, 10: expectEqual(runs, 0)
      case 3, 6, 9, 12: expect(runs <= 1)
      default: expectEqual(runs, 1)
      }
    }
  }
}
