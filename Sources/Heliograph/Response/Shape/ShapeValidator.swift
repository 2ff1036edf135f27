public import Foundation

/// Accepts answers whose JSON has a declared shape.
///
/// The body is read once more than for decoding alone. An empty one is left to the decoder.
public struct ShapeValidator: Validator {
  /// The shape that is accepted.
  public let shape: JSONShape

  /// Makes the validator.
  ///
  /// - Parameter shape: the shape that is accepted.
  public init(_ shape: JSONShape) {
    self.shape = shape
  }

  /// Throws a `processing` error.
  ///
  /// Its code is ``NetworkError/Code/invalidShape`` for another shape, and the reason names the place;
  /// ``NetworkError/Code/malformedBody`` for a body that is no JSON.
  public func validate(_ response: Response<Data>) throws(NetworkError) {
    if response.value.isEmpty { return }
    let value: JSON
    do throws(NetworkError) {
      value = try JSON(data: response.value)
    } catch {
      throw NetworkError(error.domain, error.code, reason: error.reason, response: response)
    }
    guard let mismatch = shape.mismatch(in: value) else { return }
    throw NetworkError(.processing, .invalidShape, reason: mismatch.description, response: response)
  }
}
