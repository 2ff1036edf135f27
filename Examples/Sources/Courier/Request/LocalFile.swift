import Foundation

/// A file to send.
enum LocalFile {
  /// Returns the URL of a file that can be read.
  static func readable(_ path: String) throws(Failure) -> URL {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw Failure(.cannotRead, "there is no file \(path)", "check the path")
    }
    if isFolder.boolValue { throw Failure(.cannotRead, "\(path) is a folder", "send a file, such as an archive of it") }
    guard FileManager.default.isReadableFile(atPath: path) else {
      throw Failure(.cannotRead, "\(path) may not be read", "check its permissions")
    }
    return URL(fileURLWithPath: path)
  }

  /// Returns the content of a file or pipe.
  static func content(_ path: String) throws(Failure) -> Data {
    let file = try readable(path)
    do {
      // `Data(contentsOf:)` refuses pipes on Linux.
      return try FileHandle(forReadingFrom: file).readToEnd() ?? Data()
    } catch {
      throw Failure(.cannotRead, "\(path) cannot be read", "check its permissions")
    }
  }
}
