import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Synchronization
import TestSupport
import Testing

/// Switching from inside an observer, from inside the storage, and from many threads at once.
struct EnvironmentRaceTests {
  private typealias State = EnvironmentStore.State

  @Test func anObserverMaySwitch() throws {
    let storage = EnvironmentStorage.memory()
    let store = EnvironmentStore(storage: storage)
    let before = SignalRecorder(store.states)
    let seen = Guarded<[ServiceEnvironment]>([])
    let subscription = store.states.subscribe { event in
      guard let environment = event.value?.environment else { return }
      if environment == .test {
        do throws(NetworkError) {
          try store.switch(to: .hotfix)
          try store.switch(to: .release)
        } catch {
          Issue.record("\(error)")
        }
        // It has happened, and is saved; what all are told of it comes after this.
        expectEqual(store.current, .release)
        expectEqual(EnvironmentStore(storage: storage).current, .release)
      }
      seen.withLock { $0.append(environment) }
    }
    let after = SignalRecorder(store.states)
    try store.switch(to: .test)
    let expected: [ServiceEnvironment] = [.develop, .test, .hotfix, .release]
    expectEqual(seen.withLock { $0 }, expected)
    expectEqual(before.values.map(\.environment), expected)
    expectEqual(after.values.map(\.environment), expected)
    subscription.dispose()
  }

  /// Ten thousand switches, each from inside the delivery of the one before, on a small stack.
  @Test func switchesFromInsideDoNotNest() async throws {
    let store = EnvironmentStore(storage: .memory())
    let count = Guarded(0)
    store.states.subscribe { event in
      let number = count.withLock { count in
        count += 1
        return count
      }
      // Not in reply to the first state, which comes on this test's own stack.
      guard number > 1, number < 10_000, let environment = event.value?.environment else { return }
      try? store.switch(to: environment == .test ? .develop : .test)
    }
    await together(1, stackByteCount: 512 * 1024) { _ in try? store.switch(to: .hotfix) }
    expectEqual(count.withLock { $0 }, 10_000)
  }

  /// Would never end if a lock were held while observers run.
  @Test func othersSwitchAndSaveWhileAnObserverRuns() async throws {
    let storage = EnvironmentStorage.memory()
    let store = EnvironmentStore(storage: storage)
    // blocks: threads of their own.
    let (entered, left) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let recorder = SignalRecorder(store.states)
    store.states.subscribe { event in
      guard event.value?.environment == .test else { return }
      entered.signal()
      left.wait()
    }
    await together(2) { index in
      if index == 0 {
        try? store.switch(to: .test)
      } else {
        entered.wait()
        try? store.switch(to: .hotfix)
        expectEqual(store.current, .hotfix)
        expectEqual(EnvironmentStore(storage: storage).current, .hotfix)
        expectEqual(recorder.values.last?.environment, .test)
        left.signal()
      }
    }
    expectEqual(recorder.values.map(\.environment), [.develop, .test, .hotfix])
  }

  @Test func aStorageMayAskTheStore() throws {
    let storage = AskingStorage()
    let store = EnvironmentStore(storage: storage.storage)
    storage.ask.withLock { $0.body = { [weak store] in store?.current } }
    try store.switch(to: .test)
    try store.reset()
    expectEqual(storage.answers.withLock { $0 }, [.test, .develop])
  }

  @Test func aHundredThreadsEndInOneState() async throws {
    let own = (0..<100).map { ServiceEnvironment(rawValue: "own\($0)") } + [.custom, .develop]
    for _ in 0..<20 {
      let storage = CountingStorage()
      let store = EnvironmentStore(choices: own, storage: storage.storage)
      let recorder = SignalRecorder(store.states)
      let late = Guarded<[SignalRecorder<State, Never>]>([])
      await together(100) { index in
        switch index % 10 {
        case 0: try? store.reset()
        case 1: try? store.setCustomAddress(URL(string: "http://10.0.0.\(index)"))
        case 2: try? store.switch(to: .custom)
        case 3: late.withLock { [states = store.states] in $0.append(SignalRecorder(states)) }
        default: try? store.switch(to: own[index])
        }
        expect(own.contains(store.current))
      }
      // All are through, so whoever was delivering has delivered everything.
      let state = store.state
      for recorder in late.withLock({ $0 }) + [recorder] {
        expectEqual(recorder.values.last, state)
        expect(recorder.violations.isEmpty)
        expect(zip(recorder.values, recorder.values.dropFirst()).allSatisfy { $0 != $1 })
      }
      let restarted = EnvironmentStore(choices: own, storage: storage.kept)
      expectEqual(restarted.state, state)
      expectEqual(restarted.customAddress, store.customAddress)
      expectEqual(storage.overlapCount.load(ordering: .relaxed), 0)
      expectEqual(storage.writeCount.load(ordering: .relaxed), 90)
    }
  }
}

/// Counts writes, and those that overlap another.
private final class CountingStorage: Sendable {
  let kept = EnvironmentStorage.memory()
  let writeCount = Atomic<Int>(0)
  let overlapCount = Atomic<Int>(0)
  private let isWriting = Atomic<Bool>(false)

  var storage: EnvironmentStorage { EnvironmentStorage(read: kept.read, write: write) }

  private func write(_ string: String?, for key: String) {
    if isWriting.exchange(true, ordering: .relaxed) { overlapCount.add(1, ordering: .relaxed) }
    writeCount.add(1, ordering: .relaxed)
    kept.write(string, key)
    isWriting.store(false, ordering: .relaxed)
  }
}

/// Asks its store for the current environment at each write.
private final class AskingStorage: Sendable {
  struct Question: Sendable {
    var body: @Sendable () -> ServiceEnvironment? = { nil }
  }

  let ask = Guarded(Question())
  let answers = Guarded<[ServiceEnvironment?]>([])

  var storage: EnvironmentStorage {
    EnvironmentStorage { _ in
      nil
    } write: { _, _ in
      let question = self.ask.withLock { $0 }
      let answer = question.body()
      self.answers.withLock { $0.append(answer) }
    }
  }
}
