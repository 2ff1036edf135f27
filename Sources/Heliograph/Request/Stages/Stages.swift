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
