import Foundation
import Heliograph

/// The file of a cassette, which several transports of a process may extend at once.
struct CassetteFile: Sendable {
  private struct LastWrite {
    var byteCount: UInt64
    /// The number of the last exchange.
    var number: Int
    /// The variants of the requests with secrets, by digest.
    var variants: [[UInt8]: Int] = [:]
    var placeholders = CassettePlaceholders()
  }

  /// The last writes by path; the lock is held while a cassette is written.
  private static let lastWrites = Guarded<[String: LastWrite]>([:])

  /// The URL without links, which is the same for each spelling of it.
  let url: URL
  private var path: String { url.path }

  init(url: URL) {
    var (file, linkCount) = (url.inResolvedFolder, 0)
    // The file to which links lead may not exist yet. Links may be circular.
    while linkCount < 32, let target = try? FileManager.default.destinationOfSymbolicLink(atPath: file.path) {
      file = URL(fileURLWithPath: target, relativeTo: file.deletingLastPathComponent()).inResolvedFolder
      linkCount += 1
    }
    self.url = file
  }

  var exists: Bool { FileManager.default.fileExists(atPath: url.path) }

  /// Returns the exchanges, after a write in progress; none if it `isNew` and the file is missing.
  func exchanges(orNew isNew: Bool) throws -> [CassetteExchange] {
    try CassetteFile.lastWrites.withLock { _ in isNew && !exists ? [] : try read() }
  }

  private func read() throws -> [CassetteExchange] {
    try JSONDecoder().decode([CassetteExchange].self, from: Data(contentsOf: url))
  }

  /// Adds an exchange created with its variant, the known one if any, and its placeholders; O(1), unless another
  /// process or the user has changed the file.
  func add(
    _ request: CassetteRequest, variant known: Int?,
    _ exchange: (_ variant: Int?, _ placeholders: inout CassettePlaceholders) -> CassetteExchange
  ) throws -> CassetteExchange {
    try CassetteFile.lastWrites.withLock { lastWrites in
      let byteCount = exists ? try size() : 0
      // Removed, so that it is counted again after a failure, and changed in place.
      var write = lastWrites.removeValue(forKey: path) ?? LastWrite(byteCount: 0, number: 0)
      // Counts again if another process or the user has changed the file.
      if byteCount == 0 || write.byteCount != byteCount {
        write = LastWrite(byteCount: byteCount, number: try byteCount == 0 ? 0 : lastNumber())
      }
      let isNew = write.number == 0
      write.number += 1
      let variant = request.digest.map { known ?? write.variants[$0] ?? write.number }
      if let digest = request.digest { write.variants[digest] = variant }
      write.placeholders.startExchange(write.number)
      let added = exchange(variant, &write.placeholders)
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      let isAppended = try !isNew && append(encoder.encode([added]), after: byteCount)
      if !isAppended {
        try replace(with: encoder.encode((isNew ? [] : read()) + [added]))
      }
      write.byteCount = try size()
      lastWrites[path] = write
      return added
    }
  }

  /// Returns the number of the last exchange; exchanges before it may have been removed.
  private func lastNumber() throws -> Int {
    let exchanges = try read()
    // No recording writes a greater number, which would overflow.
    return max(exchanges.count, exchanges.compactMap(\.variant).filter { $0 <= 1_000_000_000 }.max() ?? 0)
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
    // A file from a repository is readable by others. That of another user keeps its mode.
    _ = fchmod(handle.fileDescriptor, 0o600)
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

extension URL {
  /// The URL of a file, perhaps a link, without the links of its folder.
  fileprivate var inResolvedFolder: URL {
    let file = standardizedFileURL
    return file.deletingLastPathComponent().resolvingSymlinksInPath().appendingPathComponent(file.lastPathComponent)
  }
}
