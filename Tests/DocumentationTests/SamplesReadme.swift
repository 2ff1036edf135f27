import Foundation
import Heliograph
import HeliographTesting
import Testing

/// The samples of the README.
@Suite struct ReadmeSamples {
  @Test func aRequestIsASignal() {
    // sample: request
    struct User: Decodable, Sendable { let name: String }
    let client = NetworkClient(.init(baseURL: URL(string: "https://api.example.com")))
    let bag = DisposeBag()
    client.enqueue(request: "/users/1", resultType: User.self)
      .map { "Hello, \($0.value.name)" }
      .subscribeOnMain(onValue: { print($0) }, onFailure: { print($0.domain, $0.message) })
      .disposed(by: bag)
    // end sample
    #expect(bag.isDisposed == false)
    bag.dispose()
    #expect(bag.isDisposed)
  }

  @Test func requestsAreComposed() {
    let stub = StubTransport()
    stub.on(.post, "/session", .json(#"{"token":"t"}"#))
    stub.on(.get, "/orders", .silence)
    let client = NetworkClient(.init(baseURL: URL(string: "https://api.example.com"), transport: stub))
    // sample: composed
    struct Session: Decodable, Sendable { let token: String }
    struct Order: Decodable, Sendable { let id: Int }
    let signIn = Request(.post, "/session", body: .json(["name": "ada"]))
    let orders = client.enqueue(request: signIn, resultType: Session.self)
      .flatMap { session in
        client.enqueue(
          request: Request(.get, "/orders", headers: ["Authorization": "Bearer \(session.value.token)"]),
          resultType: [Order].self)
      }
    let subscription = orders.subscribe(onValue: { print($0.value.count) }, onFailure: { print($0) })
    subscription.dispose()  // whichever request is in flight is cancelled, and nothing is delivered any more
    // end sample
    #expect(stub.activeCount == 0)
  }

  @Test func whatFailsIsRecoveredFrom() async {
    struct Session: Decodable, Sendable { let token: String }
    struct Order: Decodable, Sendable { let id: Int }
    let bag = DisposeBag()
    // sample: failures
    var configuration = NetworkClient.Configuration(baseURL: URL(string: "https://api.example.com"))
    configuration.stages.envelope = .codeMessageData  // {"code": 0, "msg": "", "data": …}
    configuration.retry = Retry(limit: 2)
    configuration.recoveries = [
      Recovery { client in client.enqueue(request: Request(.post, "/token"), resultType: Session.self) }
    ]
    let careful = NetworkClient(configuration)
    careful.enqueue(request: "/orders", resultType: [Order].self)
      .subscribeOnMain(
        onValue: { print($0.value.count) },
        onFailure: { print($0.message, $0.attribution.party, $0.serverCode ?? "no code") }
      )
      .disposed(by: bag)
    // end sample
    bag.dispose()
    #expect(careful.configuration.recoveries.count == 1)
  }

  @Test func aStubAnswers() async {
    struct User: Decodable, Sendable { let name: String }
    // sample: stub
    let stub = StubTransport()
    stub.on(.get, "/users/1", .json(#"{"name":"Ada"}"#))
    let stubbed = NetworkClient(.init(baseURL: URL(string: "https://api.example.com"), transport: stub))
    let recorder = SignalRecorder(stubbed.enqueue(request: "/users/1", resultType: User.self))
    await recorder.waitForEnd()
    print(recorder.values.map(\.value.name), stub.unexpectedRequests.isEmpty)
    // end sample
    #expect(recorder.values.map(\.value.name) == ["Ada"])
  }
}
