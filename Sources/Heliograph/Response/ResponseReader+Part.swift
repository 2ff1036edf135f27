import Foundation

extension ResponseReader {
  /// Returns the value decoded from a part of a body, such as a line, without envelope and mapper.
  ///
  /// - Throws: A `processing` error with the part as the body of its response.
  func decode<Value: Decodable>(
    _ type: Value.Type, from part: Response<Data>, prefix: String
  ) throws(NetworkError) -> Value {
    do {
      if type is any JSONShaped.Type {
        return try decoder.decode(Shaped<Value>.self, from: part.value, userInfo: [:]).value
      }
      return try decoder.decode(type, from: part.value, userInfo: [:])
    } catch {
      throw failure(error, part, of: type, prefix: prefix)
    }
  }
}
