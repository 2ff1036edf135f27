public import Foundation

/// Parts that are appended one by one, with Alamofire's labels or shorter ones.
extension Multipart {
  /// Appends a text field; the same as ``Part/text(_:_:)``.
  public mutating func append(_ text: String, name: String) { append(.text(name, text)) }

  /// Appends a file, which is read while it is sent; the same as ``Part/file(_:_:fileName:contentType:)``.
  public mutating func append(file: URL, name: String, fileName: String? = nil, contentType: String? = nil) {
    append(.file(name, file, fileName: fileName, contentType: contentType))
  }

  /// Appends bytes with Alamofire's labels; the same as ``Part/data(_:_:fileName:contentType:)``.
  public mutating func append(_ data: Data, withName name: String, fileName: String? = nil, mimeType: String? = nil) {
    append(.data(name, data, fileName: fileName, contentType: mimeType))
  }

  /// Appends a file with Alamofire's labels; the same as ``Part/file(_:_:fileName:contentType:)``.
  public mutating func append(_ file: URL, withName name: String, fileName: String? = nil, mimeType: String? = nil) {
    append(.file(name, file, fileName: fileName, contentType: mimeType))
  }
}
