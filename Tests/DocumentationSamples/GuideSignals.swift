import Foundation
import Heliograph
import HeliographTesting
import Observation
import TestSupport
import Testing

/// The samples of the article SignalsForViewModels.
struct SignalViewModelSamples {
  nonisolated struct User: Codable, Sendable, Equatable { let name: String }
  nonisolated struct Job: Codable, Sendable { let isDone: Bool }

  // sample: signals-search
  @MainActor @Observable final class SearchModel {
    let text = CurrentValue("")
    private(set) var users = Loadable<[User]>.idle

    init(client: NetworkClient, scheduler: any SignalScheduler = .global) {
      text.signal
        .debounce(.milliseconds(300), on: scheduler)
        .distinctUntilChanged()
        .flatMap(.latest) { text -> Signal<Loadable<[User]>, Never> in
          if text.isEmpty { return .just(.idle) }  // an empty field: no request, no results
          return client.enqueue(request: Request(.get, "/users", parameters: ["q": text]), resultType: [User].self)
            .map(\.value)
            .loadable()
        }
        .scan(Loadable<[User]>.idle) { last, next in  // the former results stay until the next ones or a failure
          if case .loading = next { .loading(previous: last.value) } else { next }
        }
        .assign(to: \.users, on: self)
    }
  }
  // end sample

  @MainActor @Test func searchAsYouType() async throws {
    let kit = TestKit()
    kit.stub.on(.get, "/users", query: ["q": "ada"], .json([User(name: "Ada")]).delayed(by: .seconds(1)))
    let model = SearchModel(client: kit.client, scheduler: kit.clock)
    model.text.value = "ad"
    await kit.clock.advance(by: .milliseconds(200))
    model.text.value = "ada"
    await kit.clock.advance(by: .milliseconds(300))
    #expect(model.users.isLoading)
    await kit.clock.advance(by: .seconds(1))
    #expect(model.users == .loaded([User(name: "Ada")]))
    #expect(kit.stub.requests.count == 1)  // "ad" was never sent
    model.text.value = "adam"
    model.text.value = "ada"
    await kit.clock.advance(by: .milliseconds(300))
    #expect(kit.stub.requests.count == 1)  // the same text
    kit.stub.on(.get, "/users", query: ["q": "b"], .status(404).delayed(by: .seconds(1)))
    model.text.value = "b"
    await kit.clock.advance(by: .milliseconds(300))
    #expect(model.users == .loading(previous: [User(name: "Ada")]))
    await kit.clock.advance(by: .seconds(1))
    #expect(model.users.error != nil && model.users.value == nil)
    model.text.value = "a"
    model.text.value = ""
    await kit.clock.advance(by: .milliseconds(300))
    #expect(model.users == .idle)
    #expect(kit.stub.requests.count == 2)
  }

  @MainActor @Test func ownership() async throws {
    let times = CurrentValue("8:00")
    @MainActor final class Header { var title = "" }
    let header = Header()
    // sample: signals-assign
    times.signal.map { "It is \($0)" }.assign(to: \.title, on: header)  // ends with `header`
    let handle = times.signal.bound(to: header).subscribe(onValue: { print($0) })  // ends with `header`, or earlier:
    handle.dispose()
    let bag = DisposeBag()
    times.signal.subscribe(onValue: { print($0) }).disposed(by: bag)  // ends with the bag
    // end sample
    withExtendedLifetime(bag) {}
    await TestClock().advance()
    expectEqual(header.title, "It is 8:00")
  }

  @MainActor @Observable final class OrdersModel {
    private(set) var orders = Loadable<[String]>.idle
    private let client: NetworkClient

    init(client: NetworkClient, account: CurrentValue<String?>) {
      self.client = client
      // sample: signals-context
      account.signal.distinctUntilChanged().skip(1).observe(on: .main).bound(to: self)
        .subscribeOnMain(onValue: { [weak self] account in
          self?.orders = .idle  // those of the former account
          if account != nil { self?.load() }
        })
      // end sample
    }

    func load() {
      client.enqueue(request: "/orders", resultType: [String].self).map(\.value).load(into: \.orders, on: self)
    }
  }

  @MainActor @Test func aModelThatStaysShowsNothingOfTheFormerAccount() async {
    let account = CurrentValue<String?>("ada")
    let kit = TestKit { $0.account = account }
    kit.stub.on(.get, "/orders", .json(["Lamp"]), .status(503), .never, .json(["Desk"]))
    let model = OrdersModel(client: kit.client, account: account)
    model.load()
    await kit.clock.advance()
    expectEqual(model.orders.value, ["Lamp"])
    account.value = "bob"
    await kit.clock.advance()
    expectEqual(model.orders.error?.statusCode, 503)
    expectNil(model.orders.value)
    // One that is loading when the account changes reads for the next one.
    model.load()
    account.value = "eve"
    await kit.clock.advance()
    expectEqual(model.orders, .loaded(["Desk"]))
    expectEqual(kit.stub.requests.count, 4)
  }

  @Test func sharing() async throws {
    let stub = StubTransport()
    stub.on(.get, "/users/1", .json(User(name: "Ada")))
    let client = NetworkClient(.init(baseURL: URL(string: "https://api.example.com"), transport: stub))
    // sample: signals-share
    let user = client.enqueue(request: "/users/1", resultType: User.self).replayLazily()
    let name = user.map { $0.value.name }
    let greeting = user.map { "Hello, \($0.value.name)" }
    let both = try await name.zip(greeting).value()  // one request for both
    // end sample
    expectEqual(both.0, "Ada")
    expectEqual(both.1, "Hello, Ada")
    expectEqual(stub.requests.count, 1)
  }

  @Test func polling() async throws {
    let kit = TestKit()
    kit.stub.on(.get, "/jobs/1", .json(Job(isDone: false)), .json(Job(isDone: false)), .json(Job(isDone: true)))
    let (client, clock) = (kit.client, kit.clock)
    // sample: signals-poll
    let job = client.enqueue(request: "/jobs/1", resultType: Job.self)
      .poll(every: .seconds(2), until: { $0.value.isDone }, on: clock)  // `on:` for tests only
      .last()
    // end sample
    let recorder = SignalRecorder(job)
    await kit.clock.advance(by: .seconds(4))
    expectEqual(recorder.values.map(\.value.isDone), [true])
    expectEqual(kit.stub.requests.count, 3)
  }

  @MainActor final class JobScreen {
    private(set) var jobs: [Job] = []
    func show(_ job: Job) { jobs.append(job) }
  }

  @MainActor private func poll(_ kit: TestKit, _ account: CurrentValue<String?>, for screen: JobScreen) {
    let (client, clock) = (kit.client, kit.clock)
    // sample: signals-poll-screen
    client.enqueue(request: "/jobs/1", resultType: Job.self).asResult()
      .poll(every: .seconds(30), until: { _ in false }, on: clock)  // `on:` for tests only
      .take(until: account.signal.skip(1))
      .bound(to: screen)
      .subscribeOnMain(onValue: { [weak screen] result in
        if let job = try? result.get().value { screen?.show(job) }  // after a failure the next poll follows
      })
    // end sample
  }

  @MainActor @Test func pollingEndsWithTheAccount() async throws {
    let account = CurrentValue<String?>("ada")
    let kit = TestKit { $0.account = account }
    kit.stub.on(.get, "/jobs/1", .status(500), .json(Job(isDone: false)))
    let screen = JobScreen()
    poll(kit, account, for: screen)
    await kit.clock.advance(by: .seconds(60))
    expectEqual(screen.jobs.count, 2)
    expectEqual(kit.stub.requests.count, 3)
    account.value = "bob"
    await kit.clock.advance(by: .seconds(60))
    expectEqual(kit.stub.requests.count, 3)
  }

  @MainActor @Test func pollingEndsWithTheScreen() async throws {
    let account = CurrentValue<String?>("ada")
    let kit = TestKit { $0.account = account }
    kit.stub.on(.get, "/jobs/1", .json(Job(isDone: false)))
    var screen: JobScreen? = JobScreen()
    if let screen { poll(kit, account, for: screen) }
    await kit.clock.advance(by: .seconds(30))
    expectEqual(screen?.jobs.count, 2)
    screen = nil
    await kit.clock.advance()
    await kit.clock.advance(by: .seconds(60))
    expectEqual(kit.stub.requests.count, 2)
  }

  @Test func severalAtOnce() async throws {
    let stub = StubTransport()
    stub.on(.get, "/users/1", .json(User(name: "Ada")))
    stub.on(.get, "/users/2", .status(404))
    stub.on(.get, "/users/3", .json(User(name: "Grace")))
    let client = NetworkClient(.init(baseURL: URL(string: "https://api.example.com"), transport: stub))
    // sample: signals-several
    let requests = [1, 2, 3].map { id in
      client.enqueue(request: "/users/\(id)", resultType: User.self).asResult()
    }
    let users = Signal.zip(requests).map { results in results.compactMap { try? $0.get().value } }
    for await list in users.values { print(list.map(\.name)) }  // ["Ada", "Grace"]: without number 2, in order
    // end sample
    await expectEqual(users.first(), [User(name: "Ada"), User(name: "Grace")])
  }
}
