/// A stage that transforms decoded responses of any type.
public protocol ResponseMapper: Sendable {
  /// Returns the transformed response.
  ///
  /// - Parameter response: the decoded response.
  /// - Returns: the response to deliver.
  /// - Throws: the error to deliver in its place.
  func map<Value>(_ response: Response<Value>) throws(NetworkError) -> Response<Value>
}
