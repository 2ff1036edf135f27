import Foundation

/// The folder of a disk store: 256 subfolders with entries, and one with temporary files.
///
/// Subfolders are created when a file needs them, so that a store survives the removal of its folder. Other files in
/// the folder are left alone. Nothing is written to a subfolder of another user, who could replace its files.
struct EntryFolder: Sendable {
  enum Opening {
    case file(OpenFile)
    /// There is no file, or it cannot be opened at the moment.
    case absent
    /// Something other than a readable file has the name.
    case invalid
  }

  let path: String

  /// Creates the folder, and those above it; throws if it cannot be written, or belongs to another user.
  init(_ url: URL) throws {
    guard url.isFileURL else { throw CocoaError(.fileNoSuchFile) }
    path = url.standardizedFileURL.path
    try create()
    guard access(path, R_OK | W_OK | X_OK) == 0 else { throw CocoaError(.fileWriteNoPermission) }
  }

  func path(of name: EntryName) -> String {
    let folder = path.utf8
    let count = folder.count + 4 + EntryName.digitCount
    return String(unsafeUninitializedCapacity: count) { buffer in
      _ = UnsafeMutableBufferPointer(rebasing: buffer.prefix(folder.count)).initialize(from: folder)
      var index = folder.count
      for byte in [0x2F, name.shard.highHexDigit | 0x20, name.shard.lowHexDigit | 0x20, 0x2F] {
        buffer[index] = byte
        index += 1
      }
      name.write(to: UnsafeMutableBufferPointer(rebasing: buffer[index...]))
      return count
    }
  }

  func path(ofShard shard: UInt8) -> String { path + "/" + [shard].hexadecimal }

  var temporaryPath: String { path + "/temporary" }

  func path(of temporary: TemporaryName) -> String { temporaryPath + "/" + temporary.text }

  func open(_ name: EntryName) -> Opening {
    while true {
      if let file = OpenFile.opened(path(of: name), O_RDONLY) { return .file(file) }
      switch errno {
      case EINTR: continue
      // A link, a socket, or no permission.
      case ELOOP, ENXIO, EACCES, EISDIR: return .invalid
      // Also without a free descriptor, or EPERM: a locked phone protects its files.
      default: return .absent
      }
    }
  }

  /// Whether the entry's file exists, or cannot be looked for, such as in a subfolder without permission.
  func mayContain(_ name: EntryName) -> Bool {
    access(path(of: name), F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR)
  }

  /// Creates a temporary file for writing, and locks it; `nil` if that fails.
  func create(_ temporary: TemporaryName) -> OpenFile? {
    for _ in 0..<2 {
      guard hasTrusted(temporaryPath) || make(temporaryPath) else { return nil }
      if let file = OpenFile.opened(path(of: temporary), O_RDWR | O_CREAT | O_EXCL) {
        _ = file.lock()
        return file
      }
      // The subfolder was removed meanwhile.
      guard errno == ENOENT || errno == ENOTDIR else { return nil }
    }
    return nil
  }

  /// Whether no process is still writing a temporary file: its lock is free.
  ///
  /// The process ID is not sufficient: in a container another process may have the same one.
  func isAbandoned(_ temporary: TemporaryName) -> Bool {
    OpenFile.opened(path(of: temporary), O_RDONLY).map { $0.lock() == nil } ?? false
  }

  /// Renames a temporary file to its entry, replacing a previous one; returns whether it succeeded.
  func publish(_ temporary: TemporaryName) -> Bool {
    let shard = path(ofShard: temporary.entry.shard)
    for _ in 0..<2 {
      guard hasTrusted(shard) || make(shard) else { return false }
      if rename(path(of: temporary), path(of: temporary.entry)) == 0 { return true }
      switch errno {
      // The subfolder was removed meanwhile, or the temporary file.
      case ENOENT, ENOTDIR: continue
      case EISDIR, ENOTEMPTY, EEXIST: _ = remove(temporary.entry)
      default: return false
      }
    }
    return false
  }

  func touch(_ name: EntryName) { _ = utimensat(AT_FDCWD, path(of: name), nil, AT_SYMLINK_NOFOLLOW) }

  /// Removes the entry's file, or a folder of that name; returns whether anything was removed.
  @discardableResult
  func remove(_ name: EntryName) -> Bool {
    let path = path(of: name)
    if unlink(path) == 0 { return true }
    // Another user could direct the removal to other files by a link.
    guard errno == EISDIR || errno == EPERM, FileStatus(path: path)?.kind == .folder,
      hasTrusted(self.path(ofShard: name.shard))
    else { return false }
    return (try? FileManager.default.removeItem(atPath: path)) != nil
  }

  func remove(_ temporary: TemporaryName) {
    _ = unlink(path(of: temporary))
  }

  /// The free bytes on the disk; `nil` if the system does not report them.
  var availableByteCount: Int64? {
    var status = statvfs()
    // A file system in memory or in another process may count no blocks at all.
    guard statvfs(path, &status) == 0, status.f_blocks > 0 else { return nil }
    let (count, isTooLarge) = Int64(clamping: status.f_bavail).multipliedReportingOverflow(
      by: Int64(clamping: status.f_frsize))
    return isTooLarge ? .max : count
  }

  /// Creates the folder itself and excludes it from backups; throws if it belongs to another user.
  private func create() throws {
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try checkOwner()
    // A cache needs no backup, because it can be loaded again. Files have the app's default protection.
    try? URL(fileURLWithPath: path, isDirectory: true).excludeFromBackup()
  }

  /// Throws if the folder, or the one that a link of its name leads to, belongs to another user.
  private func checkOwner() throws {
    let status = try OpenFile(reading: URL(fileURLWithPath: path)).status
    guard status?.isTrusted == true else {
      throw NetworkError(.invalidTransport, reason: "the cache folder \(path.singleLine) belongs to another user")
    }
  }

  /// Returns whether a subfolder exists that no other user can change.
  private func hasTrusted(_ subfolder: String) -> Bool {
    guard let status = FileStatus(path: subfolder) else { return false }
    return status.kind == .folder && status.isTrusted
  }

  /// Creates a subfolder, and the folder if it is missing; returns whether the subfolder exists.
  private func make(_ subfolder: String) -> Bool {
    for attempt in 0..<2 {
      if mkdir(subfolder, 0o700) == 0 {
        // The folder may have been removed, and created by another user.
        if (try? checkOwner()) != nil { return true }
        rmdir(subfolder)
        return false
      }
      switch errno {
      case EEXIST:
        if hasTrusted(subfolder) { return true }
        // A file has the subfolder's name, or another user's folder, which is replaced only if it is empty.
        guard attempt == 0, unlink(subfolder) == 0 || rmdir(subfolder) == 0 else { return false }
      case ENOENT:
        guard attempt == 0, (try? create()) != nil else { return false }
      default: return false
      }
    }
    return false
  }
}

// The names in the folder.
extension EntryFolder {
  /// The age from which a temporary file is removed, even if another process may be writing it: an hour, in
  /// nanoseconds.
  private static let staleAge: Int64 = 3_600_000_000_000

  /// Returns the names of the entries in a subfolder, without other names; `nil` if it cannot be read.
  func names(inShard shard: UInt8) -> [EntryName]? {
    var names: [EntryName] = []
    // All names are read before any file is removed: some file systems would skip others otherwise.
    let isRead = Self.readNames(path(ofShard: shard)) { bytes, _ in
      if let name = EntryName(utf8: bytes), name.shard == shard { names.append(name) }
    }
    return isRead ? names : nil
  }

  /// Calls a closure with the name and status of each file that is named like an entry.
  func readStatuses(inShard shard: UInt8, _ body: (EntryName, FileStatus) -> Void) {
    _ = Self.readNames(path(ofShard: shard)) { bytes, folder in
      guard let name = EntryName(utf8: bytes), name.shard == shard, let start = bytes.baseAddress else { return }
      let status = start.withMemoryRebound(to: CChar.self, capacity: bytes.count + 1) {
        FileStatus(folder: folder, name: $0)
      }
      if let status, status.kind == .file { body(name, status) }
    }
  }

  /// Returns the names of the temporary files, without other names; `nil` if they cannot be read.
  func temporaryNames() -> [TemporaryName]? {
    var names: [TemporaryName] = []
    let isRead = Self.readNames(temporaryPath) { bytes, _ in
      if let name = TemporaryName(String(decoding: bytes, as: UTF8.self)) { names.append(name) }
    }
    return isRead ? names : nil
  }

  /// Removes temporary files of other processes that no process has open or that were not written for an hour.
  func removeStaleTemporaries() {
    let limit = FileStatus.now - Self.staleAge
    for name in temporaryNames() ?? [] where !name.isOwn {
      if isAbandoned(name) || FileStatus(path: path(of: name)).map({ $0.modifiedAt < limit }) == true {
        remove(name)
      }
    }
  }

  /// Removes temporary files of entries, so that their writers, also in other processes, can no longer commit.
  ///
  /// It returns the entries; `nil` if the names cannot be read.
  @discardableResult
  func removeTemporaries(where isRemoved: (EntryName) -> Bool) -> [EntryName]? {
    temporaryNames()?.compactMap { name in
      guard isRemoved(name.entry) else { return nil }
      remove(name)
      return name.entry
    }
  }

  /// Calls a closure with each zero-terminated name in a folder, and with its descriptor; returns whether the folder
  /// was read, is absent or belongs to another user: `false` if no descriptor is free.
  private static func readNames(_ path: String, _ body: (UnsafeBufferPointer<UInt8>, Int32) -> Void) -> Bool {
    if FileStatus(path: path)?.isTrusted == false { return true }
    guard let folder = opendir(path), let offset = MemoryLayout<dirent>.offset(of: \.d_name) else {
      return errno == ENOENT || errno == ENOTDIR
    }
    defer { closedir(folder) }
    while true {
      errno = 0
      guard let entry = readdir(folder) else { return errno == 0 }
      // By address: an entry is shorter than its declared type and must not be copied.
      let name = (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: UInt8.self)
      var count = 0
      while name[count] != 0 { count += 1 }
      body(UnsafeBufferPointer(start: name, count: count), dirfd(folder))
    }
  }
}
