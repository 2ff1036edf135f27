public import Foundation

/// Parts that are appended one by one.
extension Multipart {
  /// Appends a text field; the same as ``Part/text(_:_:)``.
  public mutating func append(_ text: String, name: String) { append(.text(name, text)) }

  /// Appends a file, which is read while it is sent; the same as ``Part/file(_:_:fileName:contentType:)``.
  public mutating func append(file: URL, name: String, fileName: String? = nil, contentType: String? = nil) {
    append(.file(name, file, fileName: fileName, contentType: contentType))
  }
}
