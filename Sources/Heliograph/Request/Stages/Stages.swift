/// The stages that validate and read a response: validate, unwrap, decode, map.
///
/// A client has all stages. A service, and then a request, replaces the stages that it states and inherits the others.
/// All run in this order, off the main thread:
///
/// | stage | does | default |
/// |---|---|---|
/// | ``baseValidators``, then ``validators`` | validate the received response | ``StatusValidator`` |
/// | ``envelope`` | unwraps the payload and checks for success | `.plain` |
/// | ``decoder`` | decodes the payload to a value | ``JSONCoding`` |
/// | ``mapper`` | transforms the decoded response | none |
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
  ///   - baseValidators: the validators that run first on each response. Default: inherited.
  ///   - validators: the validators that run after the inherited ones. Default: none.
  ///   - envelope: the envelope of the payload. Default: inherited.
  ///   - decoder: the decoder of payloads. Default: inherited.
  ///   - mapper: the mapper of decoded responses. Default: inherited.
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

  /// Returns these stages with the overrides of a lower level.
  ///
  /// - Parameter others: the stages that replace these or are added to them.
  /// - Returns: the stages.
  func replaced(by others: Stages) -> Stages {
    Stages(
      baseValidators: others.baseValidators ?? baseValidators, validators: validators + others.validators,
      envelope: others.envelope ?? envelope,
      decoder: others.decoder ?? decoder, mapper: others.mapper ?? mapper)
  }
}
