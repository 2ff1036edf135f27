public import Foundation

extension JSONShape: Validator {
  /// Throws a `processing` error if the body does not have the shape.
  ///
  /// The body is parsed once in addition to decoding. An empty body is left to the decoder.
  ///
  /// For a different shape the code is ``NetworkError/Code/invalidShape``, and the reason contains the path; for a body
  /// that is not JSON the code is ``NetworkError/Code/malformedBody``.
  public func validate(_ response: Response<Data>) throws(NetworkError) {
    if response.value.isEmpty { return }
    let value: JSON
    do throws(NetworkError) {
      value = try JSON(data: response.value)
    } catch {
      var error = error
      error.response = response
      throw error
    }
    guard let mismatch = mismatch(in: value) else { return }
    throw NetworkError(.invalidShape, reason: mismatch.description, response: response)
  }
}
