public import Foundation

/// The body of a request: empty, data, a file or a stream.
public enum HTTPBody: Sendable, Hashable {
  /// No body.
  case empty
  /// Data in memory.
  case data(Data)
  /// The content of a file, read while the body is sent.
  case file(URL)
  /// A stream of pieces that are produced while the body is sent.
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

  /// Whether the body cannot be sent again; see ``BodyStream/isSpent``.
  package var isSpent: Bool { if case .stream(let stream) = self { stream.isSpent } else { false } }
}

extension HTTPBody: _Summarized {
  /// The kind of the body and its size, without its content.
  public var description: String {
    switch self {
    case .empty: "no body"
    case .data(let data): "\(data.count) bytes"
    case .file(let url): "file \(url.lastPathComponent.singleLine)"
    case .stream(let stream): stream.byteCount.map { "stream of \($0) bytes" } ?? "stream"
    }
  }
}

extension URL {
  /// The size of a file in bytes, following symbolic links; `nil` for a folder, a pipe or a missing file, and for a
  /// file that has content but no size, such as `/proc/self/status`.
  package var fileByteCount: Int? {
    // The resource values of an unresolved link describe the link itself.
    let values = try? resolvingSymlinksInPath().resourceValues(forKeys: [.isRegularFileKey, .fileSizeKey])
    guard values?.isRegularFile == true, let count = values?.fileSize else { return nil }
    return count == 0 && hasContent ? nil : count
  }

  private var hasContent: Bool {
    guard let handle = try? FileHandle(forReadingFrom: self) else { return false }
    defer { try? handle.close() }
    return (try? handle.read(upToCount: 1))?.isEmpty == false
  }
}
