/// A wrapper around the payload in every response of a service, with the payload's location and the success check.
///
/// A response without a body fails with a `processing` error, ``NetworkError/Code/invalidEnvelope``, unless it has none by
/// definition: a 204, 205 or 304, or the response to a `HEAD`.
public protocol Envelope: Sendable {
  /// Opens the wrapper, in the same pass that decodes the payload.
  ///
  /// - Parameter answer: The decoder at the root of the body.
  /// - Returns: The payload's location and the fields around it.
  /// - Throws: An `api` ``NetworkError`` if the response reports that the operation failed, or a `processing` error if
  ///   the wrapper is malformed. The response is added to the error.
  func open(_ answer: any Decoder) throws -> OpenedEnvelope
}

/// The content of an envelope.
public struct OpenedEnvelope {
  /// A decoder at the payload; `nil` if there is none.
  public var payload: (any Decoder)?
  /// The code in the envelope.
  public var code: String?
  /// The message in the envelope.
  public var message: String?

  /// Creates the content of an envelope.
  ///
  /// - Parameters:
  ///   - payload: A decoder at the payload; `nil` if there is none.
  ///   - code: The code in the envelope. Default: none.
  ///   - message: The message in the envelope. Default: none.
  public init(payload: (any Decoder)?, code: String? = nil, message: String? = nil) {
    self.payload = payload
    self.code = code
    self.message = message
  }
}
