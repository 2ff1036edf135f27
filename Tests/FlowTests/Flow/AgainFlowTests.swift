import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import Synchronization
import TestSupport
import Testing

/// Retries, recoveries and presentation through a client, over real sockets.
struct AgainFlowTests {
  /// What a server counts.
  final class Count: Sendable {
    private let number = Atomic<Int>(0)
    var value: Int { number.load(ordering: .acquiring) }
    @discardableResult func next() -> Int { number.add(1, ordering: .acquiringAndReleasing).newValue }
  }

  let server: LoopbackServer
  let count = Count()
  /// Set when all that are to meet the expired token have begun: who begins later begins another refresh, rightly.
  private let areAllIn = CurrentValue(false)
  private var whenAllAreIn: Signal<Bool, NetworkError> {
    areAllIn.signal.filter { $0 }.take(1).setFailureType(to: NetworkError.self)
  }

  init() throws {
    server = try LoopbackServer()
    server.route("*", "/third") { [count] _ in count.next() < 3 ? .json("{}", status: 503) : .json("7") }
  }

  private func client(_ adjust: (inout NetworkClient.Configuration) -> Void = { _ in }) -> NetworkClient {
    var configuration = NetworkClient.Configuration(baseURL: server.baseURL, services: [])
    configuration.retry = Retry(limit: 3, backoff: .constant(.milliseconds(1)))
    adjust(&configuration)
    return NetworkClient(configuration)
  }

  private func outcome<Result: Decodable & Sendable>(
    _ client: NetworkClient, _ request: some RequestConvertible, as type: Result.Type = Int.self
  ) async -> SignalRecorder<Response<Result>, NetworkError> {
    let recorder = SignalRecorder(client.enqueue(request: request, resultType: type))
    await recorder.waitForEnd()
    return recorder
  }

  @Test("S1-12") func whatFailsIsSentAgainAndTheTriesAreInTheMetrics() async throws {
    let recorder = await outcome(client(), Request(.get, "/third"))
    expectEqual(recorder.values.map(\.value), [7])
    let tries = try require(recorder.values.first?.metrics?.earlierAttempts)
    expectEqual(tries.map(\.code), [503, 503])
    expectEqual(tries.map(\.domain), ["server", "server"])
    expect(tries.allSatisfy { ($0.duration ?? .zero) > .zero })
    expectEqual(server.log.requests.count, 3)
  }

  @Test func theLastErrorKnowsTheTriesBefore() async throws {
    let recorder = await outcome(client { $0.retry.limit = 1 }, Request(.get, "/third"))
    expectEqual(recorder.failure?.code, .status(503))
    expectEqual(recorder.failure?.metrics?.earlierAttempts.map(\.code), [503])
    expectEqual(server.log.requests.count, 2)
  }

  @Test func aPostIsSentAgainOnlyIfItSaysSo() async throws {
    let once = await outcome(client(), Request(.post, "/third"))
    expectEqual(once.failure?.code, .status(503))
    expectEqual(server.log.requests.count, 1)
    let again = await outcome(client(), Request(.post, "/third", options: .with { $0.isIdempotent = true }))
    expectEqual(again.values.map(\.value), [7])
  }

  @Test func anIdempotencyKeyMakesAPostRepeatable() async throws {
    let client = client()
    let order = Request(.post, "/third", options: .with { $0.idempotencyKey = .automatic })
    let first = await outcome(client, order)
    expectEqual(first.values.map(\.value), [7])
    let second = await outcome(client, order)
    expectEqual(second.values.map(\.value), [7])
    let keys = server.log.requests.map { $0.header("Idempotency-Key") ?? "" }
    expectEqual(keys.count, 4)
    expectEqual(Set(keys[..<3]).count, 1, "all attempts of a subscription have the same")
    expect(keys[3] != keys[0], "another subscription has another")
    expect(keys.allSatisfy { UUID(uuidString: $0) != nil })
  }

  /// No server sees it, and the second attempt would be a second order.
  @Test(arguments: ["", " ", "\t "]) func anEmptyIdempotencyKeyIsRefused(_ key: String) async throws {
    for headers in [[:], ["Idempotency-Key": key]] as [HTTPHeaders] {
      let options = RequestOptions.with { $0.idempotencyKey = headers.isEmpty ? .value(key) : .automatic }
      let failure = await outcome(client(), Request(.post, "/third", headers: headers, options: options)).failure
      expectEqual(failure?.domain, .client)
      expectEqual(failure?.code, .invalidHeader)
    }
    expect(server.log.requests.isEmpty)
  }

  @Test func aKeyOfYourOwnIsSentAsItIs() throws {
    let builder = RequestBuilder(baseURL: server.baseURL)
    var request = Request(.post, "/a", options: .with { $0.idempotencyKey = "order-7" })
    let own = try builder.build(request)
    expectEqual(own.headers["Idempotency-Key"], "order-7")
    expect(own.isIdempotent)
    request.headers["Idempotency-Key"] = "\"order-8\""
    try expectEqual(builder.build(request).headers["Idempotency-Key"], "\"order-8\"")
    request.options.isIdempotent = false
    expect(!(try builder.build(request).isIdempotent))
    #expect(throws: NetworkError.self) {
      try builder.build(Request(.post, "/a", options: .with { $0.idempotencyKey = "a\r\nb" }))
    }
  }

  @Test func aClosureDecidesOnClientServiceAndRequest() async throws {
    struct Shop: Service {
      let id: ServiceID = "shop"
      let url: URL
      let retry: Retry? = Retry { _, _ in .doNotRetry }
      func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? { ServiceAddresses(url) }
    }
    let client = client { configuration in
      configuration.services = ServiceRegistry([Shop(url: server.baseURL)])
      configuration.retry = Retry(limit: 5) { error, attempt in
        error.code == .status(503) && attempt == 1 ? .retry(after: .zero) : .doNotRetry
      }
    }
    // The client's: one retry, of a `POST` too.
    await expectEqual(outcome(client, Request(.post, "/third")).failure?.code, .status(503))
    expectEqual(server.log.requests.count, 2)
    await expectEqual(outcome(client, Request(.post, "/third")).values.count, 1)
    // The service's: none.
    server.route("GET", "/busy") { _ in .json("{}", status: 503) }
    await expectEqual(outcome(client, Request(.get, "/busy", service: "shop")).failure?.code, .status(503))
    expectEqual(server.log.requests(to: "/busy").count, 1)
    // The request's.
    let three = Retry(limit: 5) { _, attempt in attempt < 3 ? .retry(after: .zero) : .doNotRetry }
    let request = Request(.get, "/busy", service: "shop", options: .with { $0.retry = three })
    await expectEqual(outcome(client, request).failure?.code, .status(503))
    expectEqual(server.log.requests(to: "/busy").count, 4)
  }

  @Test func aRequestsRulesComeBeforeTheClients() async throws {
    let recorder = await outcome(client(), Request(.get, "/third", options: .with { $0.retry = .never }))
    expectEqual(recorder.failure?.code, .status(503))
    expectEqual(server.log.requests.count, 1)
  }

  @Test("S1-25 S1-35") func everyTryIsSignedAnewAndFilteredOnce() async throws {
    struct Signed: Service {
      let id: ServiceID = "signed"
      let url: URL
      let signer: (any Signer)? = HMACSigner(key: Data("k".utf8))
      let filters: [any RequestFilter] = [Adding()]

      func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? { ServiceAddresses(url) }
    }
    struct Adding: RequestFilter {
      func filter(_ draft: inout RequestDraft) throws(NetworkError) {
        draft.query.append(ParameterPair("added", "1"))
      }
    }
    let client = client { $0.builder.services = ServiceRegistry([Signed(url: server.baseURL)]) }
    let recorder = await outcome(client, Request(.get, "/third", service: "signed"))
    expectEqual(recorder.values.map(\.value), [7])
    let targets = server.log.requests.map(\.target)
    expectEqual(Set(targets).count, 3)
    expect(targets.allSatisfy { $0.components(separatedBy: "added=1").count == 2 })
  }

  @Test("P5") func twentyThatMeetAnExpiredTokenAreRefreshedOnceAndReplayedOnce() async throws {
    let refreshes = Count()
    server.route("GET", "/items") { request in
      request.header("Authorization") == "Bearer new" ? .json("1") : .json(#"{"code":401}"#, status: 401)
    }
    server.route("POST", "/token") { _ in
      refreshes.next()
      return .json(#"{"token":"new"}"#)
    }
    struct Item: Endpoint {
      let token: ChangingText
      var request: Request { Request(.get, "/items", headers: ["Authorization": "Bearer \(token.value)"]) }
    }
    struct Answer: Decodable, Sendable { let token: String }
    let box = ChangingText("old")
    let plain = client { $0.retry = .never }
    let whenAllAreIn = whenAllAreIn
    let recovering = client { configuration in
      configuration.retry = .never
      configuration.recoveries = [
        Recovery {
          whenAllAreIn.flatMap { _ in plain.enqueue(request: Request(.post, "/token"), resultType: Answer.self) }
            .on(value: { box.value = $0.value.token })
        }
      ]
    }
    let all = (0..<20).map { _ in
      SignalRecorder(recovering.enqueue(request: Item(token: box), resultType: Int.self))
    }
    areAllIn.value = true
    for recorder in all { await recorder.waitForEnd() }
    expect(all.allSatisfy { $0.values.map(\.value) == [1] })
    expectEqual(refreshes.value, 1)
    expectEqual(server.log.requests.filter { $0.target == "/items" }.count, 40)
    expect(all.allSatisfy { $0.values.first?.metrics?.earlierAttempts.map(\.code) == [401] })
  }

  @Test("P5") func aRefreshThatFailsFailsEachOnceAndNothingMoreIsSent() async throws {
    server.route("GET", "/items") { _ in .json("{}", status: 401) }
    server.route("POST", "/token") { _ in .json("{}", status: 400) }
    let plain = client { $0.retry = .never }
    let whenAllAreIn = whenAllAreIn
    let recovering = client { configuration in
      configuration.retry = .never
      configuration.recoveries = [
        Recovery {
          whenAllAreIn.flatMap { _ in plain.enqueue(request: Request(.post, "/token"), resultType: NoContent.self) }
        }
      ]
    }
    let all = (0..<20).map { _ in SignalRecorder(recovering.enqueue(request: "/items", resultType: Int.self)) }
    areAllIn.value = true
    for recorder in all { await recorder.waitForEnd() }
    expect(all.allSatisfy { $0.failure?.code == .status(400) && $0.events.count == 1 })
    expectEqual(server.log.requests.filter { $0.target == "/items" }.count, 20)
    expectEqual(server.log.requests.filter { $0.target == "/token" }.count, 1)
  }

  /// Also if a status or a validator refuses the response as well.
  @Test("S0-2 P5 S1-8 S4-14", arguments: [200, 400]) func aCodeOfTheServicesOwnIsRecoveredFromToo(
    _ status: Int
  ) async throws {
    let refreshes = Count()
    server.route("GET", "/items") { [count] _ in
      count.next() == 1 ? .json(#"{"code":1,"msg":"sign in"}"#, status: status) : .json(#"{"code":0,"data":5}"#)
    }
    let recovering = client { configuration in
      let shape: JSONShape = ["data": .number]
      configuration.stages = Stages(validators: [shape], envelope: .codeMessageData)
      configuration.recoveries = [
        Recovery(statuses: [], codes: [.api(1)]) {
          Signal<Void, NetworkError>.deferred {
            refreshes.next()
            return .empty
          }
        }
      ]
    }
    await expectEqual(outcome(recovering, Request(.get, "/items")).values.map(\.value), [5])
    expectEqual(refreshes.value, 1)
  }

  @Test("P5") func aRequestMayBeExempt() async throws {
    let refreshes = Count()
    server.route("GET", "/items") { _ in .json("{}", status: 401) }
    let recovering = client { configuration in
      configuration.retry = .never
      configuration.recoveries = [
        Recovery {
          Signal<Void, NetworkError>.deferred {
            refreshes.next()
            return .empty
          }
        }
      ]
    }
    let exempt = Request(.get, "/items", options: .with { $0.allowsRecovery = false })
    await expectEqual(outcome(recovering, exempt).failure?.code, .status(401))
    expectEqual(refreshes.value, 0)
    expectEqual(server.log.requests.count, 1)
    await expectEqual(outcome(recovering, Request(.get, "/items")).failure?.code, .status(401))
    expectEqual(refreshes.value, 1)
    expectEqual(server.log.requests.count, 3)
  }

  @Test("S0-38") func aRequestSaysHowItsFailureIsShown() async throws {
    server.route("GET", "/bad") { _ in .json("{}", status: 500) }
    let presenter = ErrorPresenter(scheduler: VirtualScheduler())
    let client = client { configuration in
      configuration.retry = .never
      configuration.monitors = [presenter]
    }
    let shown = SignalRecorder(presenter.presentations.signal)
    let styles: [PresentationStyle] = [.dialog, .toast, .inline, .silent]
    for style in styles {
      let request = Request(.get, "/bad", options: .with { $0.presentation = style })
      let recorder = await outcome(client, request)
      expectEqual(recorder.failure?.code, .status(500))
      expectEqual(recorder.failure?.presentation, style)
    }
    // The inline one, which has no owner here, is an equal toast.
    expectEqual(shown.values.last?.map(\.style), [.dialog, .toast])
    expectEqual(shown.values.last?.map(\.suppressedCount), [0, 1])
  }
}

/// A value that may be another later.
final class ChangingText: Sendable {
  private let state: Guarded<String>

  init(_ value: String) { state = Guarded(value) }

  var value: String {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}
