import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

// sample: validation-validator
struct FreshOnly: Validator {
  func validate(_ response: Response<Data>) throws(NetworkError) {
    if let age = response.headers["Age"].flatMap({ Int($0) }), age > 60 {
      throw NetworkError(.api(1), message: "These prices are old.", reason: "Age is \(age)", response: response)
    }
  }
}
// end sample

// sample: validation-custom
struct FaultEnvelope: Envelope {
  private struct Fields: Decodable {
    let fault: Int?
    let text: String?
  }

  func open(_ body: any Decoder) throws -> (payload: (any Decoder)?, code: String?, message: String?) {
    let fields = try Fields(from: body)
    guard let fault = fields.fault else { return (body, nil, nil) }  // success: the whole body is the payload
    throw NetworkError(.api(fault), message: fields.text ?? "")
  }
}
// end sample

/// The samples of the article EnvelopesAndValidation.
struct ValidationSamples {
  private let stub = StubTransport()
  private let client: NetworkClient
  private let apiURL = URL(string: "https://api.example.com")

  init() {
    client = NetworkClient(.init(baseURL: apiURL, transport: stub))
  }

  @Test func aRequestReplacesStages() async throws {
    struct Store: Service {
      let stages = Stages(envelope: .codeMessageData)
      func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? {
        URL(string: "https://api.example.com").map { ServiceAddresses($0) }
      }
    }
    stub.on(.get, "/about", .json(#"["a shop"]"#))
    let client = NetworkClient(.init(services: [Store()], transport: stub))
    // sample: validation-stages
    var about = Request(.get, "/about", service: "Store")
    about.options.stages = Stages(envelope: .plain)  // this response is not wrapped, those of the service are
    let texts = try await client.value(of: about, as: [String].self)
    // end sample
    expectEqual(texts, ["a shop"])
  }

  @Test func anEnvelopeIsOpened() async throws {
    stub.on(.get, "/cart", .json(#"{"code": 0, "msg": "", "data": {"count": 2}}"#))
    stub.on(.get, "/orders", .json(#"{"code": 1001, "msg": "Please sign in.", "data": null}"#))
    let transport = stub
    // sample: validation-envelope
    struct Cart: Decodable, Sendable { let count: Int }
    var configuration = NetworkClient.Configuration(baseURL: apiURL, transport: transport)
    configuration.stages.envelope = .codeMessageData  // {"code": 0, "msg": "", "data": …}
    let client = NetworkClient(configuration)
    let cart = try await client.value(of: "/cart", as: Cart.self)  // the content of `data`
    do {
      _ = try await client.value(of: "/orders", as: JSON.self)  // {"code": 1001, "msg": "Please sign in."}
    } catch {
      print(error.domain, error.code, error.message)  // api 1001 Please sign in.
    }
    // end sample
    expectEqual(cart.count, 2)
  }

  @Test func anEnvelopeOfItsOwnIsOpened() async throws {
    stub.on(.get, "/cart", .json(#"{"count": 2}"#))
    stub.on(.get, "/orders", .json(#"{"fault": 7, "text": "Sold out."}"#))
    var configuration = NetworkClient.Configuration(baseURL: apiURL, transport: stub)
    configuration.stages.envelope = FaultEnvelope()
    let client = NetworkClient(configuration)
    try await expectEqual(client.value(of: "/cart", as: [String: Int].self), ["count": 2])
    let orders = SignalRecorder(client.enqueue(request: "/orders", resultType: [Int].self))
    await orders.waitForEnd()
    expectEqual(orders.failure?.serverCode, .api(7))
    expectEqual(orders.failure?.serverMessage, "Sold out.")
  }

  @Test func aPayloadIsAKeyPath() async throws {
    stub.on(.get, "/cart", .json(#"{"data": {"items": [1, 2]}}"#))
    stub.on(.get, "/orders", .json(#"{"data": {}}"#))
    var configuration = NetworkClient.Configuration(baseURL: apiURL, transport: stub)
    configuration.stages = Stages(envelope: KeyedEnvelope(payload: "data.items"))
    let client = NetworkClient(configuration)
    try await expectEqual(client.value(of: "/cart", as: [Int].self), [1, 2])
    let orders = SignalRecorder(client.enqueue(request: "/orders", resultType: [Int].self))
    await orders.waitForEnd()
    expectEqual(orders.failure?.code, .invalidEnvelope)
  }

  @Test("S0-2 T13") func codesHaveMeanings() async throws {
    stub.on(.get, "/cart", .json(#"{"status":1,"result":{"count":2}}"#))
    stub.on(.get, "/orders", .json(#"{"status":"302","text":"请先登录"}"#))
    // sample: validation-meanings
    var envelope = KeyedEnvelope(code: "status", message: "text", payload: "result")
    envelope.successCodes = [1]
    envelope.meanings = [.api(302): .needsLogin, .api(426): .needsUpdate]
    // end sample
    var configuration = NetworkClient.Configuration(baseURL: apiURL, transport: stub)
    configuration.stages.envelope = envelope
    let client = NetworkClient(configuration)
    let cart = try await client.send("/cart", as: JSON.self)
    expectEqual(cart.value["count"].double, 2)
    expectEqual(cart.resultCode, "1")
    let orders = SignalRecorder(client.enqueue(request: "/orders", resultType: [Int].self))
    await orders.waitForEnd()
    expectEqual(orders.failure?.code, .api(302))
    expectEqual(orders.failure?.message, "请先登录")
    expectEqual(orders.failure?.meaning, .needsLogin)
  }

  @Test func aValidatorOfItsOwn() async throws {
    stub.on(.get, "/prices", .json("[1,2]", headers: ["Age": "90"]))
    var prices = Request(.get, "/prices")
    prices.options.stages = Stages(validators: [FreshOnly()])  // in addition to those of the service and the client
    let old = SignalRecorder(client.enqueue(request: prices, resultType: [Int].self))
    await old.waitForEnd()
    expectEqual(old.failure?.message, "These prices are old.")
    expectEqual(old.failure?.response?.value.count, 5)
  }

  @Test func aShapeIsDeclared() async throws {
    stub.on(.get, "/lamps", .json(#"{"items":[{"id":1,"price":2.5},{"id":2,"price":"3"}]}"#))
    // sample: validation-shape
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
}
