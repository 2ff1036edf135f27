import Foundation
import Heliograph

/// The file of a cassette, which several transports of a process may extend at once.
struct CassetteFile: Sendable {
  private struct LastWrite {
    var byteCount: UInt64
    /// Whether the file has no exchanges.
    var isEmpty: Bool
    /// The number of the last request that was sent.
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

  /// Whether the file exists, also if it cannot be examined: it must not be replaced.
  var exists: Bool { access(path, F_OK) == 0 || ![ENOENT, ENOTDIR].contains(errno) }

  /// Returns the exchanges in the order of their requests, after a write in progress; none if it `isNew` and the file
  /// is missing.
  func exchanges(orNew isNew: Bool) throws -> [CassetteExchange] {
    let exchanges = try CassetteFile.lastWrites.withLock { _ in isNew && !exists ? [] : try read() }
    // Those of an earlier version have no number and are first, in the order of the file: the sort is stable.
    return exchanges.sorted { $0.number ?? 0 < $1.number ?? 0 }
  }

  private func read() throws -> [CassetteExchange] {
    try JSONDecoder().decode([CassetteExchange].self, from: Data(contentsOf: url))
  }

  /// Returns the number of a request that is about to be sent: one more than that of the last exchange or request.
  ///
  /// A response could not be written without the folder, which is created.
  func startRequest() throws -> Int {
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    return try CassetteFile.lastWrites.withLock { lastWrites in
      var write = try takeLastWrite(&lastWrites)
      write.number += 1
      lastWrites[path] = write
      return write.number
    }
  }

  /// Returns the last write, which is removed so that it is counted again after a failure and changed in place; it is
  /// counted again if another process or the user has changed the file.
  private func takeLastWrite(_ lastWrites: inout [String: LastWrite]) throws -> LastWrite {
    let byteCount = exists ? try size() : 0
    if let write = lastWrites.removeValue(forKey: path), write.byteCount == byteCount { return write }
    let exchanges = byteCount == 0 ? [] : try read()
    // Exchanges may have been removed. No recording writes a greater number, which would overflow.
    let numbers = exchanges.flatMap { [$0.variant, $0.number].compactMap(\.self) }.filter { $0 <= 1_000_000_000 }
    return LastWrite(
      byteCount: byteCount, isEmpty: exchanges.isEmpty, number: max(exchanges.count, numbers.max() ?? 0))
  }

  /// Adds an exchange created with its variant, the known one if any, and its placeholders; O(1), unless another
  /// process or the user has changed the file.
  ///
  /// The number is that of ``startRequest()``.
  func add(
    _ request: CassetteRequest, number: Int, variant known: Int?,
    _ exchange: (_ variant: Int?, _ placeholders: inout CassettePlaceholders) -> CassetteExchange
  ) throws -> CassetteExchange {
    try CassetteFile.lastWrites.withLock { lastWrites in
      var write = try takeLastWrite(&lastWrites)
      write.number = max(write.number, number)
      let variant = request.digest.map { known ?? write.variants[$0] ?? number }
      if let digest = request.digest { write.variants[digest] = variant }
      write.placeholders.startExchange(number)
      let added = exchange(variant, &write.placeholders)
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      let isAppended = try !write.isEmpty && append(encoder.encode([added]), after: write.byteCount)
      if !isAppended {
        try replace(with: encoder.encode((write.isEmpty ? [] : read()) + [added]))
      }
      (write.byteCount, write.isEmpty) = (try size(), false)
      lastWrites[path] = write
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
    // A file from a repository is readable by others. That of another user keeps its mode.
    _ = fchmod(handle.fileDescriptor, 0o600)
    let position = byteCount - UInt64(end.count)
    try handle.seek(toOffset: position)
    guard try handle.read(upToCount: end.count) == end else { return false }
    try handle.seek(toOffset: position)
    do {
      // One call, so that the list stays complete if the process ends.
      try handle.write(contentsOf: Data(",".utf8) + list.dropFirst())
    } catch {
      // A full disk may take a part of it.
      try? handle.truncate(atOffset: position)
      try? handle.write(contentsOf: end)
      throw error
    }
    return true
  }

  /// Replaces the file, with mode 0600: secrets are redacted by field name, so others may remain in it.
  private func replace(with data: Data) throws {
    let temporary = url.deletingLastPathComponent().appendingPathComponent(".\(url.lastPathComponent).\(UUID())")
    let descriptor = open(temporary.path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
    guard descriptor >= 0 else { throw CassetteFile.systemError }
    do {
      let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
      try handle.write(contentsOf: data)
      try handle.close()
      if rename(temporary.path, url.path) != 0 { throw CassetteFile.systemError }
    } catch {
      try? FileManager.default.removeItem(at: temporary)
      throw error
    }
  }

  private static var systemError: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}

extension URL {
  /// The URL of a file, perhaps a link, without the links of its folder.
  fileprivate var inResolvedFolder: URL {
    let file = standardizedFileURL
    return file.deletingLastPathComponent().resolvingSymlinksInPath().appendingPathComponent(file.lastPathComponent)
  }
}
