import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The place for the content of a download.
enum Destination: Sendable {
  /// Standard output.
  case output
  /// A device or pipe such as `/dev/null`, which must be written to and never replaced.
  case device(String)
  /// A file, which is replaced when the content is whole.
  case file(DestinationFile)

  /// Creates a destination.
  ///
  /// - Parameters:
  ///   - path: the path of a file or folder, or `-`; `nil` for the current folder.
  ///   - address: the URL, which names a file without a name.
  init(_ path: String?, for address: Address) {
    if path == "-" {
      self = .output
      return
    }
    let path = path ?? "."
    let type = Self.type(atPath: path)
    if let type, type != S_IFREG, type != S_IFDIR {
      self = .device(path)
      return
    }
    // A link stays, and what it leads to is replaced.
    let url = type == S_IFREG ? URL(fileURLWithPath: path).resolvingSymlinksInPath() : URL(fileURLWithPath: path)
    let isFolder = type == S_IFDIR || path.hasSuffix("/")
    self = .file(DestinationFile(url: isFolder ? url.appendingPathComponent(address.fileName) : url))
  }

  /// The type of a file, through links; `nil` if there is none.
  static func type(atPath path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }
}

/// The file of a download.
struct DestinationFile: Sendable {
  let url: URL

  var name: String { url.lastPathComponent }

  /// The size of the file; `nil` if there is none.
  var byteCount: Int? { Self.byteCount(atPath: url.path) }

  /// The size of the part that a download has left; `nil` if the next one cannot continue it, for lack of a journal.
  var partByteCount: Int? {
    guard FileManager.default.fileExists(atPath: url.path + ".part.journal") else { return nil }
    return Self.byteCount(atPath: url.path + ".part").flatMap { $0 > 0 ? $0 : nil }
  }

  private static func byteCount(atPath path: String) -> Int? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.size] as? NSNumber)?.intValue
  }
}
