/// No envelope: the body is the payload.
public struct PlainEnvelope: Envelope {
  /// Makes the envelope.
  public init() {}

  /// The whole answer.
  public func open(_ answer: any Decoder) -> OpenedEnvelope { OpenedEnvelope(payload: answer) }
}

extension Envelope where Self == PlainEnvelope {
  /// No envelope.
  public static var plain: PlainEnvelope { PlainEnvelope() }
}

/// An object around the payload, with fields that tell success from failure.
///
/// | envelope | succeeds when |
/// |---|---|
/// | `codeMessageData`: `{"code": 0, "msg": "", "data": …}` | `code` is 0 |
/// | `statusContent`: `{"status": "OK", "errorCode": 0, "errorMsg": "", "content": …}` | `errorCode` is 0 and `status` `OK` |
/// | `successFlag`: `{"success": true, …}`, all of it the payload | `success` is true |
///
/// Change a copy for other names and numbers. All fields that are stated count together. A code is a number or its text;
/// 0, `"0"`, `""`, `null` and none at all mean no error, as they do wherever 0 is among ``successCodes``. A flag is true for
/// `true`, numbers but 0, and texts that begin with such a number or one of `YyTt`.
///
/// A failure is an `api` error: its code is the answer's, or ``NetworkError/Code/invalidResponse`` if that is no number;
/// ``NetworkError/serverCode`` is the code as it is written, and the message what the answer says, untouched. An answer that
/// is no object, or has none of the fields, or has objects or arrays in their places, is a `processing` error with the code
/// ``NetworkError/Code/badEnvelope``. Requirements S0-1, S0-2, S0-3, S2-15 to S2-17, S4-15.
public struct KeyedEnvelope: Envelope {
  /// The name of the field with the code; `nil` if there is none.
  public var code: String?
  /// The codes that mean success.
  ///
  /// Default: 0.
  public var successCodes: Set<Int> = [0]
  /// The name of the field with the status; `nil` if there is none.
  public var status: String?
  /// The status that means success.
  ///
  /// Default: `OK`.
  public var successStatus = "OK"
  /// The name of the field that is true for success; `nil` if there is none.
  public var flag: String?
  /// The name of the field with a text for people; `nil` if there is none.
  public var message: String?
  /// The name of the field with the payload; `nil` if that is all of the answer.
  public var payload: String?
  /// What codes mean.
  ///
  /// Default: nothing.
  public var meanings: [NetworkError.Code: NetworkError.Meaning] = [:]

  /// Makes an envelope.
  ///
  /// - Parameters:
  ///   - code: the name of the field with the code. Default: none.
  ///   - status: the name of the field with the status. Default: none.
  ///   - flag: the name of the field that is true for success. Default: none.
  ///   - message: the name of the field with a text for people. Default: none.
  ///   - payload: the name of the field with the payload. Default: none, so all of the answer is the payload.
  public init(
    code: String? = nil, status: String? = nil, flag: String? = nil, message: String? = nil, payload: String? = nil
  ) {
    self.code = code
    self.status = status
    self.flag = flag
    self.message = message
    self.payload = payload
  }

  /// Looks at the fields around the payload.
  public func open(_ answer: any Decoder) throws -> OpenedEnvelope {
    guard let fields = try? EnvelopeFields(answer) else { throw EnvelopeFields.refusal("the answer is no object") }
    let text = try message.flatMap { try fields.scalar($0, isUsuallyText: true) }?.text
    let stated = try code.flatMap { try fields.scalar($0) }
    let place = try payload.map { fields.has($0) ? try fields.decoder(at: $0) : nil } ?? answer
    if stated == nil, text == nil, payload == nil || place == nil, !hasAny(of: fields) {
      throw EnvelopeFields.refusal("the answer has none of the envelope's fields")
    }
    if let status {
      guard let found = try fields.scalar(status, isUsuallyText: true) else {
        throw EnvelopeFields.refusal("\(status) is missing", text)
      }
      if found.text != successStatus, isSuccess(stated) { throw failure(found.text, text) }
    }
    if let flag {
      guard let found = try fields.scalar(flag) else { throw EnvelopeFields.refusal("\(flag) is missing", text) }
      if !found.isTrue, isSuccess(stated) { throw failure(nil, text) }
    }
    if !isSuccess(stated) { throw failure(stated?.text, text) }
    return OpenedEnvelope(payload: place, code: stated?.text, message: text)
  }

  private func hasAny(of fields: EnvelopeFields) -> Bool {
    let names = [code, status, flag, message, payload].compactMap(\.self)
    return names.isEmpty || names.contains(where: fields.has)
  }

  private func isSuccess(_ code: EnvelopeFields.Scalar?) -> Bool {
    guard let code, !code.text.isEmpty else { return successCodes.contains(0) || self.code == nil }
    return code.number.map(successCodes.contains) ?? false
  }

  private func failure(_ code: String?, _ text: String?) -> NetworkError {
    let number = code.flatMap { Int($0) }.map { NetworkError.Code(rawValue: $0) }
    var error = NetworkError(
      .api, number ?? .invalidResponse, message: text ?? "", reason: "the server says \(code ?? "no")")
    error.serverCode = code
    error.serverMessage = text.flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 }
    error.meaning = number.flatMap { meanings[$0] }
    return error
  }
}

extension Envelope where Self == KeyedEnvelope {
  /// `{"code": 0, "msg": "", "data": …}`.
  public static var codeMessageData: KeyedEnvelope { KeyedEnvelope(code: "code", message: "msg", payload: "data") }
  /// `{"status": "OK", "errorCode": 0, "errorMsg": "", "content": …}`.
  public static var statusContent: KeyedEnvelope {
    KeyedEnvelope(code: "errorCode", status: "status", message: "errorMsg", payload: "content")
  }
  /// `{"success": true, …}`: all of it is the payload.
  public static var successFlag: KeyedEnvelope { KeyedEnvelope(flag: "success", message: "message") }
}
