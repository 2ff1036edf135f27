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
