public import Foundation

extension TokenStore {
  /// Returns a store in a folder of files, on every platform.
  ///
  /// Only the user can read the files: they are created with mode 0600, and a new folder with 0700. Files are replaced
  /// atomically, so after a crash or a concurrent write, an entry contains either the previous or the new token. What a
  /// process that ends during a write leaves beside the entry is removed with the entry's next change; on a file system
  /// without locks, with ``removeAll()``. A file that is a link, belongs to another user or is readable by others is
  /// not read. The files are not encrypted, and on Apple's platforms not part of backups: prefer the keychain there.
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
  private static let maximumByteCount = 1 << 20

  let folder: URL
  private let lock: @Sendable (OpenFile) -> Bool

  /// `lock` waits until no other process has locked a file, and locks it; it returns whether the file system can.
  init(_ folder: URL, lock: @escaping @Sendable (OpenFile) -> Bool = { $0.waitForLock() }) {
    self.folder = folder
    self.lock = lock
  }

  private func path(_ key: String) -> String { folder.appendingPathComponent("\(key).token").path }

  /// Returns the path of an entry's temporary file, or of one that only its writer uses.
  private func temporaryPath(_ key: String, _ writer: UUID? = nil) -> String {
    folder.appendingPathComponent(writer.map { "\(key).\($0).new" } ?? "\(key).new").path
  }

  func read(_ key: String) throws -> Data? {
    guard let file = OpenFile.opened(path(key), O_RDONLY) else {
      if errno == ENOENT { return nil }
      throw TokenFolder.unreadable(errno)
    }
    guard let status = file.status else { throw TokenFolder.unreadable(errno) }
    guard status.kind == .file, status.byteCount <= TokenFolder.maximumByteCount else {
      throw TokenFolder.refusal("is not a regular file of up to 1 MiB")
    }
    guard status.owner == geteuid() else { throw TokenFolder.refusal("is owned by another user") }
    guard status.permissions & 0o077 == 0 else {
      throw TokenFolder.refusal("is readable by others; set its mode to 0600")
    }
    guard let data = file.data(count: status.byteCount) else { throw TokenFolder.unreadable(errno) }
    return data
  }

  func write(_ entry: Data?, _ key: String) throws {
    guard let entry else { return try remove(key) }
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw NetworkError(.cannotCreateFile, reason: "token folder cannot be created", underlying: error)
    }
    // No backup takes a token to another device.
    try? folder.excludeFromBackup()
    let (file, temporary): (OpenFile, String)
    switch openTemporary(key, O_CREAT) {
    case .success(let opened): (file, temporary) = opened
    case .failure(let cause):
      throw NetworkError(.cannotCreateFile, reason: "token file cannot be created", underlying: cause)
    }
    // The lock ends after the rename.
    defer { withExtendedLifetime(file) {} }
    var failure: Int32?
    // Written and synchronized before the rename, so that a crash leaves the previous token or the whole new one.
    if !entry.withUnsafeBytes({ file.write($0, at: 0) }) { failure = errno }
    failure = failure ?? file.sync()
    if failure == nil, rename(temporary, path(key)) != 0 { failure = errno }
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
    var keys: Set<String> = []
    for name in names {
      guard let (key, isOfWriter) = TokenFolder.key(in: name) else { continue }
      keys.insert(key)
      if isOfWriter { unlink(folder.appendingPathComponent(name).path) }
    }
    for key in keys { try remove(key) }
  }

  private func remove(_ key: String) throws {
    // A file that a terminated process has left is removed; the writer of a running one finishes first.
    let temporary = try? openTemporary(key).get()
    defer { withExtendedLifetime(temporary?.file) {} }
    if let temporary { unlink(temporary.path) }
    guard unlink(path(key)) == 0 || errno == ENOENT else { throw TokenFolder.unwritable(errno) }
  }

  /// Opens the temporary file of an entry, empties it and locks it against the other processes.
  ///
  /// There is one for each entry, so that the next change of the entry finds what a terminated process has left. On a
  /// file system without locks, each writer has its own.
  private func openTemporary(
    _ key: String, _ flags: Int32 = 0
  ) -> Result<(file: OpenFile, path: String), POSIXError> {
    var path = temporaryPath(key)
    var isShared = true
    var cause = EIO
    for _ in 0..<100 {
      guard let file = OpenFile.opened(path, O_WRONLY | flags) else {
        cause = errno
        // A link, a named pipe or a file without permissions; a file of a running process can be opened.
        if [ELOOP, ENXIO, EACCES].contains(cause), unlink(path) == 0 { continue }
        break
      }
      // Before the wait, too: another user could keep a file locked for ever.
      let isUsable = isPrivate(file, at: path)
      if isUsable == true, isShared, !lock(file) {
        unlink(path)
        (isShared, path) = (false, temporaryPath(key, UUID()))
        continue
      }
      switch isUsable == true ? isPrivate(file, at: path) : isUsable {
      case true? where file.truncate(to: 0): return .success((file, path))
      // Another process has renamed or removed it meanwhile.
      case nil: continue
      default: cause = EACCES
      }
      // Others could read it.
      if unlink(path) != 0 { break }
    }
    return .failure(POSIXError(POSIXErrorCode(rawValue: cause) ?? .EIO))
  }

  /// Returns whether only the user can read an open file; `nil` if it no longer has its path.
  private func isPrivate(_ file: OpenFile, at path: String) -> Bool? {
    guard let status = file.status, status.identity == FileStatus(path: path)?.identity else { return nil }
    return status.kind == .file && status.owner == geteuid() && status.permissions & 0o077 == 0
      && status.linkCount == 1
  }

  /// Returns the key in the name of a file of the store, a hash before `token` or `new`; and whether the file is a
  /// temporary one of a single writer.
  private static func key(in name: String) -> (key: String, isOfWriter: Bool)? {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts[0].utf8.count == 64, parts[0].allSatisfy(\.isHexDigit) else { return nil }
    let isOfWriter = parts.count == 3 && UUID(uuidString: String(parts[1])) != nil && parts[2] == "new"
    guard isOfWriter || (parts.count == 2 && (parts[1] == "token" || parts[1] == "new")) else { return nil }
    return (String(parts[0]), isOfWriter)
  }

  private static func unreadable(_ number: Int32) -> NetworkError {
    refusal("cannot be read", POSIXError(POSIXErrorCode(rawValue: number) ?? .EIO))
  }

  static func unwritable(_ number: Int32) -> NetworkError {
    NetworkError(
      [ENOSPC, EDQUOT].contains(number) ? .diskFull : .cannotWriteFile, reason: "token file cannot be written",
      underlying: POSIXError(POSIXErrorCode(rawValue: number) ?? .EIO))
  }

  private static func refusal(_ reason: String, _ cause: (any Error)? = nil) -> NetworkError {
    NetworkError(.invalidCredentials, reason: "token file \(reason)", underlying: cause)
  }
}
