import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// The stages that judge and read a response: their order, and what happens when one is replaced.
struct StagesTests {
  struct Judge: Validator {
    let name: String
    let trace: Log<String>
    var refuses = false

    func validate(_ response: Response<Data>) throws(NetworkError) {
      trace.add(name)
      if refuses { throw NetworkError(.api(9), reason: name, response: response) }
    }
  }

  struct Wrapper: Envelope {
    let name: String
    let trace: Log<String>

    func open(_ answer: any Decoder) throws -> (payload: (any Decoder)?, code: String?, message: String?) {
      trace.add(name)
      return try KeyedEnvelope.codeMessageData.open(answer)
    }
  }

  struct Reader: BodyDecoder {
    let name: String
    let trace: Log<String>

    func decode<Value: Decodable>(
      _ type: Value.Type, from body: Data, userInfo: [CodingUserInfoKey: any Sendable]
    ) throws -> Value {
      // The value itself: the envelope before it is opened in the same pass.
      let value = try JSONCoding().decode(type, from: body, userInfo: userInfo)
      trace.add(name)
      return value
    }
  }

  struct Mapper: ResponseMapper {
    let name: String
    let trace: Log<String>

    func map<Value>(_ response: Response<Value>) throws(NetworkError) -> Response<Value> {
      trace.add(name)
      return response
    }
  }

  private static let body = #"{"code":0,"data":5}"#

  private func traced(_ trace: Log<String>) -> Stages {
    Stages(
      baseValidators: [Judge(name: "base", trace: trace)], validators: [Judge(name: "validate", trace: trace)],
      envelope: Wrapper(name: "unwrap", trace: trace), decoder: Reader(name: "decode", trace: trace),
      mapper: Mapper(name: "map", trace: trace))
  }

  @Test("S1-4") func theyRunInTheirOrder() async throws {
    let trace = Log<String>()
    let recorder = try await EchoServer(traced(trace)).read(Self.body, as: Int.self)
    expectEqual(recorder.values.map(\.value), [5])
    expectEqual(trace.entries, ["base", "validate", "unwrap", "decode", "map"])
  }

  @Test(
    "S1-4 S4-7 S1-3 S4-6",
    arguments: [
      ("base", ["own", "validate", "unwrap", "decode", "map"]),
      ("validate", ["base", "validate", "own", "unwrap", "decode", "map"]),
      ("unwrap", ["base", "validate", "own", "decode", "map"]),
      ("decode", ["base", "validate", "unwrap", "own", "map"]),
      ("map", ["base", "validate", "unwrap", "decode", "own"]),
    ])
  func aRequestThatReplacesOneRunsAllTheOthers(_ stage: String, _ expected: [String]) async throws {
    let trace = Log<String>()
    let echo = try EchoServer(traced(trace))
    let own =
      switch stage {
      case "base": Stages(baseValidators: [Judge(name: "own", trace: trace)])
      case "validate": Stages(validators: [Judge(name: "own", trace: trace)])
      case "unwrap": Stages(envelope: Wrapper(name: "own", trace: trace))
      case "decode": Stages(decoder: Reader(name: "own", trace: trace))
      default: Stages(mapper: Mapper(name: "own", trace: trace))
      }
    let recorder = await echo.read(Self.body, as: Int.self, .with { $0.stages = own })
    expectEqual(recorder.values.map(\.value), [5])
    expectEqual(trace.entries, expected)
    // The next one is as before.
    _ = await echo.read(Self.body, as: Int.self)
    expectEqual(trace.entries.dropFirst(expected.count), ["base", "validate", "unwrap", "decode", "map"])
  }

  @Test("S4-13 S4-14") func theBaseIsFirstAndItsRefusalIsTheLast() async throws {
    let trace = Log<String>()
    let echo = try EchoServer(Stages(baseValidators: [Judge(name: "base", trace: trace, refuses: true)]))
    let own = Stages(validators: [Judge(name: "own", trace: trace)])
    let refused = await echo.read("5", as: Int.self, .with { $0.stages = own })
    expectEqual(refused.failure?.reason, "base")
    expectEqual(refused.failure?.response?.value, Data("5".utf8))
    expectEqual(trace.entries, ["base"])

    let second = try EchoServer(Stages(baseValidators: [Judge(name: "base", trace: trace)]))
    let refusing = Stages(validators: [Judge(name: "own", trace: trace, refuses: true)])
    let failure = await second.read("5", as: Int.self, .with { $0.stages = refusing }).failure
    expectEqual(failure?.reason, "own")
    expectEqual(failure?.response?.value, Data("5".utf8))
    expectEqual(trace.entries, ["base", "base", "own"])
  }

  @Test("S4-2") func theCriterionIsInOnePlace() async throws {
    struct OnlySeven: Validator {
      func validate(_ response: Response<Data>) throws(NetworkError) {
        if response.value != Data("7".utf8) { throw NetworkError(.api(1), response: response) }
      }
    }
    let echo = try EchoServer(Stages(validators: [OnlySeven()]))
    await expectEqual(echo.read("7", as: Int.self).values.map(\.value), [7])
    await expectEqual(echo.read("8", as: Int.self).failure?.code, .api(1))
    let transformed = SignalRecorder(echo.client.enqueue(request: EchoServer.request("8")) { $0.value.count })
    await transformed.waitForEnd()
    expectEqual(transformed.failure?.code, .api(1))
  }

  @Test("S4-1 S1-32") func aTransformGetsWhatTheEnvelopeAcceptsOnly() async throws {
    let echo = try EchoServer(Stages(envelope: .codeMessageData))
    let good = SignalRecorder(echo.client.enqueue(request: EchoServer.request(Self.body)) { $0.resultCode })
    await good.waitForEnd()
    expectEqual(good.values.map(\.value), ["0"])
    let bad = SignalRecorder(echo.client.enqueue(request: EchoServer.request(#"{"code":3,"msg":"no"}"#)) { _ in 1 })
    await bad.waitForEnd()
    expectEqual(bad.failure?.code, .api(3))
  }

  @Test("S1-3 S1-32") func oneBodyThreeWaysToHandleIt() async throws {
    let echo = try EchoServer(Stages(envelope: .codeMessageData))
    let ready = await echo.read(Self.body, as: Int.self)
    let own = SignalRecorder(echo.client.enqueue(request: EchoServer.request(Self.body)) { $0.value.count })
    let none = SignalRecorder(echo.client.enqueue(request: EchoServer.request(Self.body)))
    let judged = SignalRecorder(echo.client.enqueue(request: EchoServer.request(#"{"code":3}"#)))
    let raw = SignalRecorder(echo.client.exchange(request: EchoServer.request(Self.body)))
    let refused = SignalRecorder(echo.client.exchange(request: EchoServer.request(#"{"code":3}"#)))
    for recorder in [none, judged, raw, refused] { await recorder.waitForEnd() }
    await own.waitForEnd()
    expectEqual(ready.values.map(\.value), [5])
    expectEqual(own.values.map(\.value), [Self.body.utf8.count])
    expectEqual(none.values.map(\.value), [Data(Self.body.utf8)])
    expectEqual(judged.failure?.code, .api(3))
    expectEqual(raw.values.map(\.value), [Data(Self.body.utf8)])
    expectEqual(refused.values.map(\.value), [Data(#"{"code":3}"#.utf8)])
  }

  @Test func aResponseThatNobodyAwaitsIsNotRead() {
    let (trace, processing, stub) = (Log<String>(), VirtualScheduler(), StubTransport())
    stub.on(.get, "/a", .json("5"))
    let client = NetworkClient(baseURL: URL(string: "https://api.example.com")) {
      $0.transport = stub
      $0.processing = processing
      $0.stages.validators = [Judge(name: "validate", trace: trace)]
    }
    let recorder = SignalRecorder(client.enqueue(request: "/a", resultType: Int.self))
    expectEqual(stub.requests.count, 1)
    expect(processing.pendingCount > 0)
    recorder.dispose()
    processing.run()
    expectEqual(trace.entries, [])
  }

  @Test("S4-5") func contentTypesMayBeJudged() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/html") { _ in .data(Data("5".utf8), contentType: "text/html; charset=utf-8") }
    server.route("GET", "/image") { _ in .data(Data("5".utf8), contentType: "image/png") }
    var configuration = NetworkClient.Configuration(baseURL: server.baseURL)
    configuration.stages.validators = [ContentTypeValidator()]
    let client = NetworkClient(configuration)
    let html = SignalRecorder(client.enqueue(request: "/html", resultType: Int.self))
    let image = SignalRecorder(client.enqueue(request: "/image", resultType: Int.self))
    await html.waitForEnd()
    await image.waitForEnd()
    expectEqual(html.values.map(\.value), [5])
    expectEqual(image.failure?.code, .unacceptableType)
  }

  @Test(
    "S4-5",
    arguments: [
      ("application/json", true), ("text/html; charset=utf-8", true), ("TEXT/JSON", true), ("text/javascript", true),
      ("text/plain", true), ("image/png", false), ("application/xml", false), ("", false),
    ])
  func eachContentTypeIsJudged(_ type: String, _ isAccepted: Bool) throws {
    let head = HTTPResponse(
      statusCode: 200, headers: ["Content-Type": type], url: try require(URL(string: "https://a.example")))
    var code: NetworkError.Code?
    do throws(NetworkError) {
      try ContentTypeValidator().validate(Response(value: Data("5".utf8), head: head))
    } catch {
      code = error.code
    }
    expectEqual(code, (isAccepted ? nil : .unacceptableType))
  }

  /// One decoder for a client: nulls are removed before any type is decoded, in an envelope too.
  @Test("S0-8") func nullsMayBeRemovedInOnePlace() async throws {
    struct Page: Decodable, Sendable {
      let tags: [String?]
      let note: String?
      let price: Double
    }
    let body = #"{"code":0,"data":{"tags":["a",null,"\u00e9"],"note":null,"price":19.99}}"#
    let kept = try await EchoServer(Stages(envelope: .codeMessageData)).read(body, as: Page.self)
    expectEqual(kept.values.map(\.value.tags), [["a", nil, "é"]])
    let echo = try EchoServer {
      $0.stages = Stages(envelope: .codeMessageData)
      $0.json = JSONCoding(removesNulls: true)
    }
    for _ in 0..<2 {
      let pruned = await echo.read(body, as: Page.self)
      expectEqual(pruned.values.map(\.value.tags), [["a", "é"]])
      expectEqual(pruned.values.map(\.value.note), [nil])
      expectEqual(pruned.values.map(\.value.price), [19.99])
    }
    let values = await echo.read(body, as: JSON.self)
    expectEqual(values.values.map(\.value["tags"]), [["a", "é"]])
    let malformed = await echo.read(#"{"code":0,"data":{"tags":[null"#, as: Page.self)
    expect(malformed.values.isEmpty)
    expectEqual(malformed.failure?.domain, .processing)
  }
}
