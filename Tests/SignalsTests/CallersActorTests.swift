import Dispatch
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
    let reader = Reader(subject.signal)
    let tasks = (0..<4).map { _ in Task { await reader.next() } }
    await mainQueueTurn()
    subject.send(1)
    subject.send(2)
    subject.complete()
    var values: [Int?] = []
    for task in tasks { values.append(await task.value) }
    expectEqual(values, [1, 2, nil, nil])
  }

  @Test func theEndOfASharedIteratorReachesAllThatWait() async {
    enum Outcome: Equatable {
      case value(Int?)
      case failure(Fault)
    }
    for cancels in [true, false] {
      let subject = PublishSubject<Int, Fault>()
      let reader = Reader(subject.signal)
      let tasks = (0..<3).map { _ in
        Task { () -> Outcome in
          do throws(Fault) { return .value(try await reader.next()) } catch { return .failure(error) }
        }
      }
      await mainQueueTurn()
      if cancels { tasks[1].cancel() } else { subject.fail(.late) }
      for task in tasks { await expectEqual(task.value, (cancels ? .value(nil) : .failure(.late))) }
    }
  }

  @Test func aWaitingLoopResumesOnTheActor() async {
    let subject = PublishSubject<Int, Never>()
    let reader = SteppedReader()
    let task = Task { await reader.read(subject.signal) }
    await until { reader.jobs.count == 1 }
    reader.jobs.run()
    for number in 1...3 {
      subject.send(number)
      // At once: a step outside the actor would come first.
      expectEqual(reader.jobs.count, 1)
      reader.jobs.run()
      expectEqual(reader.values.withLock { $0 }, Array(1...number))
    }
    subject.complete()
    reader.jobs.run()
    await task.value
  }
}

/// An actor whose jobs wait until a test runs them.
private actor SteppedReader {
  nonisolated let jobs = JobQueue()
  nonisolated let values = Guarded<[Int]>([])
  nonisolated var unownedExecutor: UnownedSerialExecutor { jobs.asUnownedSerialExecutor() }

  func read(_ signal: Signal<Int, Never>) async {
    for await value in signal.values { values.withLock { $0.append(value) } }
  }
}

/// An executor that keeps its jobs.
private final class JobQueue: SerialExecutor {
  private let jobs = Guarded<[UnownedJob]>([])

  var count: Int { jobs.withLock { $0.count } }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  /// Runs the jobs that are there on the calling thread.
  func run() {
    let waiting = jobs.withLock { jobs in
      defer { jobs = [] }
      return jobs
    }
    for job in waiting { job.runSynchronously(on: asUnownedSerialExecutor()) }
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

@MainActor
private final class Reader<Failure: Error> {
  private let iterator: AsyncValues<Int, Failure>.Iterator

  init(_ signal: Signal<Int, Failure>) { iterator = signal.values.makeAsyncIterator() }

  func next() async throws(Failure) -> Int? { try await iterator.next() }
}
#endif
