public import Foundation

/// The stages that validate and read a response: validate, unwrap, decode, map.
///
/// A client has all stages. A service, and then a request, replaces the stages that it sets and inherits the others.
/// The stages run in this order, on ``NetworkClient/Configuration/processing``; decoder and mapper of a type whose
/// conformance is isolated to an actor run on that actor:
///
/// | stage | does | default |
/// |---|---|---|
/// | ``baseValidators``, then ``validators`` | validate the received response | ``StatusValidator`` |
/// | ``envelope`` | unwraps the payload and checks for success | `.plain` |
/// | ``decoder`` | decodes the payload to a value | ``JSONCoding`` |
/// | ``mapper`` | transforms the decoded response | none |
///
/// A failure that the envelope reports takes precedence over the `processing` error of a validator, as if the validators
/// ran after the envelope's check. A rejected status and a validator's own `api` error remain, with the server's code
/// and message. After a rejection, bodies of more than 65,536 bytes are not searched for an envelope. The validators of a
/// successful streamed response get its head with an empty body, and no envelope is read.
///
/// ```swift
/// let stages = Stages(envelope: .codeMessageData)
/// ```
public struct Stages: Sendable {
  /// The validators that run first on each response.
  ///
  /// Default: `nil`, inherited: from the service for a request, from the client for a service.
  public var baseValidators: [any Validator]?
  /// The additional validators, which run after the inherited ones and only on responses accepted by them.
  ///
  /// Default: none.
  public var validators: [any Validator]
  /// The envelope of the payload.
  ///
  /// Default: `nil`, inherited.
  public var envelope: (any Envelope)?
  /// The decoder of payloads.
  ///
  /// Default: `nil`, inherited.
  public var decoder: (any BodyDecoder)?
  /// The mapper of decoded responses.
  ///
  /// Default: `nil`, inherited.
  public var mapper: (any ResponseMapper)?

  /// Creates stages.
  ///
  /// - Parameters:
  ///   - baseValidators: The validators that run first on each response. Default: inherited.
  ///   - validators: The validators that run after the inherited ones. Default: none.
  ///   - envelope: The envelope of the payload. Default: inherited.
  ///   - decoder: The decoder of payloads. Default: inherited.
  ///   - mapper: The mapper of decoded responses. Default: inherited.
  public init(
    baseValidators: [any Validator]? = nil, validators: [any Validator] = [], envelope: (any Envelope)? = nil,
    decoder: (any BodyDecoder)? = nil, mapper: (any ResponseMapper)? = nil
  ) {
    self.baseValidators = baseValidators
    self.validators = validators
    self.envelope = envelope
    self.decoder = decoder
    self.mapper = mapper
  }

  /// Whether everything is inherited.
  var isEmpty: Bool {
    baseValidators == nil && validators.isEmpty && envelope == nil && decoder == nil && mapper == nil
  }

  /// Returns these stages with the overrides of a lower level.
  func replaced(by others: Stages) -> Stages {
    Stages(
      baseValidators: others.baseValidators ?? baseValidators, validators: validators + others.validators,
      envelope: others.envelope ?? envelope, decoder: others.decoder ?? decoder, mapper: others.mapper ?? mapper)
  }
}

/// A stage that validates a response before it is decoded.
public protocol Validator: Sendable {
  /// Returns normally if the response is valid.
  ///
  /// - Parameter response: The response with its body; never a 304.
  /// - Throws: The error to fail with: `server` for a status, `api` for a failure reported in the body.
  func validate(_ response: Response<Data>) throws(NetworkError)
}

/// A wrapper around the payload in every response of a service, with the payload's location and the success check.
///
/// A response without a body fails with a `processing` error, ``NetworkError/Code/invalidEnvelope``, unless the
/// response has none by definition: a 204, 205 or 304, or the response to a `HEAD`.
public protocol Envelope: Sendable {
  /// Unwraps the payload, in the same pass that decodes it.
  ///
  /// - Parameter body: A decoder at the root of the body.
  /// - Returns: The decoder at the payload, the code and the message; each is `nil` if the body has none.
  /// - Throws: An `api` ``NetworkError`` if the response reports that the operation failed, or a `processing` error if
  ///   the wrapper is malformed. The response is added to the error. The code and the message of an `api` error are also
  ///   its ``NetworkError/serverCode`` and ``NetworkError/serverMessage``, unless these are set. If the status is
  ///   rejected, the error of the status has them, too.
  func open(_ body: any Decoder) throws -> (payload: (any Decoder)?, code: String?, message: String?)
}

/// A decoder of response bodies, in JSON or any other format.
public protocol BodyDecoder: Sendable {
  /// Decodes a body.
  ///
  /// - Parameters:
  ///   - type: The type to decode.
  ///   - body: The bytes; never empty.
  ///   - userInfo: Entries to add to the `userInfo` of the `Decoder`, which pass the envelope to the decoded types.
  /// - Returns: The value.
  /// - Throws: A `DecodingError`, which contains the coding path of the problem, or a ``NetworkError`` if the body is
  ///   invalid. Any other error counts as a fault of the app: ``NetworkError/Code/transformFailed``.
  func decode<Value: Decodable>(
    _ type: Value.Type, from body: Data, userInfo: [CodingUserInfoKey: any Sendable]
  ) throws -> Value
}

/// A stage that transforms decoded responses of any type.
public protocol ResponseMapper: Sendable {
  /// Returns the transformed response.
  ///
  /// - Parameter response: The decoded response.
  /// - Returns: The response to deliver.
  /// - Throws: The error to deliver in place of the response.
  func map<Value>(_ response: Response<Value>) throws(NetworkError) -> Response<Value>
}
