import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// The object per API: its request, its result, its hooks, its end.
struct CallTests {
  private let kit = TestKit { $0.processing = .global }

  private func call(_ answer: StubAnswer, cache: CachePolicy = .default) -> LeaveCall {
    kit.stub.on(.post, "/leaves", answer)
    var options = RequestOptions()
    options.cache = cache
    return LeaveCall(days: 3, client: kit.client, options: options)
  }

  @Test("S1-29 S1-16 T12") func bothStylesSendTheSameBytes() async throws {
    let request = Request(
      .post, "/leaves", query: ["trace": "1"], parameters: ["days": 3], headers: ["X-Kind": "leave"])
    let call = LeaveCall(days: 3, client: kit.client)
    try expectEqual(kit.client.httpRequest(for: call), kit.client.httpRequest(for: request))
    let other = kit.client.call(request, as: Leave.self)
    try expectEqual(kit.client.httpRequest(for: other), kit.client.httpRequest(for: request))
    kit.stub.on(.post, "/leaves", .never)
    call.start()
    let enqueued = SignalRecorder(kit.client.enqueue(request: request, resultType: Leave.self))
    await expect(kit.stub.requested(2))
    expectEqual(kit.stub.requests[0], kit.stub.requests[1])
    call.cancel()
    enqueued.dispose()
  }

  @Test func aCallThatJoinsAnotherOneHasItsResults() async throws {
    kit.stub.on(.post, "/leaves", .json(#"{"days":3}"#).delayed(by: .seconds(1)))
    let lane = Lane(.exclusive(.join))
    let calls = (0..<2).map { _ in LeaveCall(days: 3, client: kit.client, lane: lane) }
    let endedCount = CurrentValue(0)
    // On this thread, so that both have joined the lane before the answer comes.
    for call in calls {
      call.accessories = [StopWatcher { endedCount.modify { $0 += 1 } }]
      call.start(onSuccess: { $0.log.add("success") })
    }
    await expect(kit.stub.requested(1))
    await kit.clock.advance(by: .seconds(1))
    await expect(SignalRecorder(endedCount.signal).wait { $0.last?.value == 2 })
    for call in calls {
      expectEqual(call.value, Leave(days: 3))
      expectEqual(call.statusCode, 200)
      expectEqual(call.log.texts, ["willSucceed 3", "didSucceed", "success"])
    }
    expectEqual(kit.stub.requests.count, 1)
  }

  @Test("S1-16 S1-17 S0-40 S1-30 S4-16") func aSuccessIsReportedInOrder() async throws {
    let call = call(.json(#"{"days":3}"#, headers: ["ETag": "\"1\""]))
    expectNil(call.id)
    expectNil(call.response)
    expectNil(call.request)
    expect(!call.isExecuting)
    (call.delegate, call.accessories) = (call.log, [call.log])
    await call.run(call.log)
    expectEqual(
      call.log.texts,
      [
        "willStart", "willSucceed 3", "willStop", "didSucceed", "delegate success", "success", "didStop",
      ])
    expectEqual(call.log.mainTexts.suffix(5), call.log.texts.suffix(5))
    expect(!call.log.mainTexts.contains("willSucceed 3"))
    expectEqual(call.value, Leave(days: 3))
    expectEqual(call.statusCode, 200)
    expectEqual(call.responseHeaders["ETag"], "\"1\"")
    expectEqual(call.data, Data(#"{"days":3}"#.utf8))
    expectEqual(call.text, #"{"days":3}"#)
    expectEqual(call.json, ["days": 3])
    expectEqual(call.request?.url.path, "/leaves")
    expectEqual(call.request?.method, .post)
    expectEqual(call.request?.id, call.id)
    expectNil(call.error)
    expect(!call.isCancelled)
    expect(!call.isExecuting)
    expect(call.id != nil)
  }

  @Test("S1-16 S1-17 S0-40") func aFailureIsReportedInOrder() async {
    let call = call(.json(#"{"why":"no"}"#, status: 422))
    (call.delegate, call.accessories) = (call.log, [call.log])
    await call.run(call.log)
    expectEqual(
      call.log.texts,
      [
        "willStart", "willFail 422", "willStop", "didFail", "delegate failure", "failure", "didStop",
      ])
    expect(!call.log.mainTexts.contains("willFail 422"))
    expectEqual(call.log.mainTexts.suffix(5), call.log.texts.suffix(5))
    expectEqual(call.error?.code, .status(422))
    expectEqual(call.statusCode, 422)
    expectEqual(call.json, ["why": "no"])
    expectNil(call.response)
    expect(!call.isCancelled)
    expectEqual(call.request?.id, call.id)
  }

  @Test func aTypeDeclaresItsOwnShape() async {
    let call = call(.json(#"{"days":"three"}"#))
    await call.run(call.log)
    expectEqual(call.error?.code, .invalidShape)
    expectEqual(call.text, #"{"days":"three"}"#)
  }

  @Test("S1-17") func theCachedResponseIsAnUpdateAndTheNetworkTheSuccess() async {
    kit.stub.on(.get, "/days", .json(#"{"days":1}"#), .json(#"{"days":2}"#))
    let request = Request(.get, "/days", cache: .cacheThenNetwork)
    let log = MomentLog()
    let call = kit.client.call(request, as: Leave.self)
    call.delegate = log
    await call.run(log)
    expectEqual(log.texts, ["delegate success", "success"])
    await call.run(log)
    expectEqual(log.texts.dropFirst(2), ["delegate update", "update", "delegate success", "success"])
    expectEqual(call.value?.days, 2)
  }

  @Test("S1-17") func theHookOfAnUpdateRunsOnTheMainActor() async {
    kit.stub.on(.post, "/leaves", .json(#"{"days":3}"#), .json(#"{"days":4}"#))
    var options = RequestOptions()
    options.cache = .cacheThenNetwork
    let call = LeaveCall(days: 3, client: kit.client, options: options)
    await call.run(MomentLog())
    await call.run(call.log)
    let texts = call.log.texts.dropFirst(2)
    expectEqual(texts.filter { $0.hasPrefix("will") }, ["willSucceed 3", "willSucceed 4"])
    expectEqual(texts.filter { !$0.hasPrefix("will") }, ["didUpdate", "update", "didSucceed", "success"])
    // The second response is processed beside the main thread; its hook runs before its delivery only.
    expectEqual(texts.first, "willSucceed 3")
    expectEqual(texts.suffix(2), ["didSucceed", "success"])
    expect(call.log.mainTexts.contains("didUpdate"))
  }

  @Test("S0-40") func theDelegateIsNotRetained() async {
    let call = call(.never)
    var log: MomentLog? = MomentLog()
    weak var delegate: MomentLog?
    delegate = log
    call.delegate = log
    call.start()
    log = nil
    expectNil(delegate)
    expectNil(call.delegate)
    call.cancel()
  }

  @Test("S1-17") func aHitOfTheCacheRunsTheHooks() async {
    let call = call(.json(#"{"days":3}"#), cache: .timeToLive(.seconds(60)))
    await call.run(call.log)
    let hit = await MainActor.run { SignalRecorder(call.signal) }
    await hit.waitForEnd()
    expectEqual(kit.stub.requests.count, 1)
    expectEqual(call.log.texts, ["willSucceed 3", "didSucceed", "success", "willSucceed 3", "didSucceed"])
    expectEqual(call.log.mainTexts, ["didSucceed", "success", "didSucceed"])
    expectEqual(call.response?.source.isCached, true)
  }

  @Test("S4-3 S0-30 S0-33") func theCallbackGetsTheCallItselfAndNothingRetainsIt() async {
    kit.stub.on(.post, "/leaves", .json(#"{"days":3}"#))
    weak var released: LeaveCall?
    let days = await withCheckedContinuation { continuation in
      let call = LeaveCall(days: 3, client: kit.client)
      released = call
      // The call is not stored anywhere else.
      call.start(onSuccess: { call in continuation.resume(returning: call.days + (call.value?.days ?? 0)) })
    }
    expectEqual(days, 6)
    // The thread that delivered may still be returning.
    await until { released == nil }
    expectNil(released)
  }

  @Test("S0-29 S1-16") func aCancelledCallIsSilent() async {
    let call = call(.never)
    (call.delegate, call.accessories) = (call.log, [call.log])
    call.start(onSuccess: { _ in Issue.record("success") }, onFailure: { _ in Issue.record("failure") })
    expect(call.isExecuting)
    expectEqual(kit.stub.activeCount, 1)
    call.cancel()
    expectEqual(kit.stub.cancelledCount, 1)
    expect(call.isCancelled)
    expect(!call.isExecuting)
    expectNil(call.error)
    call.cancel()
    await kit.clock.advance()
    expectEqual(call.log.texts, ["willStart", "willStop", "didStop"])
  }

  @Test("S0-31 S0-26") func cancelAndStartAgainIsSafeAtAnyTime() async {
    let call = call(.never)
    call.cancel()
    for _ in 0..<3 {
      call.cancel()
      expect(call.start())
    }
    expectEqual(kit.stub.requests.count, 3)
    expectEqual(kit.stub.activeCount, 1)
    kit.stub.on(.post, "/leaves", .json(#"{"days":3}"#))
    call.cancel()
    await call.run(call.log)
    expectEqual(call.log.texts, ["willSucceed 3", "didSucceed", "success"])
  }

  @Test func aCallOfAnExclusiveLaneMayBeStartedAgainByTheEndOfItsCancellation() async {
    kit.stub.on(.get, "/a", .never)
    let call = kit.client.call("/a", as: Leave.self, in: Lane(.exclusive()))
    let starts = CurrentValue(0)
    call.accessories = [
      StopWatcher { [weak call] in
        if starts.modify({
          $0 += 1
          return $0
        }) == 1 {
          call?.start()
        }
      }
    ]
    call.start()
    call.cancel()
    await kit.clock.advance()
    expect(call.isExecuting)
    expectEqual(kit.stub.requests.count, 2)
    expectEqual(kit.stub.activeCount, 1)
    call.cancel()
  }

  @Test func aCallInFlightIsNotStartedTwice() async {
    let call = call(.never)
    expect(call.start())
    expect(!call.start())
    expectEqual(kit.stub.requests.count, 1)
    await #expect(throws: NetworkError.self) { try await call.send() }
    let recorder = SignalRecorder(call.signal)
    expectEqual(recorder.failure?.code, .alreadyStarted)
    call.cancel()
  }

  @Test func itMayBeStartedAgainFromItsOwnCallback() async {
    kit.stub.on(.post, "/leaves", .status(503), .json(#"{"days":3}"#))
    let call = LeaveCall(days: 3, client: kit.client)
    await withCheckedContinuation { continuation in
      call.start(onFailure: { call in
        let isStarted = call.start(onSuccess: { _ in continuation.resume() })
        expect(isStarted)
      })
    }
    expectEqual(call.value?.days, 3)
    expectNil(call.error)
  }

  @Test func itIsAnAsyncFunctionToo() async throws {
    kit.stub.on(.post, "/leaves", .json(#"{"days":3}"#), .status(500), .never)
    let call = LeaveCall(days: 3, client: kit.client)
    try await expectEqual(call.send().value.days, 3)
    await #expect { try await call.send() } throws: { ($0 as? NetworkError)?.code == .status(500) }
    let task = Task { try await call.send() }
    await kit.stub.requested(3)
    // Cancelled by another part of the app: what waits for it ends.
    call.cancel()
    await #expect { try await task.value } throws: { ($0 as? NetworkError)?.isCancelled == true }
  }

  /// It has delivered the stored response as an update, unlike that of the client, which returns it.
  @Test func withAStoredResponseItStillFailsWithoutANetwork() async throws {
    kit.stub.on(.get, "/leaves", .json(#"{"days":3}"#), .failure(NetworkError(.connectionLost)))
    let request = Request(.get, "/leaves", cache: .cacheThenNetwork)
    _ = try await kit.client.send(request, as: Leave.self)
    try await expectEqual(kit.client.send(request, as: Leave.self).value.days, 3)
    let error = await #expect(throws: NetworkError.self) { try await kit.client.call(request, as: Leave.self).send() }
    expectEqual(error?.code, .connectionLost)
  }

  @Test(arguments: [(StubAnswer.status(304), NetworkError.Code.status(304)), (.json("[]"), .unexpectedShape)])
  func withoutAValueTheAsyncFunctionFailsAsThatOfTheClient(_ answer: StubAnswer, _ code: NetworkError.Code) async {
    let kit = TestKit { $0.messages = [code: "Nothing.", .cancelled: "Stopped."] }
    kit.stub.on(.get, "/leaves", answer, answer, .never)
    let options = RequestOptions.with { $0.presentation = .silent }
    let request = Request(.get, "/leaves", headers: ["If-None-Match": "\"1\""], options: options)
    let call = kit.client.call(request, as: Leave.self)
    var failures: [NetworkError] = []
    do throws(NetworkError) { _ = try await kit.client.send(request, as: Leave.self) } catch { failures.append(error) }
    do throws(NetworkError) { _ = try await call.send() } catch { failures.append(error) }
    expectEqual(failures.map(\.code), [code, code])
    expectEqual(failures.map(\.message), ["Nothing.", "Nothing."])
    expectEqual(failures.map(\.presentation), [.silent, .silent])
    expectEqual(failures.map(\.response?.statusCode), Array(repeating: code == .status(304) ? 304 : 200, count: 2))
    let task = Task { () async -> NetworkError? in
      do throws(NetworkError) { _ = try await call.send() } catch { return error }
      return nil
    }
    await kit.stub.requested(3)
    task.cancel()
    let cancelled = await task.value
    expectEqual(cancelled?.message, "Stopped.")
    expectEqual(cancelled?.presentation, .silent)
  }

  @Test("S0-32 S0-34 T17") func itEndsWithItsOwnerWhichItDoesNotRetain() async {
    final class Screen: Sendable {}
    let call = call(.never)
    call.accessories = [call.log]
    var screen: Screen? = Screen()
    weak var owner: Screen?
    owner = screen
    if let screen {
      call.start(for: screen) { _, _ in
        Issue.record("success")
      } onFailure: { _, _ in
        Issue.record("failure")
      }
    }
    screen = nil
    await until { call.log.texts.count >= 3 && kit.stub.cancelledCount > 0 }
    // Not before: the sweep that looks for deallocated owners may hold it for a moment.
    expectNil(owner)
    expect(call.isCancelled)
    expectEqual(kit.stub.cancelledCount, 1)
    expectEqual(call.log.texts, ["willStart", "willStop", "didStop"])
  }

  @Test("S1-17", arguments: [true, false]) func theHookOfARequestThatCannotBeSentRunsOnTheThreadOfTheStart(
    _ isMain: Bool
  ) async {
    let call = LeaveCall(days: 3, client: kit.client, options: .with { $0.idempotencyKey = "" })
    let start: @Sendable () -> SignalRecorder<LeaveCall, NetworkError> = { SignalRecorder(call.signal) }
    await (isMain ? MainActor.run(body: start) : onThread(start)).waitForEnd()
    expectEqual(call.error?.code, .invalidHeader)
    expectEqual(call.log.texts, ["willFail \(NetworkError.Code.invalidHeader)", "didFail"])
    expectEqual(call.log.mainTexts, Array(call.log.texts.suffix(isMain ? 2 : 1)))
    expect(kit.stub.requests.isEmpty)
  }
}
