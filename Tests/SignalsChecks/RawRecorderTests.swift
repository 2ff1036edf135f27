import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

/// The raw recorder and its trial notice what an operator does wrong.
struct RawRecorderTests {
  /// Completes twice.
  static let completesTwice: Stage.Transformation = { source, _ in
    .unguarded { downstream in
      source.subscribe { event in
        downstream.send(event)
        if case .completed = event { downstream.send(.completed) }
      }
    }
  }

  /// Sends its latest value once more after the end.
  static let sendsLate: Stage.Transformation = { source, _ in
    .unguarded { downstream in
      let latest = Later<Token>()
      return source.subscribe { event in
        downstream.send(event)
        if let value = event.value { latest.value = value }
        if event.isTerminal, let late = latest.value { downstream.send(.value(late)) }
      }
    }
  }

  /// Sends a value because it is disposed.
  static let sendsWhenDisposed: Stage.Transformation = { source, parts in
    .unguarded { downstream in
      let handle = source.subscribe { downstream.send($0) }
      return Disposable {
        handle.dispose()
        downstream.send(.value(parts.token(99)))
      }
    }
  }

  /// Does not stop its source when it is disposed.
  static let goesOn: Stage.Transformation = { source, _ in
    .unguarded { downstream in
      source.subscribe { downstream.send($0) }
      return Disposable {}
    }
  }

  /// Tears its work down when the source ends, and once more when it is disposed.
  static let tearsDownTwice: Stage.Transformation = { source, parts in
    .unguarded { downstream in
      parts.starts.arrive()
      let handle = source.subscribe { event in
        downstream.send(event)
        if event.isTerminal { parts.teardowns.arrive() }
      }
      return Disposable {
        parts.teardowns.arrive()
        handle.dispose()
      }
    }
  }

  private func expect(
    _ planted: Stage.Transformation, _ violation: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let found = RawTrial.violations(of: planted)
    #expect(found.contains { $0.hasSuffix(violation) }, "\(found)", sourceLocation: sourceLocation)
  }

  @Test func aSecondCompletionIsReported() {
    expect(RawRecorderTests.completesTwice, "everyEnd: completed after the end")
  }

  @Test func aValueAfterTheEndIsReported() {
    expect(RawRecorderTests.sendsLate, "failureFirst: value(1) after the end")
  }

  @Test func aValueBecauseOfTheDisposalIsReported() {
    expect(RawRecorderTests.sendsWhenDisposed, "disposal: value(99) after the disposal")
  }

  @Test func aValueAfterTheDisposalIsReported() {
    expect(RawRecorderTests.goesOn, "disposal: value(20) after the disposal")
    expect(RawRecorderTests.goesOn, "disposal: completed after the disposal")
  }

  @Test func aSecondTeardownIsReported() {
    expect(RawRecorderTests.tearsDownTwice, "everyEnd: 2 teardowns of 1 starts")
  }

  @Test func aDeliveryInsideAnotherIsReported() {
    let (downstream, inner) = (Later<UnguardedObserver<Int, Fault>>(), Later<Bool>())
    let recorder = RawRecorder<Int, Fault>(
      .unguarded {
        downstream.value = $0
        return Disposable {}
      },
      disposingAt: { _ in
        if inner.value == nil {
          inner.value = true
          downstream.value?.send(.value(2))
        }
        return false
      })
    downstream.value?.send(.value(1))
    expectEqual(recorder.violations, ["value(2) inside another delivery"])
  }

  @Test func nothingIsReportedOfAnOperatorThatIsRight() {
    expectEqual(RawTrial.violations(of: { source, _ in source }), [])
    expectEqual(RawTrial.violations(of: { source, _ in source.map { $0 }.filter { _ in true } }), [])
  }
}
