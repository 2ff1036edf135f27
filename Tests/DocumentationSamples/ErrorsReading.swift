import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

// sample: own-validator
struct FreshOnly: Validator {
  func validate(_ response: Response<Data>) throws(NetworkError) {
    if let age = response.headers["Age"].flatMap({ Int($0) }), age > 60 {
      throw NetworkError(.api(1), message: "These prices are old.", reason: "Age is \(age)", response: response)
    }
  }
}
// end sample

// sample: lenient-types
struct Catalogue: Decodable, Sendable {
  struct Item: Decodable, Sendable {
    enum Kind: String, Decodable, DefaultValue {
      case lamp, chair, unknown
      static let defaultValue = Kind.unknown
    }
    let id: Int
    @Defaulted<Kind> var kind: Kind
    @Defaulted<EmptyValue> var tags: [String]
  }
  @Lossy var items: [Item]
}
// end sample

/// The samples of Docs/Errors.md that judge and read responses, from a real server.
struct ReadingSamples {
  private let server: LoopbackServer
  private let shopURL: URL

  init() throws {
    server = try LoopbackServer()
    shopURL = server.baseURL
  }

  private func client() -> NetworkClient { NetworkClient(.init(baseURL: shopURL)) }

  @Test func eachLevelReplacesStages() async throws {
    server.route("GET", "/lamps") { _ in .json(#"{"code":0,"data":["small"]}"#) }
    server.route("GET", "/about") { _ in .json(#"["a shop"]"#) }
    let address = server.baseURL
    // sample: stages
    struct Store: Service {
      let url: URL
      let stages = Stages(envelope: .codeMessageData)  // this service wraps its answers
      func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? { ServiceAddresses(url) }
    }
    var configuration = NetworkClient.Configuration(services: [Store(url: address)])
    configuration.stages.validators = [ContentTypeValidator()]  // for all requests of the client
    let client = NetworkClient(configuration)
    let lamps = Request(.get, "/lamps", service: "Store")
    let names = try await client.enqueue(request: lamps, resultType: [String].self).value()

    var about = Request(.get, "/about", service: "Store")
    about.options.stages = Stages(envelope: .plain)  // this answer is not wrapped
    let texts = try await client.enqueue(request: about, resultType: [String].self).value()
    print(names.value, texts.value)
    // end sample
    expectEqual(names.value, ["small"])
    expectEqual(names.resultCode, "0")
    expectEqual(texts.value, ["a shop"])
    server.route("GET", "/about") { _ in .data(Data("[]".utf8), contentType: "image/png") }
    let image = SignalRecorder(client.enqueue(request: about, resultType: [String].self))
    await image.waitForEnd()
    expectEqual(image.failure?.code, .unacceptableType)
  }

  @Test func codesHaveMeanings() async throws {
    server.route("GET", "/cart") { _ in .json(#"{"status":1,"result":{"count":2}}"#) }
    server.route("GET", "/orders") { _ in .json(#"{"status":"302","text":"请先登录"}"#) }
    // sample: envelope
    var envelope = KeyedEnvelope(code: "status", message: "text", payload: "result")
    envelope.successCodes = [1]
    envelope.meanings = [.api(302): .needsLogin, .api(426): .needsUpdate]
    var configuration = NetworkClient.Configuration(baseURL: shopURL)
    configuration.stages.envelope = envelope
    let client = NetworkClient(configuration)

    struct Cart: Decodable, Sendable { let count: Int }
    let cart = try await client.enqueue(request: "/cart", resultType: Cart.self).value()
    print(cart.value.count, cart.resultCode ?? "")  // 2 1
    do {
      _ = try await client.value(of: "/orders", as: [Int].self)
    } catch {
      guard error.meaning == .needsLogin else { throw error }
      print(error.domain, error.code, error.message)  // api 302 请先登录
    }
    // end sample
    expectEqual(cart.value.count, 2)
    expectEqual(cart.resultCode, "1")
    let orders = SignalRecorder(client.enqueue(request: "/orders", resultType: [Int].self))
    await orders.waitForEnd()
    expectEqual(orders.failure?.code, .api(302))
    expectEqual(orders.failure?.message, "请先登录")
    expectEqual(orders.failure?.meaning, .needsLogin)
  }

  @Test func aValidatorOfItsOwn() async throws {
    server.route("GET", "/prices") { _ in .json("[1,2]").header("Age", "90") }
    let client = client()
    // sample: own-validator-use
    var prices = Request(.get, "/prices")
    prices.options.stages = Stages(validators: [FreshOnly()])  // besides those of the service and the client
    do {
      _ = try await client.value(of: prices, as: [Int].self)
    } catch {
      print(error.message, error.response?.value.count ?? 0)  // These prices are old. 5
    }
    // end sample
    let old = SignalRecorder(client.enqueue(request: prices, resultType: [Int].self))
    await old.waitForEnd()
    expectEqual(old.failure?.message, "These prices are old.")
    expectEqual(old.failure?.response?.value.count, 5)
    try await expectEqual(client.enqueue(request: "/prices", resultType: [Int].self).value().value, [1, 2])
  }

  @Test func aShapeIsDeclared() async throws {
    server.route("GET", "/lamps") { _ in .json(#"{"items":[{"id":1,"price":2.5},{"id":2,"price":"3"}]}"#) }
    let client = client()
    // sample: shape
    var lamps = Request(.get, "/lamps")
    let shape: JSONShape = ["items": [["id": .number, "price": .number]]]
    lamps.options.stages = Stages(validators: [shape])
    do {
      _ = try await client.value(of: lamps, as: JSON.self)
    } catch {
      guard error.code == .invalidShape else { throw error }
      print(error.reason)  // items[1].price is string, not number
    }
    // end sample
    let recorder = SignalRecorder(client.enqueue(request: lamps, resultType: JSON.self))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .invalidShape)
    expectEqual(recorder.failure?.reason, "items[1].price is string, not number")
  }

  @Test func whatIsLeftOutIsReported() async throws {
    server.route("GET", "/catalogue") { _ in
      .json(#"{"items":[{"id":1,"kind":"sofa","tags":["new"]},{"id":"two"},{"id":3,"kind":"lamp"}]}"#)
    }
    let client = client()
    // sample: lenient
    // {"items":[{"id":1,"kind":"sofa","tags":["new"]},{"id":"two"},{"id":3,"kind":"lamp"}]}
    let catalogue = try await client.enqueue(request: "/catalogue", resultType: Catalogue.self).value()
    print(catalogue.value.items.map(\.id))  // [1, 3]
    for entry in catalogue.decodeReport?.entries ?? [] { print(entry.path, entry.action) }
    // items[0].kind defaulted
    // items[1].id dropped
    // items[2].tags defaulted
    // end sample
    expectEqual(catalogue.value.items.map(\.id), [1, 3])
    expectEqual(catalogue.value.items.map(\.kind), [.unknown, .lamp])
    let lines = catalogue.decodeReport?.entries.map { "\($0.path) \($0.action)" }
    expectEqual(lines, ["items[0].kind defaulted", "items[1].id dropped", "items[2].tags defaulted"])
  }

  @Test func anyJSONIsAValue() async throws {
    server.route("GET", "/home") { _ in .json(#"{"data":{"items":[{"price":2.5,"note":null}]}}"#) }
    let client = client()
    // sample: json
    let home = try await client.enqueue(request: "/home", resultType: JSON.self).value().value
    print(home["data"]["items"][0]["price"].double ?? 0)  // 2.5
    print(home["data"]["items"][9]["price"].isNull)  // true: looking never traps
    print(home.removingNulls()["data"]["items"][0].object?.count ?? 0)  // 1
    // end sample
    expectEqual(home["data"]["items"][0]["price"].double, 2.5)
    expect(home["data"]["items"][9]["price"].isNull)
    expectEqual(home.removingNulls()["data"]["items"][0].object?.count, 1)
  }

  @Test func threeWaysToGetAnAnswer() async throws {
    server.route("GET", "/teapot") { _ in .text("short and stout", status: 418) }
    server.route("GET", "/motto") { _ in .text("short and stout") }
    let client = client()
    // sample: three-results
    let motto = client.enqueue(request: Request(.get, "/motto")) { String(decoding: $0.value, as: UTF8.self) }
    print(try await motto.value().value)  // judged, and then read by your own function
    let teapot = try await client.exchange(request: "/teapot").value()
    print(teapot.statusCode)  // 418: not judged at all, so no error
    // end sample
    try await expectEqual(motto.value().value, "short and stout")
    expectEqual(teapot.statusCode, 418)
  }
}
