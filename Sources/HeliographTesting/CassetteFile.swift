import Foundation
import Heliograph
import Signals

/// The file of a cassette, which several transports of a process may extend at once.
struct CassetteFile: Sendable {
  /// The state of a file after the last write.
  private struct LastWrite {
    let byteCount: UInt64
    let count: Int
  }

  /// The last writes by path; the lock is held while a cassette is written.
  private static let lastWrites = Guarded<[String: LastWrite]>([:])

  let url: URL

  var exists: Bool { FileManager.default.fileExists(atPath: url.path) }

  func exchanges() throws -> [CassetteExchange] {
    try JSONDecoder().decode([CassetteExchange].self, from: Data(contentsOf: url))
  }

  /// Adds an exchange created with its number; O(1), unless another process or the user has changed the file.
  func add(_ exchange: (_ number: Int) -> CassetteExchange) throws -> CassetteExchange {
    try CassetteFile.lastWrites.withLock { lastWrites in
      let byteCount = exists ? try size() : 0
      let lastWrite = lastWrites[url.path]
      let count = byteCount == 0 ? 0 : lastWrite?.byteCount == byteCount ? lastWrite?.count : nil
      // Counts again if another process or the user has changed the file.
      let number = try count ?? exchanges().count
      let added = exchange(number + 1)
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      let isAppended = try number > 0 && append(encoder.encode([added]), after: byteCount)
      if !isAppended {
        try replace(with: encoder.encode((number == 0 ? [] : exchanges()) + [added]))
      }
      lastWrites[url.path] = LastWrite(byteCount: try size(), count: number + 1)
      return added
    }
  }

  private func size() throws -> UInt64 {
    let handle = try FileHandle(forReadingFrom: url)
    defer { try? handle.close() }
    return try handle.seekToEnd()
  }

  /// Overwrites the end of the file's list with a list of one exchange; returns `false` if the file ends differently
  /// than written.
  private func append(_ list: Data, after byteCount: UInt64) throws -> Bool {
    let end = Data("\n]".utf8)
    guard byteCount > end.count else { return false }
    let handle = try FileHandle(forUpdating: url)
    defer { try? handle.close() }
    let position = byteCount - UInt64(end.count)
    try handle.seek(toOffset: position)
    guard try handle.read(upToCount: end.count) == end else { return false }
    try handle.seek(toOffset: position)
    // One call, so that the list stays complete if the process ends.
    try handle.write(contentsOf: Data(",".utf8) + list.dropFirst())
    return true
  }

  /// Replaces the file, with mode 0600: secrets are redacted by field name, so others may remain in it.
  private func replace(with data: Data) throws {
    let temporary = url.deletingLastPathComponent().appendingPathComponent(".\(url.lastPathComponent).\(UUID())")
    let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
    guard FileManager.default.createFile(atPath: temporary.path, contents: data, attributes: attributes),
      rename(temporary.path, url.path) == 0
    else {
      try? FileManager.default.removeItem(at: temporary)
      throw CocoaError(.fileWriteUnknown)
    }
  }
}
