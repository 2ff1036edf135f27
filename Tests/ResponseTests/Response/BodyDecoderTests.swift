import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// What becomes of bodies without an envelope.
struct BodyDecoderTests {
  private func decode<Value: Decodable & Sendable>(
    _ body: String, as type: Value.Type
  ) throws -> SignalRecorder<Response<Value>, NetworkError> {
    let stub = StubTransport()
    stub.on(.get, "/", .json(body, headers: ["ETag": "x"]))
    var configuration = NetworkClient.Configuration(transport: stub)
    configuration.processing = .immediate
    return SignalRecorder(NetworkClient(configuration).enqueue(request: "https://a.example/", resultType: type))
  }

  @Test("S2-19 S3-9") func anObjectGivesOneValue() throws {
    let recorder = try decode(#"{"id":1,"name":"Lamp"}"#, as: Product.self)
    expectEqual(recorder.values.map(\.value), [Product(id: 1, name: "Lamp")])
    expect(recorder.isCompleted)
  }

  @Test("S2-18") func anArrayGivesItsElementsInOrderWithTheSameMetadata() throws {
    let recorder = try decode(
      #"[{"id":1,"name":"A"},{"id":2,"name":"B"},{"id":3,"name":"C"}]"#, as: Product.self)
    expectEqual(recorder.values.map(\.value.id), [1, 2, 3])
    expect(recorder.values.allSatisfy { $0.etag == "x" && $0.statusCode == 200 })
    expect(recorder.isCompleted)
  }

  @Test("S2-18") func anEmptyArrayGivesNoValueAndCompletes() throws {
    let recorder = try decode("[]", as: Product.self)
    expect(recorder.values.isEmpty)
    expect(recorder.isCompleted)
  }

  @Test func anArrayTypeGivesOneValue() throws {
    let recorder = try decode(#"[{"id":1,"name":"A"},{"id":2,"name":"B"}]"#, as: [Product].self)
    expectEqual(recorder.values.map(\.value.count), [2])
    expect(recorder.isCompleted)
  }

  @Test("S2-18, T7 P11", arguments: [#""text""#, "5", "null", #"{"id":"x","name":"B"}"#, #"{"id":2}"#])
  func theFirstBadElementEndsIt(_ bad: String) throws {
    let recorder = try decode(
      #"[{"id":1,"name":"A"},\#(bad),{"id":3,"name":"C"}]"#, as: Product.self)
    expectEqual(recorder.values.map(\.value.id), [1])
    let failure = try require(recorder.failure)
    expectEqual(failure.code, .unexpectedShape)
    expect(failure.reason.hasPrefix("Invalid JSON array element: [1]"))
    expectEqual(failure.response?.value.isEmpty, false)
    expectEqual(recorder.events.count, 2)
  }

  @Test("S2-19", arguments: [#""str""#, "42", "true", "null"])
  func aScalarIsNoObject(_ body: String) throws {
    let failure = try require(try decode(body, as: Product.self).failure)
    expectEqual(failure.domain, .processing)
    expectEqual(failure.response?.value, Data(body.utf8))
    expect(failure.reason.contains("wasn't an array or dictionary") || body == "null")
  }

  @Test("S0-4") func aScalarTypeTakesAScalar() throws {
    try expectEqual(decode(#""str""#, as: String.self).values.map(\.value), ["str"])
    try expectEqual(decode("42", as: Int.self).values.map(\.value), [42])
  }

  @Test("S2-19 S4-7") func anEmptyBodyGivesAValueWhereThereIsOne() throws {
    try expectEqual(decode("", as: Product?.self).values.map(\.value), [nil])
    try expectEqual(decode("", as: NoContent.self).values.count, 1)
    try expectEqual(decode("{}", as: NoContent.self).values.count, 1)
    try expectEqual(decode("null", as: Product?.self).values.map(\.value), [nil])
    let failure = try require(try decode("", as: Product.self).failure)
    expectEqual(failure.code, .emptyBody)
  }

  private struct Basket: Decodable, Sendable, Equatable, EmptyBodyDecodable, JSONShaped {
    static let jsonShape: JSONShape = ["count": .number]
    static var emptyBodyValue: Basket { Basket(count: 0) }
    var count: Int
  }

  private struct Cart: Decodable, Sendable, Equatable, EmptyBodyDecodable {
    static var emptyBodyValue: Cart { Cart(item: Product(id: 0, name: "")) }
    var item: Product
  }

  /// As in an envelope, and no other null.
  @Test("S2-19") func aBodyOfNullGivesTheValueOfAnEmptyOne() throws {
    for body in ["null", " null\n"] {
      try expectEqual(decode(body, as: Cart.self).values.map(\.value), [.emptyBodyValue])
      try expectEqual(decode(body, as: Basket.self).values.map(\.value), [.emptyBodyValue])
      try expectEqual(decode(body, as: Product.self).failure?.code, .unexpectedShape)
    }
    try expectEqual(decode(#"{"item":null}"#, as: Cart.self).failure?.code, .unexpectedShape)
    try expectEqual(decode("[null]", as: Cart.self).failure?.code, .unexpectedShape)
  }

  /// By a result type, or by a transform.
  @Test("S4-7") func oneRequestsHandlingOfAnEmptyBodyIsNoOthers() throws {
    struct Cart: Decodable, Sendable, EmptyBodyDecodable {
      static var emptyBodyValue: Cart { Cart(count: 0) }
      var count: Int
    }
    let stub = StubTransport()
    stub.on(.get, "/*", .data(Data()))
    let client = NetworkClient(baseURL: URL(string: "https://a.example")) {
      $0.transport = stub
      $0.processing = .immediate
    }
    for _ in 0..<2 {
      let cart = SignalRecorder(client.enqueue(request: "/cart", resultType: Cart.self))
      expectEqual(cart.values.map(\.value.count), [0])
      let size = SignalRecorder(client.enqueue(request: Request(.get, "/size")) { $0.value.count })
      expectEqual(size.values.map(\.value), [0])
      let product = SignalRecorder(client.enqueue(request: "/product", resultType: Product.self))
      expectEqual(product.failure?.code, .emptyBody)
    }
  }

  @Test("S1-9") func whatIsNoJSONIsMalformed() throws {
    for body in ["{", "nope", "<html>", #"{"id":1,"name":"A"}]"#] {
      let failure = try require(try decode(body, as: Product.self).failure)
      expectEqual(failure.code, .malformedBody, "\(body): \(failure)")
      expectEqual(failure.response?.value, Data(body.utf8))
    }
  }

  private struct MissingKey: Error {}

  private struct Locked: Decodable, Sendable {
    init(from decoder: any Decoder) throws { throw MissingKey() }
  }

  /// By the convention of `Decodable`, or as an error of the library.
  private struct Refusing: Decodable, Sendable {
    init(from decoder: any Decoder) throws {
      if try decoder.singleValueContainer().decode(Int.self) == 0 {
        throw NetworkError(.unexpectedShape, reason: "no lamp")
      }
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "no lamp"))
    }
  }

  /// Neither a `DecodingError` nor a `NetworkError`: such as of a decoder that has no key to decrypt with.
  @Test("S1-9") func anErrorOfTheAppsOwnDecodingIsTheClients() async throws {
    struct Decrypting: BodyDecoder {
      func decode<Value: Decodable>(
        _ type: Value.Type, from body: Data, userInfo: [CodingUserInfoKey: any Sendable]
      ) throws -> Value { throw MissingKey() }
    }
    struct Sealed: Envelope {
      func open(_ body: any Decoder) throws -> (payload: (any Decoder)?, code: String?, message: String?) {
        throw MissingKey()
      }
    }
    let wrapped = #"{"code":0,"data":[7]}"#
    let failures = [
      try await EchoServer(Stages(decoder: Decrypting())).read("7", as: Int.self).failure,
      try await EchoServer(Stages(envelope: Sealed())).read("7", as: Int.self).failure,
      try await EchoServer().read("7", as: Locked.self).failure,
      try await EchoServer().read("[7]", as: [Locked].self).failure,
      try await EchoServer(Stages(envelope: .codeMessageData)).read(wrapped, as: Locked.self).failure,
      #expect(throws: NetworkError.self) { try ServerSentEvent(data: "7").decode(Locked.self) },
      #expect(throws: NetworkError.self) {
        let response = Response(value: Data("7".utf8), head: HTTPResponse(statusCode: 500, url: URL.temporaryDirectory))
        _ = try NetworkError(.status(500), response: response).decode(as: Locked.self)
      },
    ]
    for (index, failure) in failures.enumerated() {
      let failure = try require(failure, "\(index)")
      expectEqual(failure.code, .transformFailed, "\(index): \(failure)")
      expectEqual(failure.attribution.party, .client)
      expect(failure.underlying is MissingKey, "\(index): \(failure)")
    }
    for body in ["0", "1", "[0]", "[1]", "{}"] {
      let failure = try require(try decode(body, as: Refusing.self).failure)
      expectEqual(failure.code, .unexpectedShape, "\(body): \(failure)")
      expectEqual(failure.attribution.party, .server)
    }
    let event = #expect(throws: NetworkError.self) { try ServerSentEvent(data: "[]").decode(Product.self) }
    expectEqual(event?.attribution.party, .server)
  }

  @Test func theReasonNamesThePath() throws {
    struct Catalogue: Decodable, Sendable { let items: [Product] }
    let body = #"{"items":[{"id":1,"name":"A"},{"id":2,"name":null}]}"#
    try expectEqual(decode(body, as: Catalogue.self).failure?.reason.hasPrefix("items[1].name"), true)
  }
}
