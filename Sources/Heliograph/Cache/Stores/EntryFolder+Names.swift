import Foundation

// The names in the folder.
extension EntryFolder {
  /// The age from which a temporary file is removed, even if another process may be writing it: an hour, in nanoseconds.
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

  /// Removes temporary files of the entries that meet a condition.
  ///
  /// Their writers, in this and other processes, can then no longer commit.
  ///
  /// - Returns: The entries; `nil` if the names cannot be read.
  @discardableResult
  func removeTemporaries(where isRemoved: (EntryName) -> Bool) -> [EntryName]? {
    temporaryNames()?.compactMap { name in
      guard isRemoved(name.entry) else { return nil }
      remove(name)
      return name.entry
    }
  }

  /// Calls a closure with each zero-terminated name in a folder, and with the folder's descriptor.
  ///
  /// - Returns: Whether the folder was read or does not exist; `false` if no descriptor is free.
  private static func readNames(_ path: String, _ body: (UnsafeBufferPointer<UInt8>, Int32) -> Void) -> Bool {
    guard let folder = opendir(path), let offset = MemoryLayout<dirent>.offset(of: \.d_name) else {
      return errno == ENOENT || errno == ENOTDIR
    }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      // By address: an entry is shorter than its declared type and must not be copied.
      let name = (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: UInt8.self)
      var count = 0
      while name[count] != 0 { count += 1 }
      body(UnsafeBufferPointer(start: name, count: count), dirfd(folder))
    }
    return true
  }
}
