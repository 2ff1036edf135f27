import HeliographTesting
import SignalsTestSupport
import TestSupport
import Testing

@testable import Signals

/// `CancellationReporting`: how `values` and `first()` end in a cancelled task.
struct CancellationReportingTests {
  enum Stop: CancellationReporting, Equatable {
    case cancelled
    case broken

    static var cancellation: Stop { .cancelled }
  }

  private static let numbers = Signal<Int, Stop> { observer in
    for number in 1...3 { observer.send(number) }
    observer.complete()
    return nil
  }

  /// Runs work in a task that is cancelled once a source has been subscribed to.
  private func cancelled<Result: Sendable>(
    _ work: @escaping @Sendable (Signal<Int, Stop>) async -> Result
  ) async -> Result {
    let subscribed = Moment()
    let signal = Signal<Int, Stop> { _ in
      subscribed.arrive()
      return nil
    }
    let task = Task { await work(signal) }
    await expect(subscribed.wait())
    task.cancel()
    return await task.value
  }

  private func failure(_ work: () async throws(Stop) -> Void) async -> Stop? {
    do throws(Stop) {
      try await work()
      return nil
    } catch {
      return error
    }
  }

  @Test func aCancelledLoopThrowsTheCancellation() async {
    let error = await cancelled { signal -> Stop? in
      await failure { () async throws(Stop) in for try await _ in signal.values {} }
    }
    expectEqual(error, .cancelled)
  }

  @Test func aCancelledFirstThrowsTheCancellation() async {
    let error = await cancelled { signal -> Stop? in
      await failure { () async throws(Stop) in _ = try await signal.first() }
    }
    expectEqual(error, .cancelled)
  }

  @Test func aTaskThatIsAlreadyCancelledThrowsAndStartsNoWork() async {
    let started = Tally()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await failure { () async throws(Stop) in
        _ = try await Self.numbers.on(start: { started.arrive() }).first()
      }
    }
    await expectEqual(task.value, .cancelled)
    expectEqual(started.count, 0)
  }

  @Test func anotherFailureTypeEndsSilently() async throws {
    let source = Source<Int>()
    let subscribed = Moment()
    let signal = source.signal.on(start: { subscribed.arrive() })
    let task = Task { () async throws -> [Int] in
      var values: [Int] = []
      for try await value in signal.values { values.append(value) }
      let first = try await signal.first()
      return values + (first.map { [$0] } ?? [])
    }
    await expect(subscribed.wait())
    task.cancel()
    try await expectEqual(task.value, [])
    expect(source.isIdle)
  }

  @Test func bufferedValuesAreDropped() async {
    let task = Task {
      let iterator = Self.numbers.values.makeAsyncIterator()
      var values: [Int?] = []
      let error = await failure { () async throws(Stop) in
        values.append(try await iterator.next())
        withUnsafeCurrentTask { $0?.cancel() }
        values.append(try await iterator.next())
      }
      // The cancellation is thrown once.
      let last = try? await iterator.next()
      return values == [1] && error == .cancelled && last == .some(nil)
    }
    await expect(task.value)
  }

  @Test(arguments: [nil, Stop.broken]) func anEndThatHasArrivedWins(_ expected: Stop?) async {
    let end: Signal<Int, Stop> = expected.map { .fail($0) } ?? .empty
    let task = Task {
      let iterator = Signal.just(1).concat(end).values.makeAsyncIterator()
      let error = await failure { () async throws(Stop) in
        guard try await iterator.next() == 1 else { return }
        withUnsafeCurrentTask { $0?.cancel() }
        // Completed or failed before the cancellation; nobody has consumed it yet.
        while try await iterator.next() != nil {}
      }
      return error == expected
    }
    await expect(task.value)
  }

  /// The property is code of the app, which may cancel another task that uses the same loop.
  @Test func theCancellationIsMadeOutsideTheLock() async {
    enum Cascade: CancellationReporting {
      case cancelled

      static let other = Later<Task<Bool, Never>>()
      static var cancellation: Cascade {
        other.value?.cancel()
        return .cancelled
      }
    }
    let started = Moment()
    let mailbox = Mailbox<Int, Cascade>(Signal.never.on(start: { started.arrive() }), .unbounded)
    let next = { @Sendable () async -> Bool in
      do throws(Cascade) { return try await mailbox.next() != nil } catch { return true }
    }
    let first = Task { await next() }
    await expect(started.wait())
    Cascade.other.value = first
    let second = Task { await next() }
    second.cancel()
    _ = await second.value
    // Both must end, with or without a cancellation; under the lock, neither would.
    _ = await first.value
    Cascade.other.value = nil
  }

  @Test func aDisposedSubscriptionStaysSilent() {
    let recorder = SignalRecorder(PublishSubject<Int, Stop>().signal)
    recorder.dispose()
    expect(recorder.events.isEmpty)
  }
}
