public import Foundation

/// What judges and reads responses, stage after stage: validate, unwrap, decode, map.
///
/// A client has all of them; a service, and then a request, replaces those that it states and leaves the others as they
/// are. All run in this order, off the main thread:
///
/// | stage | does | unless replaced |
/// |---|---|---|
/// | ``base``, then ``validators`` | judge the response as it came | ``StatusValidator`` |
/// | ``envelope`` | judges what is around the payload | ``PlainEnvelope`` |
/// | ``decoder`` | makes the payload a value | ``JSONBodyDecoder`` |
/// | ``mapper`` | makes the value what the app wants | none |
///
/// ```swift
/// let stages = Stages(envelope: .codeMessageData)
/// ```
/// Requirements S1-4, S4-6, S4-7, S4-14.
public struct Stages: Sendable {
  /// Judge each response first.
  ///
  /// Default: `nil`, those of the level above: the service's for a request, the client's for a service.
  public var base: [any Validator]?
  /// Judge it afterwards, in addition to those of the levels above, and only what these have accepted.
  ///
  /// Default: none.
  public var validators: [any Validator]
  /// What the payload is wrapped in.
  ///
  /// Default: `nil`, as at the level above.
  public var envelope: (any Envelope)?
  /// Makes payloads into values.
  ///
  /// Default: `nil`, as at the level above.
  public var decoder: (any BodyDecoder)?
  /// Changes responses when they are decoded.
  ///
  /// Default: `nil`, as at the level above.
  public var mapper: (any ResponseMapper)?

  /// Makes stages.
  ///
  /// - Parameters:
  ///   - base: judge each response first. Default: as at the level above.
  ///   - validators: judge it afterwards, besides those of the levels above. Default: none.
  ///   - envelope: what the payload is wrapped in. Default: as at the level above.
  ///   - decoder: makes payloads into values. Default: as at the level above.
  ///   - mapper: changes responses when they are decoded. Default: as at the level above.
  public init(
    base: [any Validator]? = nil, validators: [any Validator] = [], envelope: (any Envelope)? = nil,
    decoder: (any BodyDecoder)? = nil, mapper: (any ResponseMapper)? = nil
  ) {
    self.base = base
    self.validators = validators
    self.envelope = envelope
    self.decoder = decoder
    self.mapper = mapper
  }

  /// These with what others, of a level below, state.
  ///
  /// - Parameter others: what replaces or is added.
  /// - Returns: the stages.
  func replaced(by others: Stages) -> Stages {
    Stages(
      base: others.base ?? base, validators: validators + others.validators, envelope: others.envelope ?? envelope,
      decoder: others.decoder ?? decoder, mapper: others.mapper ?? mapper)
  }
}

/// Judges a response before it is decoded.
public protocol Validator: Sendable {
  /// Returns if the response is good.
  ///
  /// - Parameter response: the response with its body; never a 304.
  /// - Throws: the error that it amounts to: `server` for a status, `api` for what the body says.
  func validate(_ response: Response<Data>) throws(NetworkError)
}

/// What a payload is wrapped in, in each answer of a service: where it is, and how to tell success from failure.
public protocol Envelope: Sendable {
  /// Looks at what is around the payload, in the same pass in which that is decoded.
  ///
  /// - Parameter answer: at the root of the body.
  /// - Returns: where the payload is.
  /// - Throws: an `api` ``NetworkError`` if the answer says that the operation failed, or a `processing` one if it is not
  ///   wrapped as it should be. The response is added to it.
  func open(_ answer: any Decoder) throws -> OpenedEnvelope
}

/// What an envelope holds.
public struct OpenedEnvelope {
  /// At the payload; `nil` if there is none.
  public var payload: (any Decoder)?
  /// The code that the answer states.
  public var code: String?
  /// The text that it states.
  public var message: String?

  /// Makes an opening.
  ///
  /// - Parameters:
  ///   - payload: at the payload; `nil` if there is none.
  ///   - code: the code that the answer states. Default: none.
  ///   - message: the text that it states. Default: none.
  public init(payload: (any Decoder)?, code: String? = nil, message: String? = nil) {
    self.payload = payload
    self.code = code
    self.message = message
  }
}

/// Makes bodies into values: of JSON, or of whatever a service speaks.
public protocol BodyDecoder: Sendable {
  /// Decodes a body.
  ///
  /// - Parameters:
  ///   - type: what to decode.
  ///   - body: the bytes; never empty.
  ///   - userInfo: what the `Decoder` must have among its own: the envelope is found there.
  /// - Returns: the value.
  /// - Throws: a `DecodingError`, best; it says where in the body the problem is.
  func decode<Value: Decodable>(
    _ type: Value.Type, from body: Data, userInfo: [CodingUserInfoKey: any Sendable]
  ) throws -> Value
}

/// Changes responses when they are decoded, whatever their type.
public protocol ResponseMapper: Sendable {
  /// The response as the app wants it.
  ///
  /// - Parameter response: the decoded response.
  /// - Returns: the response to deliver.
  /// - Throws: the error to deliver in its place.
  func map<Value: Sendable>(_ response: Response<Value>) throws(NetworkError) -> Response<Value>
}
