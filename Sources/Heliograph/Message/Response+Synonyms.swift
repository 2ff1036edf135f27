public import Foundation

extension Response {
  /// Returns the value of a header field; the same as `headers[name]`.
  public func header(_ name: String) -> String? { headers[name] }
}

/// The bytes of a response that is not decoded, such as that of an error, by their names elsewhere.
extension Response<Data> {
  /// The body; the same as ``value``, which is Alamofire's and Moya's name for a decoded value.
  public var data: Data { value }

  /// The body; the same as ``value``.
  public var body: Data { value }
}
