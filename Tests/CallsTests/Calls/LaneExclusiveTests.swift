import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// A lane for one signal, in which duplicates are dropped or join.
struct LaneExclusiveTests {
  private let clock = VirtualScheduler()
  private let running = RunningCount()
  private let subject = PublishSubject<Int, NetworkError>()

  private func slow(_ value: Int) -> Signal<Int, NetworkError> {
    running.counting(Signal<Int, NetworkError>.just(value).delay(.seconds(1), on: clock))
  }

  @Test("P3") func aDuplicateCompletesWithoutAValueAndIsNotStarted() {
    let lane = Lane(.exclusive())
    let first = SignalRecorder(lane.enqueue(slow(1)))
    let second = SignalRecorder(lane.enqueue(slow(2)))
    expect(second.isCompleted)
    expect(second.values.isEmpty)
    let third = SignalRecorder(lane.enqueue(slow(3), .normal, orEnd: .failed(NetworkError(.cancelled))))
    expectEqual(third.failure?.code, .cancelled)
    expectEqual(running.started, 1)
    clock.advance(by: .seconds(1))
    expectEqual(first.values, [1])
    expect(first.isCompleted)
    let next = SignalRecorder(lane.enqueue(slow(4)))
    clock.advance(by: .seconds(1))
    expectEqual(next.values, [4])
  }

  /// The owner of the signal, not of the subscription, is deallocated.
  @Test(arguments: [Lane.Policy.exclusive(), .exclusive(.join), .serial, .latestWins()])
  func aSignalThatEndsSilentlyFreesTheLane(_ policy: Lane.Policy) {
    let lane = Lane(policy)
    var lifetime: Lifetime? = Lifetime()
    guard let owner = lifetime else { return }
    let next = Guarded<SignalRecorder<Int, NetworkError>?>(nil)
    let endless = lane.enqueue(Signal<Int, NetworkError>.never.bound(to: owner))
    let stuck = SignalRecorder(
      endless.on(completion: { next.set(SignalRecorder(lane.enqueue(Signal<Int, NetworkError>.just(1)))) }))
    expect(stuck.events.isEmpty)
    withExtendedLifetime(owner) {}
    lifetime = nil
    _ = consume owner
    expect(stuck.isCompleted)
    expect(stuck.values.isEmpty)
    expectEqual(next.withLock { $0 }?.values, [1])
    expectEqual(next.withLock { $0 }?.isCompleted, true)
  }

  @Test func disposalFreesTheLane() {
    for duplicate in [Lane.Duplicate.drop, .join] {
      let lane = Lane(.exclusive(duplicate))
      let first = SignalRecorder(lane.enqueue(slow(1)))
      let dropped = SignalRecorder(lane.enqueue(Signal<String, Never>.just("a")))
      expect(dropped.isCompleted)
      expect(dropped.values.isEmpty)
      dropped.dispose()
      expectEqual(running.value, 1)
      first.dispose()
      expectEqual(running.value, 0)
      expectEqual(SignalRecorder(lane.enqueue(Signal<String, Never>.just("b"))).values, ["b"])
    }
  }

  /// Submitting again from the error's handler is no duplicate.
  @Test func theHandlerOfTheEndMayUseTheLaneAgain() {
    for duplicate in [Lane.Duplicate.drop, .join] {
      let lane = Lane(.exclusive(duplicate))
      let log = Guarded<[Int]>([])
      let failing = Signal<Int, NetworkError>.fail(NetworkError(.connectionLost))
      lane.enqueue(failing).subscribe { event in
        guard case .failed = event else { return }
        lane.enqueue(Signal<Int, NetworkError>.just(1)).subscribe { event in
          if let value = event.value { log.withLock { $0.append(value) } }
          guard case .completed = event else { return }
          lane.enqueue(Signal<Int, Never>.just(2)).subscribe(onValue: { value in log.withLock { $0.append(value) } })
        }
      }
      expectEqual(log.withLock { $0 }, [1, 2])
    }
  }

  /// Whoever submits again when the value is there does not join the former request.
  @Test(arguments: [Lane.Duplicate.drop, .join])
  func theHandlerOfTheValueOfARequestMayUseTheLaneAgain(_ duplicate: Lane.Duplicate) {
    let kit = TestKit {
      $0.monitors = [MonitorLog()]
      $0.onUnauthorized = { _ in }
    }
    kit.stub.on(.post, "/order", .text("first"), .text("second"))
    let lane = Lane(.exclusive(duplicate))
    let submit = { @Sendable in
      lane.enqueue(kit.client.enqueue(request: Request(.post, "/order"), resultType: String.self))
    }
    let log = Guarded<[String]>([])
    submit().subscribe(
      onValue: { first in
        log.withLock { $0.append(first.value) }
        submit().subscribe(onValue: { second in log.withLock { $0.append(second.value) } }, onFailure: { _ in })
      }, onFailure: { _ in })
    expectEqual(log.withLock { $0 }, ["first", "second"])
  }

  /// A signal that is cut while it starts, by its own value.
  @Test(arguments: [Lane.Policy.exclusive(), .exclusive(.join), .serial, .latestWins()])
  func aSynchronousSignalThatIsCutFreesTheLaneAtOnce(_ policy: Lane.Policy) {
    let lane = Lane(policy)
    let log = Guarded<[Int]>([])
    let sentCount = Guarded(0)
    let endless = Signal<Int, Never>.from(0...).on(value: { _ in sentCount.withLock { $0 += 1 } })
    lane.enqueue(endless).take(1).subscribe { event in
      guard case .completed = event else { return }
      lane.enqueue(Signal<Int, Never>.just(2)).subscribe(onValue: { value in log.withLock { $0.append(value) } })
    }
    expectEqual(log.withLock { $0 }, [2])
    expectEqual(sentCount.withLock { $0 }, 1)
  }

  @Test func aTaskMayUseTheLaneAgainAsSoonAsItsValueIsThere() async throws {
    let lane = Lane(.exclusive())
    for index in 0..<2_000 {
      let signal = Signal<Int, Never>.just(index).subscribe(on: .global)
      await expectEqual(lane.enqueue(signal).first(), index)
    }
  }

  /// A signal of another type cannot join, so the run must have ended for all.
  @Test(arguments: [false, true]) func theHandlerOfASharedEndMayUseTheLaneForAnotherType(_ hasJoined: Bool) {
    let lane = Lane(.exclusive(.join))
    let log = Guarded<[String]>([])
    let shared = lane.enqueue(subject.signal)
    let first = hasJoined ? SignalRecorder(shared) : nil
    shared.subscribe { event in
      guard case .failed = event else { return }
      lane.enqueue(Signal<String, Never>.just("a")).subscribe(onValue: { value in log.withLock { $0.append(value) } })
    }
    let joined = SignalRecorder(shared)
    first?.dispose()
    if hasJoined { joined.dispose() }
    subject.fail(NetworkError(.timedOut))
    expectEqual(log.withLock { $0 }, ["a"])
    expectEqual(joined.failure?.code, hasJoined ? nil : .timedOut)
  }

  @Test("P3") func aJoinedSignalHasTheEventsOfTheRunningOne() {
    let lane = Lane(.exclusive(.join))
    let first = SignalRecorder(lane.enqueue(running.counting(subject.signal)))
    subject.send(1)
    let second = SignalRecorder(lane.enqueue(slow(9)))
    expectEqual(second.values, [1])
    subject.send(2)
    // A signal of another type is dropped.
    let third = SignalRecorder(lane.enqueue(Signal<String, NetworkError>.just("a")))
    expect(third.isCompleted)
    expect(third.values.isEmpty)
    first.dispose()
    expectEqual(running.value, 1)
    subject.send(3)
    subject.fail(NetworkError(.timedOut))
    expectEqual(second.values, [1, 2, 3])
    expectEqual(second.failure?.code, .timedOut)
    expectEqual(first.values, [1, 2])
    expect(!first.hasEnded)
    expectEqual(running.started, 1)
    expectEqual(SignalRecorder(lane.enqueue(Signal<Int, NetworkError>.just(5))).values, [5])
  }

  @Test func theLastOfTheJoinedCancelsTheSignal() {
    let lane = Lane(.exclusive(.join))
    let recorders = (0..<5).map { _ in SignalRecorder(lane.enqueue(slow(1))) }
    for recorder in recorders {
      expectEqual(running.value, 1)
      recorder.dispose()
    }
    expectEqual(running.value, 0)
    expectEqual(running.started, 1)
    expectEqual(clock.pendingCount, 0)
    let next = SignalRecorder(lane.enqueue(slow(2)))
    clock.advance(by: .seconds(1))
    expectEqual(next.values, [2])
    expect(recorders.allSatisfy { $0.events.isEmpty })
  }

  /// Whoever joins while the last subscription is being disposed gets a signal of its own, not a cancelled one again.
  @Test func aSignalEnqueuedDuringACancellationIsItsOwn() {
    let lane = Lane(.exclusive(.join))
    let next = Guarded<SignalRecorder<Int, NetworkError>?>(nil)
    let cancelled = slow(1).finally { [self] in next.set(SignalRecorder(lane.enqueue(slow(2)))) }
    let first = SignalRecorder(lane.enqueue(cancelled))
    first.dispose()
    expectEqual(running.value, 1)
    let joined = SignalRecorder(lane.enqueue(slow(3)))
    clock.advance(by: .seconds(1))
    expectEqual(next.withLock { $0 }?.values, [2])
    expectEqual(joined.values, [2])
    expectEqual(first.events.count, 0)
    expectEqual(running.started, 2)
    expectEqual(SignalRecorder(lane.enqueue(Signal<Int, NetworkError>.just(4))).values, [4])
  }

  /// Nor does it get that of another one who has left meanwhile.
  @Test func aSignalEnqueuedDuringACancellationIsNotThatOfOneWhoLeft() {
    let lane = Lane(.exclusive(.join))
    let next = Guarded<SignalRecorder<Int, NetworkError>?>(nil)
    let cancelled = slow(1).finally { [self] in
      next.set(SignalRecorder(lane.enqueue(slow(2))))
      SignalRecorder(lane.enqueue(slow(3))).dispose()
    }
    SignalRecorder(lane.enqueue(cancelled)).dispose()
    clock.advance(by: .seconds(1))
    expectEqual(next.withLock { $0 }?.values, [2])
    expectEqual(running.started, 2)
  }

  @Test(arguments: [(StubAnswer.status(304), NetworkError.Code.status(304)), (.json("[]"), .unexpectedShape)])
  @MainActor func aJoinedCallEndsAsTheRunningOneWithoutAValue(_ answer: StubAnswer, _ code: NetworkError.Code) async {
    let kit = TestKit()
    kit.stub.on(.get, "/list", answer.delayed(by: .seconds(1)))
    let lane = Lane(.exclusive(.join))
    let request = Request(.get, "/list", headers: ["If-None-Match": "\"1\""])
    let calls = (0..<2).map { _ in kit.client.call(request, as: Leave.self, in: lane) }
    let errors = calls.map { call in
      Task { () async -> NetworkError? in
        do throws(NetworkError) {
          _ = try await call.send()
          return nil
        } catch {
          return error
        }
      }
    }
    await until { calls.allSatisfy(\.isExecuting) && kit.stub.activeCount == 1 }
    await kit.clock.advance(by: .seconds(1))
    for error in errors { await expectEqual(error.value?.code, code) }
    expectEqual(calls.map(\.statusCode), [calls[0].statusCode, calls[0].statusCode])
    expect(calls[0].statusCode != nil)
    expectEqual(kit.stub.requests.count, 1)
  }

  /// The running call has its cached response and waits for the network.
  @Test @MainActor func aJoinedCallGetsTheFormerResponsesInTheBackground() async {
    let kit = TestKit { $0.processing = .global }
    kit.stub.on(.post, "/leaves", .json(#"{"days":3}"#), .json(#"{"days":4}"#).delayed(by: .seconds(1)))
    let (lane, options) = (Lane(.exclusive(.join)), RequestOptions.with { $0.cache = .cacheThenNetwork })
    let calls = (0..<3).map { index in
      LeaveCall(days: 3, client: kit.client, options: options, lane: index == 0 ? nil : lane)
    }
    await calls[0].run(MomentLog())
    calls[1].start()
    await until { calls[1].log.texts.contains("didUpdate") && kit.stub.activeCount == 1 }
    calls[2].start()
    await until { calls[2].log.texts.contains("didUpdate") }
    await kit.clock.advance(by: .seconds(1))
    await until { calls.allSatisfy { !$0.isExecuting } }
    for call in calls.dropFirst() {
      expectEqual(call.log.texts, ["willSucceed 3", "didUpdate", "willSucceed 4", "didSucceed"])
      expectEqual(call.log.mainTexts, ["didUpdate", "didSucceed"])
    }
    expectEqual(kit.stub.requests.count, 2)
  }

  @Test("P3", arguments: TransportKind.present) func ofADoubleSubmitOnePostArrives(_ kind: TransportKind) async throws {
    let server = try LoopbackServer()
    let gate = DispatchSemaphore(value: 0)  // blocks: the thread of the server
    server.route("POST", "/orders") { _ in
      // Until both are there, and not for ever: the server of a test that fails must stop.
      _ = gate.wait(timeout: .now() + 300)
      return .json("7")
    }
    let client = NetworkClient(NetworkClient.Configuration(baseURL: server.baseURL, transport: try kind.transport()))
    let order = Request(.post, "/orders", body: .data(Data("{}".utf8), contentType: "application/json"))
    let submit = client.enqueue(request: order, resultType: Int.self)
    for (duplicate, values) in [(Lane.Duplicate.drop, [[7], []]), (.join, [[7], [7]])] {
      let lane = Lane(.exclusive(duplicate), name: "submit")
      let recorders = (0..<2).map { _ in SignalRecorder(lane.enqueue(submit)) }
      gate.signal()
      for recorder in recorders { await recorder.waitForEnd() }
      expectEqual(recorders.map { $0.values.map(\.value) }, values)
      expect(recorders.allSatisfy { $0.isCompleted })
      expectEqual(server.log.requests.count, 1)
      server.forgetRequests()
    }
  }
}
