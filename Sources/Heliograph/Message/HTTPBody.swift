public import Foundation

/// The body of a request.
public enum HTTPBody: Sendable, Hashable {
  /// No body.
  case empty
  /// Bytes in memory.
  case data(Data)
  /// The content of a file, read while it is sent.
  case file(URL)
  /// Pieces that are made while it is sent.
  case stream(BodyStream)

  /// How many bytes it has; `nil` where that is not known before it is sent.
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
  /// How many bytes a file has, also behind a symbolic link; `nil` for a folder, a pipe or nothing.
  var fileByteCount: Int? {
    // A link's own values are those of the link.
    let values = try? resolvingSymlinksInPath().resourceValues(forKeys: [.isRegularFileKey, .fileSizeKey])
    return values?.isRegularFile == true ? values?.fileSize : nil
  }
}
