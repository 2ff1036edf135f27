public import Foundation

extension TokenStore {
  /// Returns a store in a folder of files, on every platform.
  ///
  /// Only the user can read the files: they are created with mode 0600, and a new folder with 0700. Files are replaced
  /// atomically, so after a crash or a concurrent write, an entry contains either the previous or the new token. A file
  /// that is a link, belongs to another user or is readable by others is not read. The files are not encrypted: on
  /// Apple's platforms prefer the keychain.
  /// - Parameter folder: The folder, which must contain nothing else; it is created with the first token. File names
  ///   are hashes.
  /// - Returns: The store, which has not read or written anything yet.
  public static func file(in folder: URL) -> TokenStore {
    let files = TokenFolder(folder)
    return TokenStore(read: files.read, write: files.write, removeAll: files.removeAll)
  }

  /// Returns a new store in memory, for tests and previews.
  public static func memory() -> TokenStore {
    let entries = Guarded<[String: Data]>([:])
    return TokenStore { key in
      entries.withLock { $0[key] }
    } write: { entry, key in
      entries.withLock { $0[key] = entry }
    } removeAll: {
      entries.withLock { $0 = [:] }
    }
  }
}

/// A folder of files that only the user can read, one for each entry.
struct TokenFolder: Sendable {
  private static let suffix = ".token"
  private static let maximumByteCount = 1 << 20

  let folder: URL

  init(_ folder: URL) {
    self.folder = folder
  }

  func path(_ key: String) -> String { folder.appendingPathComponent(key + TokenFolder.suffix).path }

  func read(_ key: String) throws -> Data? {
    // Non-blocking, in case of a named pipe instead of the file.
    let descriptor = open(path(key), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw TokenFolder.unreadable(errno)
    }
    let file = OpenFile(descriptor: descriptor)
    guard let status = file.status else { throw TokenFolder.unreadable(errno) }
    guard status.kind == .file, status.byteCount <= TokenFolder.maximumByteCount else {
      throw TokenFolder.refusal("is not a regular file of up to 1 MiB")
    }
    guard status.owner == geteuid() else { throw TokenFolder.refusal("is owned by another user") }
    guard status.permissions & 0o077 == 0 else {
      throw TokenFolder.refusal("is readable by others; set its mode to 0600")
    }
    var data = Data(count: status.byteCount)
    guard let count = data.withUnsafeMutableBytes({ file.read(into: $0, at: 0) }) else {
      throw TokenFolder.unreadable(errno)
    }
    return data.prefix(count)
  }

  func write(_ entry: Data?, _ key: String) throws {
    let path = path(key)
    guard let entry else {
      guard unlink(path) == 0 || errno == ENOENT else { throw TokenFolder.unwritable(errno) }
      // Also removes temporary files of processes that ended before the rename.
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
      for name in names where name.hasPrefix("\(key).") { unlink(folder.appendingPathComponent(name).path) }
      return
    }
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw NetworkError(.cannotCreateFile, reason: "token folder cannot be created", underlying: error)
    }
    let temporary = folder.appendingPathComponent("\(key).\(UUID().uuidString)").path
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      let cause = errno
      throw NetworkError(
        .cannotCreateFile, reason: "token file cannot be created",
        underlying: POSIXError(POSIXErrorCode(rawValue: cause) ?? .EIO))
    }
    let file = OpenFile(descriptor: descriptor)
    var failure: Int32?
    // Written and synchronized before the rename, so that a crash leaves the previous token or the whole new one.
    if !entry.withUnsafeBytes({ file.write($0, at: 0) }) { failure = errno }
    failure = failure ?? file.sync()
    if failure == nil, rename(temporary, path) != 0 { failure = errno }
    if let failure {
      unlink(temporary)
      throw TokenFolder.unwritable(failure)
    }
  }

  func removeAll() throws {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    } catch CocoaError.fileReadNoSuchFile, CocoaError.fileNoSuchFile {
      return
    } catch {
      throw NetworkError(.cannotWriteFile, reason: "token folder cannot be read", underlying: error)
    }
    // Including temporary files of terminated processes.
    for name in names where TokenFolder.isOwn(name) {
      guard unlink(folder.appendingPathComponent(name).path) == 0 || errno == ENOENT else {
        throw TokenFolder.unwritable(errno)
      }
    }
  }

  /// Whether a file is named by the store: a hash, and `token` or an identifier.
  private static func isOwn(_ name: String) -> Bool {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].utf8.count == 64, parts[0].allSatisfy(\.isHexDigit) else { return false }
    return parts[1] == suffix.dropFirst() || UUID(uuidString: String(parts[1])) != nil
  }

  private static func unreadable(_ number: Int32) -> NetworkError {
    refusal("cannot be read", POSIXError(POSIXErrorCode(rawValue: number) ?? .EIO))
  }

  private static func unwritable(_ number: Int32) -> NetworkError {
    NetworkError(
      .cannotWriteFile, reason: "token file cannot be written",
      underlying: POSIXError(POSIXErrorCode(rawValue: number) ?? .EIO))
  }

  private static func refusal(_ reason: String, _ cause: (any Error)? = nil) -> NetworkError {
    NetworkError(.invalidCredentials, reason: "token file \(reason)", underlying: cause)
  }
}
