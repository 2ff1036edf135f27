import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Codes of envelopes that are missing, odd, or beside fields that cannot be read.
struct EnvelopeCodeTests {
  private static let optional: KeyedEnvelope = {
    var envelope = KeyedEnvelope.codeMessageData
    envelope.isCodeOptional = true
    return envelope
  }()

  /// Such as that of a server that has renamed its field.
  @Test(arguments: [#"{"data":1}"#, #"{"code":null,"data":1}"#, #"{"code":"","msg":"m","data":1}"#])
  func aMissingCodeIsASuccessOnlyWhereItWasDeclaredSo(_ body: String) async throws {
    let strict = try await EchoServer(Stages(envelope: .codeMessageData)).read(body, as: Int.self)
    let failure = try require(strict.failure)
    expectEqual(failure.domain, .processing)
    expectEqual(failure.code, .invalidEnvelope)
    expect(failure.reason.hasPrefix("code is missing"), "\(failure.reason)")
    expectEqual(failure.serverMessage, body.contains("msg") ? "m" : nil)
    let lenient = try await EchoServer(Stages(envelope: Self.optional)).read(body, as: Int.self)
    expectEqual(lenient.values.map(\.value), [1])
    let failed = try await EchoServer(Stages(envelope: Self.optional)).read(#"{"code":40013}"#, as: Int.self)
    expectEqual(failed.failure?.code, .api(40_013))
  }

  /// An API that wraps its failures only has nothing to wrap in an empty 201.
  @Test func anEnvelopeOfFailuresNeedsNoBody() async throws {
    var failures = KeyedEnvelope(code: "error.code", message: "error.message", payload: nil)
    failures.isCodeOptional = true
    await expectEqual(try EchoServer(Stages(envelope: failures)).read("", as: NoContent.self).values.count, 1)
    await expectEqual(try EchoServer(Stages(envelope: failures)).read("", as: [Int].self).failure?.code, .emptyBody)
    let wrapped = try await EchoServer(Stages(envelope: Self.optional)).read("", as: NoContent.self)
    expectEqual(wrapped.failure?.code, .invalidEnvelope)
  }

  /// Apps compare codes, and errors are kept.
  @Test func aTextualCodeIsCutAsAMessageIs() async throws {
    let code = String(repeating: "a", count: 5_000)
    for (sent, expected) in [(code, String(repeating: "a", count: 4_096) + "…"), ("E17", "E17")] {
      let server = try EchoServer(Stages(envelope: .codeMessageData))
      let recorder = await server.read(#"{"code":"\#(sent)"}"#, as: Int.self)
      expectEqual(recorder.failure?.code, .api(expected))
      expectEqual(recorder.failure?.serverCode, .api(expected))
    }
  }

  @Test func besideAStatusAMissingCodeCountsAsZero() async throws {
    var envelope = KeyedEnvelope.statusContent
    let body = #"{"status":"OK","content":1}"#
    try await expectEqual(EchoServer(Stages(envelope: envelope)).read(body, as: Int.self).values.count, 1)
    envelope.successCodes = [200]
    try await expectEqual(
      EchoServer(Stages(envelope: envelope)).read(body, as: Int.self).failure?.code, .invalidEnvelope)
  }

  /// An unreadable message is none, and the failure stays what it is.
  @Test func aStatedFailureCountsWhateverItsMessageIs() async throws {
    let echo = try EchoServer(Stages(envelope: .codeMessageData))
    for message in [#"{"email":["taken"]}"#, "[1]"] {
      let failure = try require(await echo.read(#"{"code":422,"msg":\#(message)}"#, as: Int.self).failure)
      expectEqual(failure.code, .api(422))
      expectEqual(failure.serverCode, .api(422))
      expectNil(failure.serverMessage)
    }
    let success = try require(await echo.read(#"{"code":0,"msg":{},"data":1}"#, as: Int.self).failure)
    expectEqual(success.code, .invalidEnvelope)
  }

  /// Also if a flag or a status reports it, without a code.
  @Test(
    arguments: [
      (KeyedEnvelope.successFlag, #"{"success":false,"message":{"email":["taken"]}}"#, NetworkError.Code.rejected),
      (.successFlag, #"{"success":true,"message":["a"]}"#, .invalidEnvelope),
      (.statusContent, #"{"status":"FAIL","errorMsg":{},"content":1}"#, .api("FAIL")),
      (.statusContent, #"{"status":"FAIL","errorCode":7,"errorMsg":{}}"#, .api(7)),
      (.statusContent, #"{"status":"OK","errorMsg":{},"content":1}"#, .invalidEnvelope),
      (.codeMessageData, #"{"msg":{},"data":1}"#, .invalidEnvelope),
    ])
  func aFailureOfAFlagOrStatusCountsWhateverItsMessageIs(
    _ envelope: KeyedEnvelope, _ body: String, _ code: NetworkError.Code
  ) async throws {
    let echo = try EchoServer {
      $0.stages.envelope = envelope
      $0.messages[.rejected] = "Rejected."
    }
    let failure = try require(await echo.read(body, as: JSON.self).failure)
    expectEqual(failure.code, code)
    expectNil(failure.serverMessage)
    if code == .rejected { expectEqual(failure.message, "Rejected.") }
  }

  @Test(
    arguments: [
      (#""401 ""#, 401, "401"), (#"" 401""#, 401, "401"), (#""4 01""#, -1011, "4 01"), (#""0 0""#, -1011, "0 0"),
      ("99999999999999999999", -1011, "99999999999999999999"), ("4.01e2", 401, "401"), ("401.0", 401, "401"),
      ("1.5", -1011, "1.5"), ("true", 1, "1"), ("-7", -7, "-7"), (#""0401""#, -1011, "0401"),
    ])
  func aCodeIsOneNumberForSuccessAndFailure(_ code: String, _ number: Int, _ text: String) async throws {
    var envelope = KeyedEnvelope.codeMessageData
    envelope.meanings = [.api(401): .needsLogin]
    let echo = try EchoServer(Stages(envelope: envelope))
    let failure = try require(await echo.read(#"{"code":\#(code),"data":1}"#, as: Int.self).failure)
    expectEqual(failure.domain, .api)
    expectEqual(failure.code.number, number)
    expectEqual(failure.code.description, text)
    expectEqual(failure.serverCode, failure.code)
    expectEqual(failure.meaning, number == 401 ? .needsLogin : nil)
  }

  /// A server may put a text for people in its place.
  @Test func aLongStatusIsCutInWhatIsLogged() async throws {
    let text = String(repeating: "Ada Lovelace ", count: 25) + "was born in London"
    let echo = try EchoServer(Stages(envelope: .statusContent))
    let failure = try require(await echo.read(#"{"status":"\#(text)"}"#, as: Int.self).failure)
    expectEqual(failure.domain, .api)
    expect(failure.description.contains("API error code Ada Lovelace"), "\(failure)")
    expectHidden("London", in: failure)
    expectHidden("London", in: (failure as NSError).userInfo)
  }

  /// As many servers send it, which wrap only their failures.
  @Test(
    arguments: [
      (KeyedEnvelope(code: "code", message: "message"), #"{"message":"No.","errors":{"email":["taken"]}}"#, "No."),
      (KeyedEnvelope(code: "code", message: "detail"), #"{"detail":"No."}"#, "No."),
      (KeyedEnvelope(code: "code", message: "message"), #"{"code":"","message":"No."}"#, "No."),
      (KeyedEnvelope(code: "error.code", message: "error.message"), #"{"error":{"message":"No."}}"#, "No."),
      (KeyedEnvelope(code: "code", message: "message"), #"{"code":0,"message":"ok"}"#, nil),
      (KeyedEnvelope(code: "code", flag: "success", message: "message"), #"{"success":1,"message":"ok"}"#, nil),
      (KeyedEnvelope(code: "code", message: "message"), #"{"message":" "}"#, nil),
    ] as [(KeyedEnvelope, String, String?)])
  func besideARejectedStatusAMessageNeedsNoCode(
    _ envelope: KeyedEnvelope, _ body: String, _ message: String?
  ) async throws {
    var envelope = envelope
    envelope.isCodeOptional = true
    let echo = try EchoServer(Stages(envelope: envelope))
    echo.server.route("POST", "/order") { _ in .json(body, status: 422) }
    let recorder = SignalRecorder(echo.client.enqueue(request: Request(.post, "/order"), resultType: [Int].self))
    await recorder.waitForEnd()
    let failure = try require(recorder.failure)
    expectEqual(failure.code, .status(422))
    expectNil(failure.serverCode)
    expectEqual(failure.serverMessage, message)
    expectEqual(failure.message, message ?? NetworkError(.status(422)).message)
    await expectEqual(echo.read(body, as: JSON.self).failure?.code, nil)
  }

  @Test func blanksAroundASuccessAreNone() async throws {
    let echo = try EchoServer(Stages(envelope: .codeMessageData))
    for code in [#""0 ""#, #"" 0\n""#, "0.0", "0e5"] {
      await expectEqual(echo.read(#"{"code":\#(code),"data":1}"#, as: Int.self).values.count, 1, "\(code)")
    }
  }

  /// `code_2nd` is `code2Nd` for `JSONDecoder`: the code was not found, and the failure was a success.
  @Test(arguments: [
    "err_b1b", "code_2nd", "is_2fa_ok", "result_v2x", "x_3d", "code_1", "rc4_code", "_a_b_", "a_b", "URL",
  ])
  func aFailureIsFoundByItsNameInSnakeCase(_ name: String) async throws {
    let echo = try EchoServer {
      $0.json = JSONCoding(keys: .snakeCase)
      var envelope = KeyedEnvelope(code: name, message: "the_1st_msg", payload: "p_2p")
      envelope.isCodeOptional = true
      $0.stages.envelope = envelope
    }
    let failure = try require(await echo.read(#"{"\#(name)":7,"the_1st_msg":"m","p_2p":1}"#, as: Int.self).failure)
    expectEqual(failure.domain, .api)
    expectEqual(failure.code, .api(7))
    expectEqual(failure.serverMessage, "m")
    await expectEqual(echo.read(#"{"\#(name)":0,"p_2p":1}"#, as: Int.self).values.map(\.value), [1])
  }
}
