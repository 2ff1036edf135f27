/// A JSON object with the payload and with fields that report success or failure.
///
/// | envelope | succeeds when |
/// |---|---|
/// | `codeMessageData`: `{"code": 0, "msg": "", "data": …}` | `code` is 0 |
/// | `statusContent`: `{"status": "OK", "errorCode": 0, "errorMsg": "", "content": …}` | `errorCode` is 0 and `status` `OK` |
/// | `successFlag`: `{"success": true, "message": "", …}`, all of it the payload | `success` is true |
/// | `plain`: no wrapper; the body is the payload | always |
///
/// For other field names or codes, modify a copy of one of these. A name with dots, such as `error.code`, is the path
/// of nested objects, unless the body has a field of that whole name; an object of the path that is missing or `null`
/// counts as a missing field, any other value in its place as an invalid envelope. All configured fields must report
/// success. A code may be a number or a numeric string. A code that is missing, `null` or `""` is an error, unless
/// ``isCodeOptional`` is set, or a status or flag reports success and 0 is one of the ``successCodes``. A flag is true
/// for `true`, for numbers except 0, and for texts that begin with such a number or one of `YyTt`.
///
/// A failure is an `api` error. Its code is the failing one in the body, or else the failing status:
/// ``NetworkError/Code/api(_:)-(Int)`` for a number and ``NetworkError/Code/api(_:)-(String)`` for a text, such as
/// `.api("FAIL")`. A flag that reports a failure without either is ``NetworkError/Code/rejected``. The message
/// is that of the body, cut after 4,096 bytes; one that is an object or array is ignored in a failure. A body that is
/// not an object, has none of the fields, lacks a required one, or has an object or array as the value of one, is a
/// `processing` error with the code ``NetworkError/Code/invalidEnvelope``.
public struct KeyedEnvelope: Envelope {
  /// The name of the code field; `nil` if there is none.
  public var code: String?
  /// The codes that mean success.
  ///
  /// Default: 0.
  public var successCodes: Set<Int> = [0]
  /// Whether a code that is missing, `null` or empty means success, as in APIs that send a code only with failures.
  ///
  /// In an envelope without a payload, status and flag, a body with none of the fields, such as an array, is then the
  /// payload, and an empty body is a success. Beside a rejected status, the message is that of the failure. Default:
  /// `false`, so that a renamed field does not turn failures into successes.
  public var isCodeOptional = false
  /// The name of the status field; `nil` if there is none.
  public var status: String?
  /// The status that means success.
  ///
  /// Default: `OK`.
  public var successStatus = "OK"
  /// The name of the success flag; `nil` if there is none.
  public var flag: String?
  /// The name of the field with a user-facing message; `nil` if there is none.
  public var message: String?
  /// The name of the payload field; `nil` if the whole body is the payload.
  public var payload: String?
  /// What each code means to the app; see ``NetworkError/Meaning``.
  ///
  /// Default: none.
  public var meanings: [NetworkError.Code: NetworkError.Meaning] = [:]

  /// Creates an envelope.
  ///
  /// - Parameters:
  ///   - code: The name of the code field. Default: none.
  ///   - status: The name of the status field. Default: none.
  ///   - flag: The name of the success flag. Default: none.
  ///   - message: The name of the field with a user-facing message. Default: none.
  ///   - payload: The name of the payload field. Default: none; the whole body is the payload.
  public init(
    code: String? = nil, status: String? = nil, flag: String? = nil, message: String? = nil, payload: String? = nil
  ) {
    self.code = code
    self.status = status
    self.flag = flag
    self.message = message
    self.payload = payload
  }

  /// Opens the envelope and checks its fields for success.
  public func open(_ body: any Decoder) throws -> (payload: (any Decoder)?, code: String?, message: String?) {
    if isPlain { return (body, nil, nil) }
    guard var fields = try? EnvelopeFields(body) else {
      if isOptional { return (body, nil, nil) }
      throw EnvelopeFields.failure("the envelope is not a JSON object")
    }
    var content: (any Decoder)? = body
    // A failure that is reported is more useful than the error about its message or its payload.
    var otherError: (any Error)?
    do {
      let text = try message.flatMap { try fields.scalar($0, isUsuallyText: true) }?.text
      // Apps compare messages, which takes quadratic time for some texts, and print them to terminals.
      fields.message = text?.shortened(to: 4_096).withoutControls
    } catch {
      otherError = error
    }
    let text = fields.message
    let codeValue = try code.flatMap { try fields.scalar($0) }
    do {
      if let payload { content = try fields.decoder(at: payload) }
    } catch {
      otherError = otherError ?? error
    }
    let hasContent = payload != nil && content != nil
    if codeValue == nil, text == nil, !hasContent, otherError == nil, !isOptional, !hasAny(of: fields) {
      throw EnvelopeFields.failure("the response has none of the envelope's fields")
    }
    // A reported failure takes precedence over missing fields.
    if let codeValue, isPresent(codeValue), !isSuccess(codeValue) { throw failure(codeValue, text) }
    if let status {
      guard let found = try fields.scalar(status, isUsuallyText: true) else {
        throw EnvelopeFields.failure("\(status) is missing", text)
      }
      if !found.text.hasSameBytes(as: successStatus) { throw failure(found, text) }
    }
    if let flag {
      guard let found = try fields.scalar(flag) else { throw EnvelopeFields.failure("\(flag) is missing", text) }
      if !found.isTrue { throw failure(nil, text) }
    }
    if let code, !(codeValue.map(isPresent) ?? false), !isMissingCodeSuccess {
      throw EnvelopeFields.failure("\(code) is missing", text)
    }
    if let otherError { throw otherError }
    return (content, codeValue?.text, text)
  }

  /// Whether a body with none of the fields, or no body, is a success, and the payload.
  var isOptional: Bool { reportsOnlyFailures && payload == nil }

  private func hasAny(of fields: EnvelopeFields) -> Bool {
    [code, status, flag, message, payload].contains { $0.map(fields.has) ?? false }
  }

  /// Whether a message without a code is that of a failure if the status of the response is rejected.
  var reportsOnlyFailures: Bool { isCodeOptional && status == nil && flag == nil }

  var isPlain: Bool { code == nil && status == nil && flag == nil && message == nil && payload == nil }

  /// Returns whether a code has a value; an empty text counts as missing.
  private func isPresent(_ code: EnvelopeFields.Scalar) -> Bool { !code.text.isEmpty }

  private func isSuccess(_ code: EnvelopeFields.Scalar) -> Bool { code.number.map(successCodes.contains) ?? false }

  /// Whether a missing code counts as 0, because another field has reported success.
  private var isMissingCodeSuccess: Bool {
    isCodeOptional || ((status != nil || flag != nil) && successCodes.contains(0))
  }

  private func failure(_ code: EnvelopeFields.Scalar?, _ text: String?) -> NetworkError {
    let codeValue = code.map(\.code)
    let reason = "API error code \(codeValue.map { "\($0)" } ?? "none")"
    var error = EnvelopeFields.failure(reason, text, code: codeValue ?? .rejected)
    error.serverCode = codeValue
    error.meaning = codeValue.flatMap { meanings[$0] }
    return error
  }
}

extension Envelope where Self == KeyedEnvelope {
  /// An envelope without a wrapper: the body is the payload.
  public static var plain: KeyedEnvelope { KeyedEnvelope() }
  /// The envelope `{"code": 0, "msg": "", "data": …}`.
  public static var codeMessageData: KeyedEnvelope { KeyedEnvelope(code: "code", message: "msg", payload: "data") }
  /// The envelope `{"status": "OK", "errorCode": 0, "errorMsg": "", "content": …}`.
  public static var statusContent: KeyedEnvelope {
    KeyedEnvelope(code: "errorCode", status: "status", message: "errorMsg", payload: "content")
  }
  /// The envelope `{"success": true, "message": "", …}`; the whole object is also the payload.
  public static var successFlag: KeyedEnvelope { KeyedEnvelope(flag: "success", message: "message") }
}
