import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Responses that an envelope refuses without reading a payload.
struct EnvelopeRefusalTests {
  /// An alert with the first would be empty; the second would control the terminal that it is printed to.
  @Test(
    "S4-15",
    arguments: [
      (#"\u200b\u202e \u0000"#, nil), (#"Paid.\u001b[2J\u0007\n\tThanks"#, "Paid.[2J\n\tThanks"), ("👩‍👧", "👩‍👧"),
      ("\u{3164}\u{2800}", nil), (#"Denied.\rPaid."#, "Denied.Paid."),
    ])
  func aMessageIsVisibleText(_ text: String, _ message: String?) async throws {
    let echo = try EchoServer(Stages(envelope: .codeMessageData))
    let failure = try require(await echo.read(#"{"code":7,"msg":"\#(text)"}"#, as: Int.self).failure)
    expectEqual(failure.code, .api(7))
    expectEqual(failure.serverMessage, message)
    expectEqual(failure.message, message ?? NetworkError(.api(7)).message)
  }

  @Test("S4-15") func theMessageOfASuccessIsCutAndHasNoControlCharacters() async throws {
    let echo = try EchoServer(Stages(envelope: .codeMessageData))
    let long = String(repeating: "a", count: 5_000)
    let body = #"{"code":0,"msg":"\u001b\#(long)","data":1}"#
    let recorder = await echo.read(body, as: Int.self)
    expectEqual(recorder.values.first?.value, 1, "\(String(describing: recorder.failure))")
    expectEqual(recorder.values.first?.resultMessage, long.prefix(4_095) + "…")
  }

  /// Comparing a text of so many combining marks takes minutes, because each comparison sorts them.
  @Test("S4-15", arguments: [KeyedEnvelope.successFlag, .statusContent])
  func aLongTextOfCombiningMarksIsComparedByItsBytes(_ envelope: KeyedEnvelope) async throws {
    let text = "e" + String(repeating: "\u{301}\u{316}", count: 50_000)
    let echo = try EchoServer(Stages(envelope: envelope))
    let failure = await echo.read(#"{"success":"\#(text)","status":"\#(text)"}"#, as: Int.self).failure
    expectEqual(failure?.domain, .api)
  }

  /// Whatever the type makes of an empty body elsewhere.
  @Test("S4-1 S4-13 S4-15 T1", arguments: [KeyedEnvelope.successFlag, .codeMessageData])
  func anEmptyBodyIsNoSuccessOfAnEnvelope(_ envelope: KeyedEnvelope) async throws {
    let echo = try EchoServer(Stages(envelope: envelope))
    let request = EchoServer.request("")
    let transformed = SignalRecorder(echo.client.enqueue(request: request, transform: { $0.value.count }))
    let outcomes = SignalRecorder(echo.client.outcomes(of: request, as: JSON.self))
    await transformed.waitForEnd()
    await outcomes.waitForEnd()
    let errors = await [
      echo.read("", as: NoContent.self).failure, echo.read("", as: [Int]?.self).failure,
      echo.read("", as: JSON.self).failure, echo.read("", as: Data.self).failure,
      transformed.failure, outcomes.failure,
    ]
    for error in errors {
      let error = try require(error)
      expectEqual(error.code, .invalidEnvelope)
      expectEqual(error.response?.statusCode, 200)
      expectEqual(error.nsError.code, NSURLErrorBadServerResponse)
    }
  }

  /// A 204, a 205, and the response to a `HEAD`, have none.
  @Test("S2-19 S4-15 T1") func aResponseWithoutABodyByDefinitionNeedsNoEnvelope() async throws {
    let echo = try EchoServer(Stages(envelope: .successFlag))
    echo.server.route("DELETE", "/none") { _ in .status(204) }
    echo.server.route("POST", "/reset") { _ in .status(205) }
    echo.server.route("GET", "/head") { _ in .json(#"{"success":true}"#) }
    for request in [Request(.delete, "/none"), Request(.post, "/reset"), Request(.head, "/head")] {
      let recorder = SignalRecorder(echo.client.enqueue(request: request, resultType: NoContent.self))
      await recorder.waitForEnd()
      expect(recorder.isCompleted, "\(recorder.events)")
    }
  }

  /// Without an envelope a text is the body, and may be empty; in one it is the payload.
  @Test(arguments: [(KeyedEnvelope.plain, true), (.successFlag, false)])
  func anOutcomeOfATextWithoutABody(_ envelope: KeyedEnvelope, _ hasValue: Bool) async throws {
    let echo = try EchoServer(Stages(envelope: envelope))
    echo.server.route("DELETE", "/none") { _ in .status(204) }
    let recorder = SignalRecorder(echo.client.outcomes(of: Request(.delete, "/none"), as: String.self))
    await recorder.waitForEnd()
    switch recorder.values.first {
    case .value(let response): expect(hasValue && response.value.isEmpty)
    case .noContent(let response): expect(!hasValue && response.statusCode == 204)
    default: Issue.record("\(recorder.events)")
    }
  }

  /// It delivers the bytes of a failure that `enqueue` reports, and begins no refresh.
  @Test("S4-1") func aDownloadInMemoryDoesNotOpenTheEnvelopeOfASuccess() async throws {
    let refreshCount = Guarded(0)
    let echo = try EchoServer {
      $0.stages.envelope = .codeMessageData
      $0.recoveries = [
        Recovery(codes: [.api(1004)]) {
          refreshCount.withLock { $0 += 1 }
          return Signal<Void, NetworkError>.empty
        }
      ]
    }
    let body = #"{"code":1004,"msg":"Sign in"}"#
    let judged = SignalRecorder(echo.client.enqueue(request: EchoServer.request(body)))
    await judged.waitForEnd()
    expectEqual(judged.failure?.code, .api(1004))
    expectEqual(refreshCount.withLock { $0 }, 1)
    let recorder = SignalRecorder(echo.client.download(request: EchoServer.request(body)).finished())
    await recorder.waitForEnd()
    expectEqual(recorder.values.map(\.value), [Data(body.utf8)])
    expectEqual(refreshCount.withLock { $0 }, 1)
  }

  private enum SaleCode: String { case soldOut = "sold_out" }

  /// The code is in the reason, which is logged; the message is not.
  @Test func theReasonOfARejectedStatusNamesTheCode() async throws {
    let echo = try EchoServer(Stages(envelope: KeyedEnvelope(code: "error.code", message: "error.message")))
    let bodies = [
      (#"{"error":{"code":"sold_out","message":"No lamps for Ada."}}"#, "HTTP status 409, code sold_out"),
      (#"{"error":{"code":1004}}"#, "HTTP status 409, code 1004"), (#"{"error":"none"}"#, "HTTP status 409"),
      ("<html>", "HTTP status 409"), (#"{"error":{"code":0}}"#, "HTTP status 409"),
      (#"{"error":{"code":"a\nb"}}"#, #"HTTP status 409, code a\nb"#),
    ]
    for (body, reason) in bodies {
      echo.server.route("POST", "/order") { _ in .json(body, status: 409) }
      let recorder = SignalRecorder(echo.client.enqueue(request: Request(.post, "/order"), resultType: [Int].self))
      await recorder.waitForEnd()
      let failure = try require(recorder.failure)
      expectEqual(failure.code, .status(409))
      expectEqual(failure.reason, reason)
      expect(failure.description.hasPrefix("server error 409: \(reason) (POST "), "\(failure)")
      expect(!failure.description.contains("Ada"))
      let sale = failure.serverCode.flatMap { SaleCode(rawValue: "\($0)") }
      expectEqual(sale, body.contains("sold_out") ? .soldOut : nil)
    }
  }

  private struct FieldValidator: Validator {
    func validate(_ response: Response<Data>) throws(NetworkError) {
      var error = NetworkError(.status(response.statusCode))
      error.serverCode = response.headers["X-Error-Code"].map { .api($0) }
      throw error
    }
  }

  /// A validator may have read the code from a header field.
  @Test(arguments: ["<html>", #"{"code":1,"msg":"no"}"#]) func theCodeOfAValidatorRemains(_ body: String) async throws {
    let echo = try EchoServer(Stages(baseValidators: [FieldValidator()], envelope: .codeMessageData))
    echo.server.route("POST", "/order") { _ in .json(body, status: 503).header("X-Error-Code", "E17") }
    let recorder = SignalRecorder(echo.client.enqueue(request: Request(.post, "/order"), resultType: [Int].self))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.serverCode, .api("E17"))
    expectEqual(recorder.failure?.reason, body == "<html>" ? "" : "code E17")
    expectEqual(recorder.failure?.serverMessage, body == "<html>" ? nil : "no")
  }

  /// A rejected status keeps its domain and code; the text for people is the server's.
  @Test("S4-1") func theTextOfARejectedResponseIsTheServers() async throws {
    var envelope = KeyedEnvelope.codeMessageData
    envelope.meanings = [.api(40001): .needsLogin]
    let echo = try EchoServer(Stages(envelope: envelope))
    let bodies = [
      #"{"code":40001,"msg":"There are two left."}"#, "<html>", #"{"code":40001,"msg":" "}"#, #"{"code":0,"msg":"ok"}"#,
    ]
    for (index, body) in bodies.enumerated() {
      echo.server.route("POST", "/order") { _ in .json(body, status: 422) }
      let recorder = SignalRecorder(echo.client.enqueue(request: Request(.post, "/order"), resultType: [Int].self))
      await recorder.waitForEnd()
      let failure = try require(recorder.failure)
      expectEqual(failure.code, .status(422))
      expectEqual(failure.serverMessage, index == 0 ? "There are two left." : nil)
      expectEqual(failure.message, index == 0 ? "There are two left." : NetworkError(.status(422)).message)
      let hasCode = index == 0 || index == 2
      expectEqual(failure.serverCode, hasCode ? .api(40001) : nil)
      expectEqual(failure.meaning, hasCode ? .needsLogin : nil)
      expectEqual(failure.isUnauthorized, hasCode)
    }
  }

  /// The envelope of an app, which knows only the error's initializer.
  private struct Custom: Envelope {
    private struct Fields: Decodable {
      let fault: Int?
      let text: String?
    }

    func open(_ body: any Decoder) throws -> (payload: (any Decoder)?, code: String?, message: String?) {
      let fields = try Fields(from: body)
      guard let fault = fields.fault else { return (body, nil, nil) }
      throw NetworkError(fault == 0 ? .rejected : .api(fault), message: fields.text ?? "")
    }
  }

  @Test("S2-8", arguments: [200, 422]) func theErrorOfACustomEnvelopeHasTheServersCodeAndText(
    _ status: Int
  ) async throws {
    let echo = try EchoServer {
      $0.stages.envelope = Custom()
      $0.messages = [.api(1004): "Out of stock."]
    }
    let bodies = [#"{"fault":1004,"text":"sold out"}"#, #"{"fault":1005}"#, #"{"fault":0,"text":"no"}"#]
    var failures: [NetworkError] = []
    for body in bodies {
      echo.server.route("POST", "/order") { _ in .json(body, status: status) }
      let recorder = SignalRecorder(echo.client.enqueue(request: Request(.post, "/order"), resultType: [Int].self))
      await recorder.waitForEnd()
      failures.append(try require(recorder.failure))
    }
    let codes = failures.map(\.code)
    expectEqual(codes, status == 200 ? [.api(1004), .api(1005), .rejected] : Array(repeating: .status(422), count: 3))
    expectEqual(failures.map(\.serverCode), [.api(1004), .api(1005), nil])
    expectEqual(failures.map(\.serverMessage), ["sold out", nil, "no"])
    // The app's text for the code, which is more specific than the status.
    expectEqual(failures.first?.message, "Out of stock.")
    expectEqual(failures.last?.message, "no")
  }

  /// The check of the envelope is the base, whose failure hides what a validator finds.
  @Test("S4-14 S4-15 S1-8", arguments: [false, true]) func aReportedFailureComesBeforeTheRefusalOfAValidator(
    _ isBase: Bool
  ) async throws {
    let echo = try EchoServer(Stages(envelope: .codeMessageData))
    let shape: JSONShape = ["data": ["id": .number]]
    let options = RequestOptions.with {
      $0.stages = isBase ? Stages(baseValidators: [StatusValidator(), shape]) : Stages(validators: [shape])
    }
    let body = #"{"code":1001,"msg":"请登录"}"#
    let request = EchoServer.request(body, options)
    let transformed = SignalRecorder(echo.client.enqueue(request: request, transform: { $0.value.count }))
    await transformed.waitForEnd()
    for failure in [await echo.read(body, as: JSON.self, options).failure, transformed.failure] {
      let failure = try require(failure)
      expectEqual(failure.code, .api(1001))
      expectEqual(failure.serverCode, .api(1001))
      expectEqual(failure.message, "请登录")
      expectEqual(failure.response?.value, Data(body.utf8))
      expect(failure.request != nil)
    }
    // A code of the validator's own remains.
    let judge = StagesTests.Judge(name: "own", trace: Log(), refuses: true)
    let judged = RequestOptions.with {
      $0.stages = isBase ? Stages(baseValidators: [judge]) : Stages(validators: [judge])
    }
    let own = try require(await echo.read(body, as: JSON.self, judged).failure)
    expectEqual([own.code, own.serverCode], [.api(9), .api(1001)])
    expectEqual(own.message, "请登录")
    // A success, and what is no envelope, is the validator's.
    for body in [#"{"code":0,"data":{}}"#, "[]", #""text""#] {
      await expectEqual(echo.read(body, as: JSON.self, options).failure?.code, .invalidShape)
    }
  }

  private struct Rejecting: Validator {
    func validate(_ response: Response<Data>) throws(NetworkError) { throw NetworkError(.rejected) }
  }

  @Test("S4-14") func aRejectionByAValidatorHasTheServersCodeAndText() async throws {
    let echo = try EchoServer(Stages(validators: [Rejecting()], envelope: .codeMessageData))
    let failure = try require(await echo.read(#"{"code":1001,"msg":"请登录"}"#, as: JSON.self).failure)
    expectEqual(failure.code, .rejected)
    expectEqual(failure.serverCode, .api(1001))
    expectEqual(failure.message, "请登录")
  }

  /// As it is read without a validator.
  @Test("S4-14 S2-18") func aReportedFailureIsFoundInAnElementOfAnArray() async throws {
    let refusing = ContentTypeValidator(accepted: ["text/plain"])
    let echo = try EchoServer(Stages(validators: [refusing], envelope: .codeMessageData))
    for body in [#"[{"code":1001,"msg":"请登录"}]"#, #"[{"code":0,"data":1},{"code":1001,"msg":"请登录"}]"#] {
      let failure = try require(await echo.read(body, as: JSON.self).failure)
      expectEqual(failure.code, .api(1001))
      expectEqual(failure.message, "请登录")
      echo.server.route("POST", "/order") { _ in .json(body, status: 422) }
      let recorder = SignalRecorder(echo.client.enqueue(request: Request(.post, "/order"), resultType: JSON.self))
      await recorder.waitForEnd()
      expectEqual(recorder.failure?.code, .status(422))
      expectEqual(recorder.failure?.serverCode, .api(1001))
      expectEqual(recorder.failure?.serverMessage, "请登录")
    }
    await expectEqual(echo.read(#"[{"code":0,"data":1}]"#, as: JSON.self).failure?.code, .unacceptableType)
  }

  private struct Counted: Envelope {
    let envelope: KeyedEnvelope
    let opened = Log<Bool>()

    func open(_ body: any Decoder) throws -> (payload: (any Decoder)?, code: String?, message: String?) {
      opened.add(true)
      return try envelope.open(body)
    }
  }

  /// Also without a text, which is not looked for once more.
  @Test(
    "S4-14",
    arguments: [
      (.codeMessageData, #"{"code":1001}"#), (.codeMessageData, #"{"code":1001,"msg":"no"}"#),
      (.successFlag, #"{"success":false}"#),
    ] as [(KeyedEnvelope, String)])
  func aReportedFailureIsDecodedOnce(_ envelope: KeyedEnvelope, _ body: String) async throws {
    let counted = Counted(envelope: envelope)
    let failure = try require(await EchoServer(Stages(envelope: counted)).read(body, as: JSON.self).failure)
    expectEqual(failure.domain, .api)
    expectEqual(counted.opened.count, 1)
  }
}
