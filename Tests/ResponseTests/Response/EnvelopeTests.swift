import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// The envelopes of the four kinds of services, over a real socket.
struct EnvelopeTests {
  struct Admin: Decodable, Sendable, Equatable {
    let id: String

    enum CodingKeys: String, CodingKey { case id = "admin_id" }

    init(_ id: String) { self.id = id }
  }

  @Test("S0-1 S3-9") func theCodeAndTheTextAreOnTheResponse() async throws {
    let body = #"{"code":0,"msg":"done","data":{"admin_id":"529"}}"#
    let recorder = try await EchoServer(Stages(envelope: .codeMessageData)).read(body, as: Admin.self)
    expectEqual(recorder.values.map(\.value), [Admin("529")])
    expectEqual(recorder.values.first?.resultCode, "0")
    expectEqual(recorder.values.first?.resultMessage, "done")
    expectEqual(recorder.values.first?.statusCode, 200)
  }

  @Test("S0-4 S0-8") func thePayloadMayBeAnythingThatJSONIs() async throws {
    let echo = try EchoServer(Stages(envelope: .codeMessageData))
    let one = await echo.read(#"{"code":0,"data":{"admin_id":"1"}}"#, as: Admin.self)
    expectEqual(one.values.map(\.value), [Admin("1")])
    let many = await echo.read(#"{"code":0,"data":[{"admin_id":"1"},{"admin_id":"2"}]}"#, as: Admin.self)
    expectEqual(many.values.map(\.value), [Admin("1"), Admin("2")])
    expect(many.isCompleted)
    let none = await echo.read(#"{"code":0,"data":[]}"#, as: Admin.self)
    expect(none.values.isEmpty)
    expect(none.isCompleted)
    await expectEqual(echo.read(#"{"code":0,"data":7}"#, as: Int.self).values.map(\.value), [7])
    for empty in [#"{"code":0,"data":null}"#, #"{"code":0}"#] {
      await expectEqual(echo.read(empty, as: Admin?.self).values.map(\.value), [nil])
      await expectEqual(echo.read(empty, as: NoContent.self).values.count, 1)
      let failure = try require(await echo.read(empty, as: Admin.self).failure)
      expectEqual(failure.code, .unexpectedShape)
      expectEqual(failure.response?.value, Data(empty.utf8))
    }
  }

  @Test("S0-5") func aBadPayloadIsAProcessingErrorThatNamesThePath() async throws {
    struct Item: Decodable, Sendable { let id: Int }
    let echo = try EchoServer(Stages(envelope: .codeMessageData))
    let failure = try require(await echo.read(#"{"code":0,"data":{"id":"x"}}"#, as: Item.self).failure)
    expectEqual(failure.domain, .processing)
    expect(failure.reason.hasPrefix("data.id "))
    let bad = await echo.read(#"{"code":0,"data":[{"id":1},{"id":null},{"id":3}]}"#, as: Item.self)
    expectEqual(bad.values.map(\.value.id), [1])
    expectEqual(bad.failure?.reason.hasPrefix("Invalid JSON array element: data[1].id"), true)
  }

  @Test("S0-2 S0-3 S1-8 S0-36") func aCodeIsAnAPIErrorWithTheServersWords() async throws {
    var envelope = KeyedEnvelope.codeMessageData
    envelope.meanings = [.api(1): .needsLogin]
    let echo = try EchoServer(Stages(envelope: envelope))
    let body = #"{"code":1,"msg":"余额不足","data":null}"#
    let failure = try require(await echo.read(body, as: Admin.self).failure)
    expectEqual(failure.code, .api(1))
    expectEqual(failure.serverCode, .api(1))
    expectEqual(failure.meaning, .needsLogin)
    expectEqual(failure.message, "余额不足")
    expectEqual(failure.response?.value, Data(body.utf8))
    expectEqual(failure.request?.url.path, "/echo")
    // Byte by byte: equal strings may differ in normalization.
    let spaced = try require(await echo.read(#"{"code":1,"msg":" e\u0301\n"}"#, as: Admin.self).failure)
    expectEqual(Array(spaced.message.utf8), Array(" e\u{301}\n".utf8))
    let unknown = try require(await echo.read(#"{"code":"7","msg":" "}"#, as: Admin.self).failure)
    expectEqual(unknown.code, .api(7))
    expectNil(unknown.meaning)
    expect(unknown.message.trimmingCharacters(in: .whitespaces) != "")
    expect(!unknown.message.contains("NetworkError"))
    let text = try require(await echo.read(#"{"code":"E_BUSY"}"#, as: Admin.self).failure)
    expectEqual(text.code, .api("E_BUSY"))
    expectEqual(text.serverCode, text.code)
  }

  @Test(
    "S2-17 T2 S4-1",
    arguments: [
      (#"0"#, "OK", nil), (#""0""#, "OK", nil), (#""""#, "OK", nil), ("null", "OK", nil), ("0.0", "OK", nil),
      ("false", "OK", nil), ("5", "OK", .api(5)), (#""5""#, "OK", .api(5)), ("-1", "OK", .api(-1)),
      ("0", "FAIL", .api("FAIL")), ("5", "FAIL", .api(5)),
    ] as [(String, String, NetworkError.Code?)])
  func theNumberCountsAndTheStatusToo(_ code: String, _ status: String, _ expected: NetworkError.Code?) async throws {
    let echo = try EchoServer(Stages(envelope: .statusContent))
    let body = #"{"status":"\#(status)","errorCode":\#(code),"errorMsg":"m","content":{"admin_id":"1"}}"#
    let recorder = await echo.read(body, as: Admin.self)
    expectEqual(recorder.failure?.code, expected)
    expectEqual(recorder.values.count, (expected == nil ? 1 : 0))
  }

  @Test("S2-17 T2") func aMissingCodeIsNoError() async throws {
    let echo = try EchoServer(Stages(envelope: .statusContent))
    let recorder = await echo.read(#"{"status":"OK","content":{"admin_id":"1"}}"#, as: Admin.self)
    expectEqual(recorder.values.map(\.value), [Admin("1")])
  }

  /// A failure that is stated counts, whatever else is missing; a success needs all that the envelope has.
  @Test("S2-15 S2-17") func aStatedFailureNeedsNeitherStatusNorFlag() async throws {
    let flagged = KeyedEnvelope(code: "errorCode", flag: "success", message: "errorMsg")
    for envelope in [KeyedEnvelope.statusContent, flagged] {
      let echo = try EchoServer(Stages(envelope: envelope))
      let failure = try require(await echo.read(#"{"errorCode":"1001","errorMsg":"x"}"#, as: Admin.self).failure)
      expectEqual(failure.code, .api(1001), "\(failure)")
      expectEqual(failure.serverCode, .api(1001))
      expectEqual(failure.serverMessage, "x")
      expectEqual(failure.message, "x")
      for code in ["0", #""""#, "null"] {
        let body = #"{"errorCode":\#(code),"errorMsg":"x"}"#
        let missing = try require(await echo.read(body, as: Admin.self).failure)
        expectEqual(missing.code, .invalidEnvelope, "\(missing)")
      }
    }
  }

  @Test(
    "S2-15",
    arguments: [
      #"{"errorCode":0,"content":{}}"#, #"{"status":{},"errorCode":0}"#, #"{"status":"OK","errorCode":[]}"#,
      #"{"status":"OK","errorCode":0,"errorMsg":{}}"#, "[]", #""OK""#, "{}", #"{"other":1}"#,
    ])
  func whatIsNotWrappedAsItShouldBeIsAProcessingError(_ body: String) async throws {
    let failure = try require(await EchoServer(Stages(envelope: .statusContent)).read(body, as: Admin.self).failure)
    expectEqual(failure.code, .invalidEnvelope)
    expectEqual(failure.response?.value, Data(body.utf8))
  }

  @Test("S2-16") func theTextOfABadEnvelopeIsTheServersIfThereIsOne() async throws {
    let echo = try EchoServer(Stages(envelope: .statusContent))
    let said = try require(await echo.read(#"{"errorMsg":"维护中"}"#, as: Admin.self).failure)
    expectEqual(said.message, "维护中")
    let unsaid = try require(await echo.read(#""sorry""#, as: Admin.self).failure)
    expectEqual(unsaid.message(in: .simplifiedChinese), "服务器返回的数据格式错误！")
    // The type that was expected, and the beginning of what came, which no log gets.
    expectEqual(unsaid.reason, #"the envelope is not a JSON object (Admin): "sorry""#)
    expect(unsaid.description.contains("the envelope is not a JSON object (Admin) (POST "))
    expect(!unsaid.description.contains("sorry"))
    expectEqual((unsaid as NSError).localizedFailureReason, "the envelope is not a JSON object (Admin)")
  }

  /// Whichever field is of the wrong kind.
  @Test(
    "S2-16",
    arguments: [
      (.statusContent, #"{"status":"OK","errorCode":{},"errorMsg":"维护中"}"#),
      (.statusContent, #"{"status":{},"errorCode":0,"errorMsg":"维护中"}"#),
      (.successFlag, #"{"success":[],"message":"维护中"}"#),
      (KeyedEnvelope(code: "code", message: "msg", payload: "data.list"), #"{"code":0,"msg":"维护中","data":"x"}"#),
    ])
  func theTextOfAnEnvelopeWithABadFieldIsTheServers(_ envelope: KeyedEnvelope, _ body: String) async throws {
    let failure = try require(await EchoServer(Stages(envelope: envelope)).read(body, as: [Int].self).failure)
    expectEqual(failure.code, .invalidEnvelope)
    expectEqual(failure.message, "维护中")
    expectEqual(failure.serverMessage, "维护中")
  }

  @Test("S2-18") func eachElementOfATopLevelArrayIsAnEnvelope() async throws {
    let echo = try EchoServer(Stages(envelope: .codeMessageData))
    func envelope(_ id: Int, code: Int = 0) -> String {
      #"{"code":\#(code),"msg":"m\#(id)","data":{"admin_id":"\#(id)"}}"#
    }
    let good = await echo.read("[\(envelope(1)),\(envelope(2)),\(envelope(3))]", as: Admin.self)
    expectEqual(good.values.map(\.value), [Admin("1"), Admin("2"), Admin("3")])
    expectEqual(good.values.map(\.resultMessage), ["m1", "m2", "m3"])
    expect(good.isCompleted)
    let refused = await echo.read("[\(envelope(1)),\(envelope(2, code: 7)),\(envelope(3))]", as: Admin.self)
    expectEqual(refused.values.map(\.value), [Admin("1")])
    expectEqual(refused.failure?.code, .api(7))
    expectEqual(refused.failure?.serverMessage, "m2")
    let bare = await echo.read(#"[\#(envelope(1)),5]"#, as: Admin.self)
    expectEqual(bare.values.count, 1)
    expectEqual(bare.failure?.code, .invalidEnvelope)
    expectEqual(
      bare.failure?.reason.hasPrefix("Invalid JSON array element: the envelope is not a JSON object (Admin)"), true)
    // A list in one envelope of the list, and nothing where nothing is wrapped.
    let nested = await echo.read(
      #"[{"code":0,"data":[{"admin_id":"1"},{"admin_id":"2"}]},{"code":0}]"#, as: Admin?.self)
    expectEqual(nested.values.map(\.value), [Admin("1"), Admin("2"), nil])
  }

  @Test("S2-18") func aTransformGetsAnArrayWhoseElementsAreAllAccepted() async throws {
    let echo = try EchoServer(Stages(envelope: .codeMessageData))
    for (body, code) in [(#"[{"code":0},{"code":0}]"#, nil), (#"[{"code":0},{"code":9}]"#, 9)] as [(String, Int?)] {
      let recorder = SignalRecorder(
        echo.client.enqueue(request: EchoServer.request(body), transform: { try JSON(data: $0.value).array?.count }))
      await recorder.waitForEnd()
      expectEqual(recorder.failure?.code, code.map { .api($0) })
      expectEqual(recorder.values.map(\.value), (code == nil ? [2] : []))
    }
  }

  @Test(
    "S4-15 S4-13 T1",
    arguments: [
      ("", false), (#""str""#, false), ("[]", false), ("{}", false), (#"{"success":false}"#, false),
      (#"{"success":"0"}"#, false), (#"{"success":""}"#, false), (#"{"success":null}"#, false),
      (#"{"success":0}"#, false), (#"{"success":true}"#, true), (#"{"success":1}"#, true), (#"{"success":"1"}"#, true),
      (#"{"success":"true"}"#, true),
    ])
  func theTruthTableOfTheFlag(_ body: String, _ isValid: Bool) async throws {
    let recorder = try await EchoServer(Stages(envelope: .successFlag)).read(body, as: [String: JSONAnything].self)
    expectEqual(recorder.isCompleted, isValid)
    expectEqual(recorder.values.count, (isValid ? 1 : 0))
    guard !isValid else { return }
    let failure = try require(recorder.failure)
    expectEqual(failure.domain, (body.contains("success") && body != #"{"success":null}"# ? .api : .processing))
    expectEqual(failure.response?.value, Data(body.utf8))
    expectEqual(failure.nsError.domain, NSURLErrorDomain)
    expectEqual(failure.nsError.code, NSURLErrorBadServerResponse)
  }

  @Test("T13 S0-18") func eachServiceHasItsOwnEnvelopeAndARequestMayHaveAnother() async throws {
    struct Wrapped: Service {
      let id: ServiceID = "wrapped"
      let url: URL
      let stages = Stages(envelope: .codeMessageData)

      func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? { ServiceAddresses(url) }
    }
    let server = try LoopbackServer()
    server.route("GET", "/x") { _ in .json(#"{"code":0,"msg":"","data":{"admin_id":"1"}}"#) }
    let client = NetworkClient(.init(baseURL: server.baseURL, services: [Wrapped(url: server.baseURL)]))
    let wrapped = SignalRecorder(
      client.enqueue(request: Request(.get, "/x", service: "wrapped"), resultType: Admin.self))
    await wrapped.waitForEnd()
    expectEqual(wrapped.values.map(\.value), [Admin("1")])
    var request = Request(.get, "/x", service: "wrapped")
    request.options.stages = Stages(envelope: .plain)
    let bare = SignalRecorder(client.enqueue(request: request, resultType: [String: JSONAnything].self))
    await bare.waitForEnd()
    expectEqual(bare.values.first?.value.count, 3)
    let own = SignalRecorder(client.enqueue(request: "/x", resultType: [String: JSONAnything].self))
    await own.waitForEnd()
    expectEqual(own.values.first?.value.count, 3)
  }

  /// One body, which one service refuses and another accepts: by its codes, its status or its flag.
  @Test("T13") func eachServiceHasItsOwnRuleOfSuccess() async throws {
    struct Judging: Service {
      let id: ServiceID
      let url: URL
      let stages: Stages

      func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? { ServiceAddresses(url) }
    }
    func envelope(_ envelope: KeyedEnvelope, _ adjust: (inout KeyedEnvelope) -> Void = { _ in }) -> KeyedEnvelope {
      var envelope = envelope
      envelope.payload = "data"
      adjust(&envelope)
      return envelope
    }
    let rules: [(id: ServiceID, envelope: KeyedEnvelope, refusal: NetworkError.Code?)] = [
      ("zero", envelope(.codeMessageData), .api(1)),
      ("one", envelope(.codeMessageData) { $0.successCodes = [1, 2] }, nil),
      ("number", envelope(KeyedEnvelope(code: "status")) { $0.successCodes = [200] }, nil),
      ("ok", envelope(KeyedEnvelope(status: "state")), .api("DONE")),
      ("done", envelope(KeyedEnvelope(status: "state")) { $0.successStatus = "DONE" }, nil),
      ("flag", envelope(.successFlag), nil), ("other", envelope(KeyedEnvelope(flag: "ok")), .rejected),
    ]
    let server = try LoopbackServer()
    server.route("GET", "/x") { _ in
      .json(#"{"code":1,"status":200,"state":"DONE","success":true,"ok":false,"data":7}"#)
    }
    let services = rules.map { Judging(id: $0.id, url: server.baseURL, stages: Stages(envelope: $0.envelope)) }
    let client = NetworkClient(.init(services: services))
    for rule in rules {
      let recorder = SignalRecorder(
        client.enqueue(request: Request(.get, "/x", service: rule.id), resultType: Int.self))
      await recorder.waitForEnd()
      expectEqual(recorder.failure?.code, rule.refusal, "\(rule.id)")
      expectEqual(recorder.values.map(\.value), rule.refusal == nil ? [7] : [], "\(rule.id)")
    }
  }

  /// A service encrypts by a filter and a decoder; another service is not affected.
  @Test("S0-18") func aServiceMayEncrypt() async throws {
    struct Cipher: RequestFilter, BodyDecoder {
      static func apply(_ data: Data) -> Data { Data(data.map { $0 ^ 0x5A }) }

      func filter(_ draft: inout RequestDraft) throws(NetworkError) {
        if case .data(let data) = draft.body { draft.body = .data(Self.apply(data)) }
      }

      func decode<Value: Decodable>(
        _ type: Value.Type, from body: Data, userInfo: [CodingUserInfoKey: any Sendable]
      ) throws -> Value {
        try JSONCoding().decode(type, from: Self.apply(body), userInfo: userInfo)
      }
    }
    struct Vault: Service {
      let url: URL
      let filters: [any RequestFilter] = [Cipher()]
      let stages = Stages(decoder: Cipher())

      func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? { ServiceAddresses(url) }
    }
    struct Market: Service {
      let url: URL

      func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? { ServiceAddresses(url) }
    }
    let server = try LoopbackServer()
    server.route("POST", "/echo") { .data($0.body) }
    let client = NetworkClient(.init(services: [Vault(url: server.baseURL), Market(url: server.baseURL)]))
    for id in ["Vault", "Market"] as [ServiceID] {
      let request = Request(.post, "/echo", service: id, body: .json(["id": 7]))
      let recorder = SignalRecorder(client.enqueue(request: request, resultType: [String: Int].self))
      await recorder.waitForEnd()
      expectEqual(recorder.values.map(\.value), [["id": 7]], "\(recorder.events)")
    }
    let clear = Data(#"{"id":7}"#.utf8)
    expectEqual(server.log.requests.map(\.body), [Cipher.apply(clear), clear])
  }
}

/// Accepts whatever there is.
struct JSONAnything: Decodable, Sendable {
  init(from decoder: any Decoder) throws {}
}
