package import Foundation

/// The paths of a download: its destination, and its part and journal beside it.
///
/// Every nonempty part has a journal; a file of that name without one belongs to another program.
struct PartPaths: Sendable {
  let destination: URL
  let part: URL
  let journal: URL

  /// Creates the paths for a file system whose names have at most `nameByteLimit` bytes.
  init(_ destination: URL, nameByteLimit: Int = 255) {
    self.destination = destination
    var base = destination
    let name = destination.lastPathComponent
    let limit = nameByteLimit - ".part.journal".utf8.count
    if name.utf8.count > limit {
      let checksum = Data(name.utf8).withUnsafeBytes { XXH64.checksum(of: $0) }
      let suffix = "-" + String(checksum, radix: 16)
      var prefix = name.unicodeScalars[...]
      while Substring(prefix).utf8.count + suffix.utf8.count > limit { prefix.removeLast() }
      base = destination.deletingLastPathComponent().appendingPathComponent(String(prefix) + suffix)
    }
    part = base.appendingPathExtension("part")
    journal = part.appendingPathExtension("journal")
  }

  /// Opens the journal of the part; `nil` if there is none or it belongs to another user, who could change it.
  func openJournal() throws(NetworkError) -> OpenFile? {
    guard let file = OpenFile.opened(journal.path, O_RDWR) else {
      if errno == ENOENT || errno == EACCES { return nil }
      throw .cannotCreate(journal, errno)
    }
    guard let status = file.status, status.kind == .file else { throw .cannotCreate(journal, EEXIST) }
    return status.owner == geteuid() ? file : nil
  }

  /// Reads a journal; `nil` if its first line is incomplete.
  func record(in file: OpenFile) throws(NetworkError) -> PartRecord? {
    guard let data = file.data(count: min(file.status?.byteCount ?? 0, 268_435_456)) else {
      throw .cannotCreate(journal, errno)
    }
    return PartRecord(data)
  }

  /// Creates the journal of an empty part, replacing an earlier one.
  func createJournal() throws(NetworkError) -> OpenFile {
    unlink(journal.path)
    if let file = OpenFile.opened(journal.path, O_RDWR | O_CREAT | O_EXCL, mode: 0o666) { return file }
    throw .cannotCreate(journal, errno)
  }

  /// Removes a journal, unless the file now belongs to another download.
  func removeJournal(_ file: OpenFile) {
    if file.isAt(journal.path) { unlink(journal.path) }
  }

  /// Removes a part and its journal, unless they now belong to another download.
  func remove(_ file: OpenFile, _ journal: OpenFile?) {
    // First, because a killed process may leave a journal without a part, but no part without a journal.
    if file.isAt(part.path), unlink(part.path) != 0 { return }
    if let journal { removeJournal(journal) }
  }

  /// Removes a part that is to be replaced, still locked, so that no other download opens it meanwhile.
  ///
  /// It is not emptied: on a file system without locks another download may be writing to it, which then fails, and a
  /// second name may be that of another program's file or a backup.
  func removeReplaced(_ file: OpenFile) throws(NetworkError) {
    guard file.isAt(part.path) else { throw .cannotWrite(part, ENOENT) }
    if unlink(part.path) != 0 { throw .cannotWrite(part, errno) }
  }

  /// Creates the new file in place of a part that was removed and closed.
  func replacement() throws(NetworkError) -> OpenFile {
    let file = try openLocked()
    // Another download may have begun before.
    guard file.status?.byteCount == 0 else { throw inUse }
    return file
  }

  /// Moves the part to its destination, atomically.
  func moveToDestination(_ file: OpenFile, _ journal: OpenFile?, _ options: DownloadOptions) throws(NetworkError) {
    guard file.isAt(part.path) else { throw .cannotWrite(part, ENOENT) }
    let existing = FileStatus(path: destination.path)
    let permissions = existing.flatMap { newPermissions(of: file, replacing: $0) }
    // Writable while it is a part, but with no other permission that the old file lacks.
    if let permissions { file.setPermissions(permissions | 0o600) }
    var isLinked = false
    // A link, unlike a rename, never replaces a file that was just created; not all file systems have links.
    if !options.replacesExisting {
      isLinked = link(part.path, destination.path) == 0
      if isLinked {
        unlink(part.path)
      } else if errno == EEXIST || existing != nil {
        throw .cannotCreate(destination, EEXIST)
      }
    }
    if !isLinked, rename(part.path, destination.path) != 0 { throw .cannotWrite(destination, errno) }
    if let permissions { file.setPermissions(permissions) }
    if let journal { removeJournal(journal) }
  }

  /// Returns the permissions of a new file: those of the old one; `nil` if that is no file.
  ///
  /// The file of another user adds no permission to those of the part, because that user could make it writable and
  /// then change the new one.
  private func newPermissions(of file: OpenFile, replacing existing: FileStatus) -> UInt32? {
    if existing.kind != .file { return nil }
    let isOwnedByUser = existing.owner == geteuid()
    return isOwnedByUser ? existing.permissions : existing.permissions & (file.status?.permissions ?? 0) | 0o600
  }

  /// Syncs the folder, so that the new name survives a crash of the system.
  func syncFolder() {
    let folder = open(destination.deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
    guard folder >= 0 else { return }
    fsync(folder)
    close(folder)
  }
}

extension PartPaths {
  /// Checks the destination, and opens and locks the part, which is created if needed.
  ///
  /// Its name and that of its journal are shortened if the file system requires it.
  mutating func openPart(_ options: DownloadOptions) throws(NetworkError) -> OpenFile {
    guard destination.isFileURL else {
      throw NetworkError(.cannotCreateFile, reason: "the destination \(destination.redacted) is not a file URL")
    }
    if options.createsFolders { try createFolder() }
    // Fewer than 255 bytes if it encrypts names; not all file systems know their limit.
    let nameByteLimit = pathconf(destination.deletingLastPathComponent().path, Int32(_PC_NAME_MAX))
    if 64..<255 ~= nameByteLimit { self = PartPaths(destination, nameByteLimit: nameByteLimit) }
    let existing = FileStatus(path: destination.path)
    // Otherwise the download would fail only when it is complete, because the names of its own files are shortened.
    if existing == nil, errno == ENAMETOOLONG { throw .cannotCreate(destination, ENAMETOOLONG) }
    switch existing?.kind {
    case nil, .file, .link: break
    case .folder: throw .cannotCreate(destination, EISDIR)
    // A device or a pipe must not be replaced.
    case .other: throw .cannotCreate(destination, EINVAL)
    }
    if let existing, !options.replacesExisting {
      removeLeftovers(of: existing)
      throw .cannotCreate(destination, EEXIST)
    }
    return try openLocked()
  }

  private func createFolder() throws(NetworkError) {
    let folder = destination.deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw NetworkError(
        .cannotCreateFile, reason: "cannot create \(folder.path.singleLine)", underlying: error)
    }
  }

  /// Removes the leftovers of an interrupted move to the destination: the second name of the file, and the journal.
  private func removeLeftovers(of complete: FileStatus) {
    let name = FileStatus(path: part.path)
    guard name == nil || name?.identity == complete.identity, FileStatus(path: journal.path) != nil,
      let file = try? openLocked(), file.status?.byteCount == 0
    else { return }
    remove(file, try? openJournal())
  }

  private var inUse: NetworkError {
    NetworkError(.fileInUse, reason: "another download is writing to \(destination.path.singleLine)")
  }

  private func openLocked() throws(NetworkError) -> OpenFile {
    // Another download may have moved the file before it was locked here.
    for _ in 0..<8 {
      guard let (file, isNew) = try openOrCreate() else { continue }
      switch file.lock() {
      case EWOULDBLOCK: throw inUse
      case let number? where !OpenFile.isUnsupported(number): throw .cannotCreate(part, number)
      // On a file system without locks, other downloads are not excluded.
      default: break
      }
      guard let status = file.status, status.identity == FileStatus(path: part.path)?.identity else { continue }
      guard status.kind == .file else { throw .cannotCreate(part, EEXIST) }
      // A file of another user is not used, because it could be changed after its digest was checked.
      let isOwnedByUser = isNew || status.owner == geteuid()
      // A file with a second name may be the complete destination or belong to another program, and is not written.
      let isForeignIfLinked = status.byteCount == 0 || status.identity == FileStatus(path: destination.path)?.identity
      if isOwnedByUser && !(isForeignIfLinked && status.linkCount > 1) { return file }
      // Without a journal, the content of another user's file belongs to another program.
      if !isForeignIfLinked, FileStatus(path: journal.path) == nil { throw .cannotCreate(part, EEXIST) }
      if unlink(part.path) != 0 { throw .cannotCreate(part, errno) }
    }
    throw .cannotCreate(part, EBUSY)
  }

  /// Opens the part or creates it; `nil` if another process created it first.
  private func openOrCreate() throws(NetworkError) -> (OpenFile, isNew: Bool)? {
    if let file = OpenFile.opened(part.path, O_RDWR) { return (file, false) }
    guard errno == ENOENT else { throw .cannotCreate(part, errno) }
    // The replacement of a private file is also private.
    let existing = FileStatus(path: destination.path)
    let permissions = existing?.kind == .file ? existing?.permissions : nil
    let mode = (permissions ?? 0o666) & 0o666 | 0o600
    if let file = OpenFile.opened(part.path, O_RDWR | O_CREAT | O_EXCL, mode: mode) { return (file, true) }
    if errno == EEXIST { return nil }
    throw .cannotCreate(part, errno)
  }
}

extension NetworkError {
  /// Returns the error of a file that cannot be created or opened; a full disk has a code of its own.
  package static func cannotCreate(_ url: URL, _ number: Int32) -> NetworkError {
    file(.cannotCreateFile, "cannot create \(url.path.singleLine)", number)
  }

  package static func cannotWrite(_ url: URL, _ number: Int32) -> NetworkError {
    file(.cannotWriteFile, "cannot write \(url.path.singleLine)", number)
  }

  /// Returns the error of a file that exceeds ``ResponseLimits/streamedByteCount``.
  static func fileTooLarge(_ limit: Int) -> NetworkError {
    NetworkError(.responseTooLarge, reason: "file over the limit of \(limit) bytes")
  }

  private static func file(_ code: Code, _ reason: String, _ number: Int32) -> NetworkError {
    // A quota and the process's file size limit also count as a lack of space.
    let code = [ENOSPC, EDQUOT, EFBIG].contains(number) ? .diskFull : code
    let cause = POSIXErrorCode(rawValue: number).map { POSIXError($0) }
    return NetworkError(code, reason: "\(reason): \(String(cString: strerror(number)))", underlying: cause)
  }
}
