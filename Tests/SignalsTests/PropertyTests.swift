import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

struct PropertyTests {
  @Test func aPropertyShowsTheCurrentValueAndItsChanges() {
    let current = CurrentValue(1)
    let property = current.property
    let recorder = SignalRecorder(property.signal)
    current.value = 2
    expectEqual(property.value, 2)
    expectEqual(recorder.values, [1, 2])
  }

  @Test func aMappedPropertyIsInStepAtOnceAndForSubscribers() {
    let current = CurrentValue(1)
    let text = current.property.map { $0 * 2 }.map { "\($0)" }
    let recorder = SignalRecorder(text.signal)
    current.value = 5
    expectEqual(text.value, "10")
    expectEqual(recorder.values, ["2", "10"])
  }

  @Test func aConstantSendsItsValueAndCompletes() {
    let property = Property(3).map { $0 + 1 }
    expectEqual(property.value, 4)
    expectEqual(SignalRecorder(property.signal).events, [.value(4), .completed])
  }

  @Test func aMappedPropertyKeepsTheCurrentValueAndNothingIsKeptAfterIt() {
    let census = Census()
    func make() -> Property<Token> {
      let token = census.token()
      return CurrentValue(token).property.map { $0 }
    }
    do {
      let property = make()
      let handle = property.signal.map { $0.number }.subscribe(onValue: { _ in })
      expectEqual(property.value.number, 0)
      expectEqual(census.alive, 1)
      withExtendedLifetime((property, handle)) {}
    }
    expectEqual(census.alive, 0)
  }
}

/// `CurrentValue`: the latest value and atomic changes.
struct CurrentValueTests {
  @Test func changesAreCountedWithTheirValue() {
    let current = CurrentValue<String?>("ann")
    current.value = "ben"
    let count = current.countChanges()
    for name in ["ben", nil, nil, "ben"] { current.value = name }
    current.modify { $0 = "ann" }
    expectEqual(current.counted.value, "ann")
    expectEqual(current.counted.changeCount, 3)
    expectEqual(current.countChanges().value, 3)
    // Whoever is notified finds the change counted.
    let noticed = Guarded<[Int]>([])
    current.signal.subscribe(onValue: { _ in noticed.withLock { $0.append(count.value) } })
    current.value = nil
    expectEqual(noticed.withLock { $0 }, [3, 4])
  }

  @Test func modifyIsAtomic() async {
    let current = CurrentValue(0)
    let recorder = SignalRecorder(current.signal)
    await together(4) { _ in for _ in 1...10_000 { current.modify { $0 += 1 } } }
    expectEqual(current.value, 40_000)
    expectEqual(recorder.values, Array(0...40_000))
  }

  @Test func modifyReturnsTheResultForTheValueThatWasSet() async {
    let current = CurrentValue([1, 2])
    expectEqual(current.modify { $0.removeFirst() }, 1)
    expectEqual(current.value, [2])
    let results = Log<Int>()
    let counter = CurrentValue(0)
    await together(4) { _ in
      for _ in 1...1_000 {
        results.add(
          counter.modify {
            $0 += 1
            return $0
          })
      }
    }
    expectEqual(results.entries.sorted(), Array(1...4_000))
  }

  @Test func modifyThatThrowsLeavesTheValueUnset() {
    let current = CurrentValue(1)
    let recorder = SignalRecorder(current.signal)
    #expect(throws: Fault.broken) {
      try current.modify { (value) throws(Fault) in
        value = 2
        throw Fault.broken
      }
    }
    expectEqual(current.value, 1)
    expectEqual(recorder.values, [1])
  }

  @Test func modifyMayBeCalledFromAHandlerAndFromAChange() {
    let current = CurrentValue(0)
    let recorder = SignalRecorder(current.signal)
    let handle = current.signal.subscribe(onValue: { value in if value == 1 { current.modify { $0 += 1 } } })
    var isFirst = true
    current.modify { value in
      // Another change while this one runs: it runs again.
      if isFirst { current.value = 10 }
      isFirst = false
      value += 1
    }
    current.value = 1
    expectEqual(recorder.values, [0, 10, 11, 1, 2])
    handle.dispose()
  }

  @Test func theFirstValueOfASubscriberIsTheLatestThatWasSet() async {
    let (current, problems) = (CurrentValue(0), Log<String>())
    await together(4) { thread in
      for _ in 1...2_000 {
        if thread < 2 {
          current.modify { $0 += 1 }
          continue
        }
        let (before, first) = (current.value, Later<Int>())
        current.property.signal.take(1).subscribe(onValue: { first.value = $0 })
        let after = current.value
        if first.value.map({ before <= $0 && $0 <= after }) != true {
          problems.add("\(before), \(String(describing: first.value)), \(after)")
        }
      }
    }
    report(problems.entries)
  }
}
