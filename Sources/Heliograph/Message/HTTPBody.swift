public import Foundation

/// The body of a request.
public enum HTTPBody: Sendable, Hashable {
  /// No body.
  case empty
  /// Data in memory.
  case data(Data)
  /// The content of a file, read while it is sent.
  case file(URL)
  /// A stream of pieces that are made while it is sent.
  case stream(BodyStream)

  /// The size in bytes; `nil` if it is unknown before the body is sent.
  public var byteCount: Int? {
    switch self {
    case .empty: 0
    case .data(let data): data.count
    case .file(let url): url.fileByteCount
    case .stream(let stream): stream.byteCount
    }
  }
}

extension URL {
  /// The size of a file in bytes, also through a symbolic link; `nil` for a folder, a pipe or a missing file.
  var fileByteCount: Int? {
    // The resource values of a link are its own.
    let values = try? resolvingSymlinksInPath().resourceValues(forKeys: [.isRegularFileKey, .fileSizeKey])
    return values?.isRegularFile == true ? values?.fileSize : nil
  }
}
