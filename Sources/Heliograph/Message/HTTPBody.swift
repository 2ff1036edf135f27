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
    case .file(let url): try? url.resourceValues(forKeys: [.fileSizeKey]).fileSize
    case .stream(let stream): stream.byteCount
    }
  }
}
