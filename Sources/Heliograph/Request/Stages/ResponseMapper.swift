/// Changes responses when they are decoded, whatever their type.
public protocol ResponseMapper: Sendable {
  /// The response as the app wants it.
  ///
  /// - Parameter response: the decoded response.
  /// - Returns: the response to deliver.
  /// - Throws: the error to deliver in its place.
  func map<Value: Sendable>(_ response: Response<Value>) throws(NetworkError) -> Response<Value>
}
