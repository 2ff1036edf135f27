import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The paths of a download: its destination, and its part and journal beside it.
struct PartPaths: Sendable {
  let destination: URL
  let part: URL
  let journal: URL

  init(_ destination: URL) {
    self.destination = destination
    part = destination.appendingPathExtension("part")
    journal = part.appendingPathExtension("journal")
  }

  /// Opens the part, creates it if needed, and locks it.
  func openPart(_ options: DownloadOptions) throws(NetworkError) -> OpenFile {
    try checkDestination(options)
    // Another download may have moved the file to its destination before it was locked here.
    for _ in 0..<8 {
      let descriptor = open(part.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o666)
      if descriptor < 0 { throw .cannotCreate(part, errno) }
      let file = OpenFile(descriptor: descriptor)
      switch file.lock() {
      // Some file systems have no locks; then nothing keeps other downloads away.
      case nil, ENOLCK, ENOTSUP, EOPNOTSUPP, EINVAL: break
      case EWOULDBLOCK:
        throw NetworkError(.client, .fileInUse, reason: "another download is writing to \(destination.path.singleLine)")
      case let number?: throw .cannotCreate(part, number)
      }
      guard let status = file.status, status.identity == FileStatus(path: part.path)?.identity else { continue }
      if status.linkCount == 1 { return file }
      // A process ended while it moved the file: it is at its destination already.
      unlink(part.path)
    }
    throw .cannotCreate(part, EBUSY)
  }

  private func checkDestination(_ options: DownloadOptions) throws(NetworkError) {
    guard destination.isFileURL else {
      throw NetworkError(.client, .cannotCreateFile, reason: "\(destination.redacted) is not the URL of a file")
    }
    if options.createsFolders {
      let folder = destination.deletingLastPathComponent()
      do {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      } catch {
        throw NetworkError(
          .client, .cannotCreateFile, reason: "cannot create \(folder.path.singleLine)", underlying: error)
      }
    }
    let status = FileStatus(path: destination.path)
    switch status?.kind {
    case nil, .file, .link: break
    case .folder: throw .cannotCreate(destination, EISDIR)
    // A device or a pipe, which must not be replaced.
    case .other: throw .cannotCreate(destination, EINVAL)
    }
    if status != nil, !options.replacesExisting { throw .cannotCreate(destination, EEXIST) }
  }

  /// Reads the journal; `nil` if there is none, or none of this format.
  func readRecord() throws(NetworkError) -> PartRecord? {
    let descriptor = open(journal.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    if descriptor < 0 {
      if errno == ENOENT { return nil }
      throw .cannotCreate(journal, errno)
    }
    let file = OpenFile(descriptor: descriptor)
    var data = Data(count: min(file.status?.byteCount ?? 0, 268_435_456))
    let count = data.withUnsafeMutableBytes { file.read(into: $0, at: 0) }
    guard let count else { throw .cannotCreate(journal, errno) }
    return PartRecord(String(decoding: data.prefix(count), as: UTF8.self))
  }

  /// Creates the journal of a new part; returns it with its size.
  func create(_ record: PartRecord) throws(NetworkError) -> (OpenFile, Int) {
    let file = try openJournal(O_TRUNC)
    let text = Data(record.text.utf8)
    guard text.withUnsafeBytes({ file.write($0, at: 0) }) else { throw .cannotWrite(journal, errno) }
    return (file, text.count)
  }

  /// Opens the journal of a part, and cuts off the lines after its verified blocks; returns it with its size.
  func reopen(_ record: PartRecord) throws(NetworkError) -> (OpenFile, Int) {
    let file = try openJournal(0)
    let byteCount = record.text.utf8.count
    guard file.truncate(to: byteCount) else { throw .cannotWrite(journal, errno) }
    return (file, byteCount)
  }

  private func openJournal(_ flags: Int32) throws(NetworkError) -> OpenFile {
    let descriptor = open(journal.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags, 0o666)
    if descriptor < 0 { throw .cannotCreate(journal, errno) }
    return OpenFile(descriptor: descriptor)
  }

  /// Removes the journal.
  func removeJournal() { unlink(journal.path) }

  /// Returns whether a file is still the part: it may have been removed, and another download have begun.
  func isPart(_ file: OpenFile) -> Bool {
    file.status.map { $0.identity == FileStatus(path: part.path)?.identity } ?? false
  }

  /// Removes a part and its journal, unless the file is another one now.
  func remove(_ file: OpenFile) {
    guard isPart(file) else { return }
    removeJournal()
    unlink(part.path)
  }

  /// Moves the part to its destination, which is replaced at once or not at all.
  func moveToDestination(_ file: OpenFile, _ options: DownloadOptions) throws(NetworkError) {
    guard isPart(file) else { throw .cannotWrite(part, ENOENT) }
    // In contrast to a rename, a link never replaces a file that was created meanwhile. Not all file systems have links.
    if !options.replacesExisting {
      if link(part.path, destination.path) == 0 {
        unlink(part.path)
        return removeJournal()
      }
      if errno == EEXIST || FileStatus(path: destination.path) != nil { throw .cannotCreate(destination, EEXIST) }
    }
    if rename(part.path, destination.path) != 0 { throw .cannotWrite(destination, errno) }
    removeJournal()
  }

  /// Syncs the folder, so that the new name survives the end of the system.
  func syncFolder() {
    let folder = open(destination.deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
    guard folder >= 0 else { return }
    fsync(folder)
    close(folder)
  }
}
