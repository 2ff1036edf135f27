@preconcurrency import Dispatch
import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

// Older compilers leave the actor in each async function.
#if compiler(>=6.2)
/// Async functions run on the actor of their caller: a loop on the main actor leaves it only to wait.
@MainActor
struct CallersActorTests {
  @Test func theWorkStartsOnTheActor() async throws {
    // On Linux, the main queue may have another thread than the main one.
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    let isOnMain = Signal<Bool, Never>.deferred { .just(DispatchQueue.getSpecific(key: key) == true) }
    await expectEqual(isOnMain.first(), true)
    try await expect(isOnMain.value())
    for await value in isOnMain.values { expect(value) }
    await expectEqual(isOnMain.values(buffering: .newest(1)).makeAsyncIterator().next(), true)
  }

  @Test func valuesThatAreThereAreConsumedWithoutASuspension() async {
    let interruptions = Tally()
    DispatchQueue.main.async { interruptions.arrive() }
    var values: [Int] = []
    for await value in Signal<Int, Never>.from(0..<100).values { values.append(value) }
    expectEqual(values, Array(0..<100))
    expectEqual(interruptions.count, 0)
  }

  @Test func aLongLoopLetsOthersRun() async {
    let interruptions = Tally()
    var first: Int?
    DispatchQueue.main.async { interruptions.arrive() }
    for await value in Signal<Int, Never>.from(0..<10_000).values where interruptions.count > 0 {
      first = first ?? value
    }
    expect((first ?? .max) <= 512)
  }

  @Test func aLoopOverAnEndlessSourceCanBeCancelledFromTheActor() async {
    let model = Loop()
    model.run(.from(0...))
    await mainQueueTurn()
    model.task?.cancel()
    await model.task?.value
    expect(!model.values.isEmpty)
  }

  @Test func tasksThatShareAnIteratorGetTheNextValuesInTurn() async {
    let subject = PublishSubject<Int, Never>()
    let iterator = subject.signal.values.makeAsyncIterator()
    let tasks = (0..<4).map { _ in Task { await iterator.next() } }
    await mainQueueTurn()
    subject.send(1)
    subject.send(2)
    subject.complete()
    var values: [Int?] = []
    for task in tasks { values.append(await task.value) }
    expectEqual(values, [1, 2, nil, nil])
  }

  @Test func tasksOnOtherThreadsDivideTheValuesOfAnIterator() async {
    let iterator = Signal<Int, Never>.from(0..<1000).values.makeAsyncIterator()
    let tasks = (0..<2).map { _ in
      Task.detached {
        var values: [Int] = []
        while let value = await iterator.next() { values.append(value) }
        return values
      }
    }
    var values: [[Int]] = []
    for task in tasks { values.append(await task.value) }
    expect(values.allSatisfy { $0 == $0.sorted() })
    expectEqual(values.joined().sorted(), Array(0..<1000))
  }

  @Test func theEndOfASharedIteratorReachesAllThatWait() async {
    enum Outcome: Equatable {
      case value(Int?)
      case failure(Fault)
    }
    for cancels in [true, false] {
      let subject = PublishSubject<Int, Fault>()
      let iterator = subject.signal.values.makeAsyncIterator()
      let tasks = (0..<3).map { _ in
        Task { () -> Outcome in
          do throws(Fault) { return .value(try await iterator.next()) } catch { return .failure(error) }
        }
      }
      await mainQueueTurn()
      if cancels { tasks[1].cancel() } else { subject.fail(.late) }
      for task in tasks { await expectEqual(task.value, (cancels ? .value(nil) : .failure(.late))) }
    }
  }

  @Test func aWaitingLoopNeedsOneJobOfItsActor() async {
    let subject = PublishSubject<Int, Never>()
    let reader = SteppedReader()
    let task = Task { await reader.read(subject.signal.values(buffering: .newest(1))) }
    await reader.runNextJob()
    for number in [1, 3, 5] {
      // The loop waits as soon as its job has returned: the first value is for it, and only the second one is buffered.
      subject.send(number)
      subject.send(number + 1)
      await reader.runNextJob()
      expectEqual(reader.values.withLock { $0 }, Array(1...number + 1))
    }
    subject.complete()
    await reader.runNextJob()
    await task.value
    expectEqual(reader.jobs.totalCount, 5)
  }
}

/// An actor whose jobs wait until a test runs them.
private actor SteppedReader {
  nonisolated let jobs = JobQueue()
  nonisolated let values = Guarded<[Int]>([])
  nonisolated var unownedExecutor: UnownedSerialExecutor { jobs.asUnownedSerialExecutor() }

  func read(_ sequence: AsyncValues<Int, Never>) async {
    for await value in sequence { values.withLock { $0.append(value) } }
  }

  /// Waits for a job, and runs it on the calling thread.
  @MainActor func runNextJob() async {
    await until { jobs.waitingCount > 0 }
    jobs.run()
  }
}

/// An executor that keeps its jobs.
private final class JobQueue: SerialExecutor {
  private struct State {
    var waiting: [UnownedJob] = []
    var totalCount = 0
  }

  private let state = Guarded(State())

  var waitingCount: Int { state.withLock { $0.waiting.count } }
  var totalCount: Int { state.withLock { $0.totalCount } }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { state in
      state.waiting.append(job)
      state.totalCount += 1
    }
  }

  func run() {
    let jobs = state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
    for job in jobs { job.runSynchronously(on: asUnownedSerialExecutor()) }
  }
}

@MainActor
private final class Loop {
  private(set) var values: [Int] = []
  private(set) var task: Task<Void, Never>?

  func run(_ signal: Signal<Int, Never>) {
    task = Task { for await value in signal.values { values.append(value) } }
  }
}
#endif
