import Foundation
import Heliograph
import HeliographTesting
import Observation
import TestSupport
import Testing

/// The samples of the article CallsAndLanes.
@MainActor
struct CallSamples {
  nonisolated struct Order: Codable, Sendable, Equatable { let state: String }
  nonisolated struct User: Codable, Sendable, Equatable {
    let id: Int
    let name: String
  }

  // sample: calls-discrete
  nonisolated final class OrderCall: Call<Order> {
    let number: Int

    init(number: Int, client: NetworkClient) {
      self.number = number
      super.init(client: client)
    }

    override var path: RequestPath { "/orders/\(number)" }
  }
  // end sample

  @MainActor final class OrderScreen: StartableDelegate {
    private(set) var text = ""

    func load(_ number: Int, from client: NetworkClient) {
      let call = OrderCall(number: number, client: client)
      call.delegate = self  // not retained
      call.start(for: self)  // cancelled with the screen
    }

    func didSucceed(_ work: any Startable) {
      if let call = work as? OrderCall { text = "Order \(call.number): \(call.value?.state ?? "")" }
    }

    func didFail(_ work: any Startable) { text = work.error?.message ?? "" }
  }

  @MainActor final class Screen {
    var text = ""
    func show(_ text: String) { self.text = text }
  }

  nonisolated struct AccountEngine {
    private let client: NetworkClient
    init(client: NetworkClient) { self.client = client }

    func signIn() -> Signal<String, NetworkError> {
      client.enqueue(request: Request(.post, "/session"), resultType: String.self).map(\.value)
    }
    func user(_ token: String) -> Signal<User, NetworkError> {
      let request = Request(.get, "/me", headers: ["Authorization": token])
      return client.enqueue(request: request, resultType: User.self).map(\.value)
    }
    func orders(_ token: String) -> Signal<[Order], NetworkError> {
      let request = Request(.get, "/orders", headers: ["Authorization": token])
      return client.enqueue(request: request, resultType: [Order].self).map(\.value)
    }
  }

  private let kit = TestKit()
  private let screen = Screen()
  private func user(_ id: Int) -> Signal<User, NetworkError> {
    kit.client.enqueue(request: "/users/\(id)", resultType: User.self).map(\.value)
  }

  @Test func bothStyles() async {
    kit.stub.on(.get, "/orders/7", .json(Order(state: "sent")), .status(503))
    let (client, screen) = (kit.client, screen)
    // sample: calls-centralized
    let call = client.call(Request(.get, "/orders/7"), as: Order.self)
    call.start(for: screen) { screen, call in
      screen.show(call.value?.state ?? "")
    } onFailure: { screen, call in
      screen.show(call.error?.message ?? "")
    }
    // end sample
    expect(call.isExecuting)
    await kit.clock.advance()
    expectEqual(screen.text, "sent")
    expectEqual(call.statusCode, 200)
    let discrete = OrderScreen()
    discrete.load(7, from: client)
    await kit.clock.advance()
    expectEqual(discrete.text, "The server had a problem. Please try again later.")
  }

  @Test func callsAreCancelledByTheirIdentifiers() async {
    kit.stub.on(.get, "/orders/7", .never)
    let client = kit.client
    let call = client.call(Request(.get, "/orders/7"), as: Order.self)
    call.start(onSuccess: { _ in Issue.record("it was cancelled") })
    if let id = call.id { client.cancelCalls([id]) }
    await kit.clock.advance()
    expect(call.isCancelled)
    expectEqual(kit.stub.activeCount, 0)
    expectEqual(client.callIDs.count, 0)
  }

  @Test func aBatchEndsAsOne() async {
    for id in 1...2 { kit.stub.on(.get, "/users/\(id)", .json(User(id: id, name: "User \(id)"))) }
    kit.stub.on(.get, "/users/3", .status(404))
    let screen = screen
    // sample: calls-batch
    let batch = Batch([1, 2, 3].map { user($0) }, mode: .collect, concurrencyLimit: 2)
    batch.start(for: screen) { screen, batch in
      screen.show(batch.values.map(\.name).joined(separator: ", "))
    }
    // end sample
    await kit.clock.advance()
    expectEqual(screen.text, "User 1, User 2")
    expectEqual(batch.results.count, 3)
  }

  @Test func aBatchIsAwaited() async throws {
    for id in 1...2 { kit.stub.on(.get, "/users/\(id)", .json(User(id: id, name: "User \(id)"))) }
    let batch = Batch([1, 2].map { user($0) })
    try await expectEqual(batch.signal.value().values.map(\.id), [1, 2])
    expectEqual(kit.stub.requests.count, 2)
  }

  @Test func aWaitingUploadChecksItsAccount() async throws {
    let account = CurrentValue<String?>("ada")
    let kit = TestKit { $0.account = account }
    kit.stub.on(.post, "/photos", StubAnswer.status(201).delayed(by: .seconds(1)))
    let (client, lane) = (kit.client, Lane(.serial, scheduler: kit.clock))
    let photo = Request(.post, "/photos", body: .data(Data("jpg".utf8), contentType: "image/jpeg"))
    func enqueue() -> Signal<Transfer<Response<NoContent>>, NetworkError> {
      // sample: calls-lane-account
      let owner = account.value
      let upload = lane.enqueue(
        Signal.deferred {
          account.value == owner ? client.upload(request: photo, resultType: NoContent.self) : .empty
        })
      // end sample
      return upload
    }
    let uploads = (1...2).map { _ in SignalRecorder(enqueue()) }
    await kit.clock.advance()
    account.value = "bob"
    await kit.clock.advance(by: .seconds(1))
    expectEqual(uploads.map { $0.failure?.code }, [.contextChanged, nil])
    expect(uploads[1].isCompleted)
    let next = SignalRecorder(enqueue())
    await kit.clock.advance(by: .seconds(1))
    expect(next.isCompleted)
    expectEqual(kit.stub.requests.count, 2)
  }

  @Test func anOutboxKeepsItsOrder() async throws {
    let account = CurrentValue<String?>("ada")
    let kit = TestKit { $0.account = account }
    kit.stub.on(
      .put, "/messages/1", .status(503), .failure(NetworkError(.connectionLost)), .failure(NetworkError(.circuitOpen)),
      .failure(NetworkError(.recoveryTimedOut)), .failure(NetworkError(.untrustedCertificate)), .status(204))
    kit.stub.on(.put, "/messages/2", .status(403))
    kit.stub.on(.put, "/messages/3", .status(503, headers: ["Retry-After": "600"]))
    let (client, clock, outbox) = (kit.client, kit.clock, Lane(.serial, scheduler: kit.clock))
    func send(_ message: Request) -> SignalRecorder<Result<Response<NoContent>, NetworkError>, NetworkError> {
      // sample: calls-outbox
      let owner = account.value
      let sending = outbox.enqueue(  // a `Lane(.serial)`
        Signal.deferred {
          account.value == owner ? client.enqueue(request: message, resultType: NoContent.self) : .empty
        }
        .map { Result<_, NetworkError>.success($0) }
        .catch { error in
          let codes = Retry.defaultCodes.union([.circuitOpen, .recoveryTimedOut, .untrustedCertificate])
          let isRetried =
            error.isOffline || codes.contains(error.code) || Retry.defaultStatuses.contains(error.statusCode ?? 0)
          return isRetried ? .fail(error) : .just(.failure(error))
        }
        .retry(.max, .exponential(jitter: 1), on: clock))  // `on:` for tests only
      // end sample
      return SignalRecorder(sending)
    }
    let retry = Retry(limit: 10, backoff: .constant(.seconds(5)), maximumRetryAfter: .seconds(3600))
    let messages = (1...4).map { send(Request(.put, "/messages/\($0)", retry: retry)) }
    await kit.clock.advance(by: .seconds(60))
    let names = kit.stub.requests.map(\.url.lastPathComponent)
    expectEqual(names, ["1", "1", "1", "1", "1", "1", "2", "3"])
    expectEqual(try messages[0].values.first?.get().statusCode, 204)
    expectEqual(messages[1].values.first.map { (try? $0.get()) == nil }, true)
    account.value = "ben"  // the third waits for its retry, and the fourth for its turn
    await kit.clock.advance(by: .seconds(60))
    let failure = #expect(throws: NetworkError.self) { try messages[2].values.first?.get() }
    expectEqual(failure?.code, .contextChanged)
    expect(messages[3].isCompleted && messages[3].values.isEmpty)
    expectEqual(kit.stub.requests.count, names.count)
  }

  @Test func aChainHasDependentSteps() async throws {
    kit.stub.on(.post, "/session", .json("t"))
    kit.stub.on(.get, "/me", headers: ["Authorization": "t"], .json(User(id: 1, name: "Ada")))
    kit.stub.on(.get, "/orders", headers: ["Authorization": "t"], .json([Order(state: "sent")]))
    let (engine, screen) = (AccountEngine(client: kit.client), screen)
    // sample: calls-chain
    let chain = Chain()
    let token = chain.add { _ in engine.signIn() }
    let user = chain.add(after: token) { chain in chain[token].map { engine.user($0) } }
    let orders = chain.add(after: token) { chain in chain[token].map { engine.orders($0) } }
    chain.start(for: screen) { screen, chain in
      screen.show("\(chain[user]?.name ?? ""): \(chain[orders]?.count ?? 0)")
    } onFailure: { screen, chain in
      screen.show(chain.error?.message ?? "")
    }
    // end sample
    await kit.clock.advance()
    expectEqual(screen.text, "Ada: 1")
    expectEqual(kit.stub.requests.count, 3)
  }

  // sample: calls-optimistic
  @MainActor @Observable final class LampModel {
    private(set) var isOn = false
    private(set) var problem: String?
    private let client: NetworkClient
    private var confirmed = false
    private var isSending = false
    private let bag = DisposeBag()

    init(client: NetworkClient) { self.client = client }

    func toggle() {
      problem = nil
      isOn.toggle()
      send()
    }

    private func send() {
      guard !isSending, isOn != confirmed else { return }
      isSending = true
      let wanted = isOn
      let request = Request(.put, "/lamps/7", body: .json(["isOn": wanted]))
      client.enqueue(request: request, resultType: NoContent.self)
        .subscribeOnMain(
          onValue: { [weak self] _ in self?.confirmed = wanted },
          onFailure: { [weak self] in self?.restore($0) },
          onCompletion: { [weak self] in
            self?.isSending = false
            self?.send()  // what was tapped meanwhile
          }
        )
        .disposed(by: bag)
    }

    private func restore(_ error: NetworkError) {
      isSending = false
      isOn = confirmed
      problem = error.message
    }
  }
  // end sample

  @Test func aFailedChangeIsTakenBack() async {
    kit.stub.on(.put, "/lamps/7", .status(204), StubAnswer.status(503).delayed(by: .seconds(1)))
    let model = LampModel(client: kit.client)
    model.toggle()
    await kit.clock.advance()
    model.toggle()
    expect(!model.isOn)
    await kit.clock.advance(by: .seconds(1))
    expect(model.isOn)
    expectEqual(model.problem, NetworkError(.status(503)).message)
  }

  @Test func tapsBeforeAFailureAreNotSent() async {
    kit.stub.on(
      .put, "/lamps/7", StubAnswer.status(500).delayed(by: .seconds(1)), StubAnswer.status(204).delayed(by: .seconds(1))
    )
    let model = LampModel(client: kit.client)
    for _ in 0..<3 { model.toggle() }
    expect(model.isOn)
    await kit.clock.advance(by: .seconds(1))
    expect(!model.isOn)
    expectEqual(kit.stub.requests.count, 1)
    // And of the taps before a success, only the newest state is.
    for _ in 0..<4 { model.toggle() }
    await kit.clock.advance(by: .seconds(2))
    expect(!model.isOn)
    expectEqual(kit.stub.requests.count, 3)
  }

  @Test func identicalRequestsShareAnExchange() async throws {
    kit.stub.on(.get, "/users/1", .json(User(id: 1, name: "Ada")).delayed(by: .seconds(1)))
    let client = kit.client
    // sample: calls-coalescing
    let request = Request(.get, "/users/1", options: .with { $0.isCoalesced = true })
    let header = client.enqueue(request: request, resultType: User.self).map(\.value.name)
    let menu = client.enqueue(request: request, resultType: User.self).map(\.value.name)
    // end sample
    let names = SignalRecorder(header.zip(menu))
    await kit.clock.advance(by: .seconds(1))
    expectEqual(names.values.map(\.0), ["Ada"])
    expectEqual(names.values.map(\.1), ["Ada"])
    expectEqual(kit.stub.requests.count, 1)
  }
}
