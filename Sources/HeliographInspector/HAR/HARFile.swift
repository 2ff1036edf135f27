import Foundation
import Heliograph

/// A HAR file that is complete at any instant, whenever the process ends.
///
/// If the process were killed while the end of a single file is replaced, the file would be damaged: one write of
/// several pages is not atomic. There are therefore two files: entries are written to a hidden one, with the end of the
/// document, and then the files exchange their names (`link`, `rename`, `rename`). The hidden one lacks only the last
/// batch of entries, so each entry is written twice, and memory use does not grow with the file.
///
/// A failed write leaves the published file unchanged. `fsync` is not called: after a power failure the content of the
/// file depends on the file system.
///
/// It is used by one thread at a time.
struct HARFile: Sendable {
  let url: URL
  private let names: Names
  /// The maximum number of bytes; beyond it a new file begins.
  private let limit: Int
  private var hidden: OpenFile
  private var published: OpenFile
  /// The position after the last entry, in the published file.
  private var end: Int
  /// The last batch of entries, which the hidden file lacks.
  private var lastBatch: [UInt8] = []

  /// The maximum size of the entries of one file in bytes.
  var entryByteLimit: Int {
    max(0, limit) - HAREntryWriter.openingByteCount - HAREntryWriter.closing.utf8.count
  }

  var hasEntries: Bool { end > HAREntryWriter.openingByteCount }

  /// Creates the file; an existing one is renamed to ``formerURL(of:)``.
  init(_ url: URL, limit: Int) throws(NetworkError) {
    guard url.isFileURL else {
      throw NetworkError(.cannotCreateFile, reason: "the URL of the HAR file is not a file URL")
    }
    self.url = url
    self.limit = limit
    names = try Names(url)
    // Another monitor holds the locks of both files, of which the hidden one has no name for a moment.
    let previous = [try HARFile.open(names.hidden, O_RDWR), try? HARFile.open(names.file, O_RDONLY)]
    if previous.contains(where: { $0?.lock() == EWOULDBLOCK }) {
      throw NetworkError(.fileInUse, reason: "another monitor is writing to \(url.path)")
    }
    (self.hidden, published, end) = try HARFile.begin(url, names)
  }

  /// The URL to which a full file, or the file of an earlier launch, is renamed: `traffic-1.har` for `traffic.har`.
  static func formerURL(of url: URL) -> URL {
    let name = url.deletingPathExtension().lastPathComponent + "-1"
    let previous = url.deletingLastPathComponent().appendingPathComponent(name)
    return url.pathExtension.isEmpty ? previous : previous.appendingPathExtension(url.pathExtension)
  }

  /// Appends entries after ``rotate(before:)``, with a comma first if ``hasEntries``; an error leaves the file as it
  /// was.
  mutating func append(_ entries: [UInt8]) throws(NetworkError) {
    let start = end - lastBatch.count
    let bytes = lastBatch + entries + HAREntryWriter.closing.utf8
    // A failed write may have left bytes there.
    guard hidden.truncate(to: start), hidden.write(bytes, at: start) else { throw .cannotWrite(url, errno) }
    unlink(names.old)
    guard link(names.file, names.old) == 0, rename(names.hidden, names.file) == 0 else {
      throw .cannotWrite(url, errno)
    }
    (hidden, published) = (published, hidden)
    end += entries.count
    lastBatch = entries
    if rename(names.old, names.hidden) != 0 { throw .cannotWrite(url, errno) }
  }

  /// Whether both names belong to the open files: nothing has moved or replaced them, such as an editor that saves by
  /// renaming, and no beginning of new files has failed.
  private var hasNames: Bool {
    published.isAt(names.file) && hidden.isAt(names.hidden)
  }

  /// Begins a new file if `byteCount` further bytes would exceed the limit, or if the files have lost their names.
  mutating func rotate(before byteCount: Int) throws(NetworkError) {
    // A file without its name would be lost, and the exchange of the names would hide every second batch.
    let isFull = hasEntries && end + byteCount + HAREntryWriter.closing.utf8.count > limit
    guard isFull || !hasNames else { return }
    (hidden, published, end) = try HARFile.begin(url, names)
    lastBatch = []
  }

  /// Removes the hidden file; the published one remains.
  func close() {
    unlink(names.hidden)
  }

  private struct Names {
    let file: String
    /// `.traffic.har.next` beside `traffic.har`.
    let hidden: String
    /// The name of the published file until it gets that of the hidden one.
    let old: String
    /// The second name of a file that is to be renamed.
    let second: String

    init(_ url: URL) throws(NetworkError) {
      let name = url.lastPathComponent
      if name.isEmpty || name == "/" || url.hasDirectoryPath { throw .cannotCreate(url, EISDIR) }
      file = url.path
      hidden = url.deletingLastPathComponent().appendingPathComponent(".\(name).next").path
      old = hidden + ".old"
      second = hidden + ".second"
    }
  }

  /// Creates both files without entries, and renames a previous one.
  private static func begin(
    _ url: URL, _ names: Names
  ) throws(NetworkError) -> (hidden: OpenFile, published: OpenFile, end: Int) {
    let opening = HAREntryWriter.opening(at: Date())
    // Both exist before the previous file loses its name.
    let published = try create(names.hidden, opening + HAREntryWriter.closing.utf8, url)
    let hidden = try create(names.old, opening, url)
    switch FileStatus(path: names.file)?.kind {
    case nil: break
    case .file:
      // An earlier renamed file is replaced in one step, and the current file has its name until the new one takes it.
      unlink(names.second)
      guard link(names.file, names.second) == 0, rename(names.second, formerURL(of: url).path) == 0 else {
        throw .cannotCreate(url, errno)
      }
      // `rename` does nothing if both names belong to the same file.
      unlink(names.second)
    case .folder: throw .cannotCreate(url, EISDIR)
    case .link, .other: throw .cannotCreate(url, EINVAL)
    }
    guard rename(names.hidden, names.file) == 0, rename(names.old, names.hidden) == 0 else {
      throw .cannotCreate(url, errno)
    }
    return (hidden, published, opening.count)
  }

  /// Creates a file that only the user can read, replacing another one.
  private static func create(_ path: String, _ bytes: [UInt8], _ url: URL) throws(NetworkError) -> OpenFile {
    unlink(path)
    guard let file = try open(path, O_RDWR | O_CREAT | O_EXCL) else { throw .cannotCreate(url, ENOENT) }
    // It is new, so nothing else has locked it; some file systems have no locks.
    _ = file.lock()
    guard file.write(bytes, at: 0) else { throw .cannotWrite(url, errno) }
    // No backup takes the traffic elsewhere.
    try? URL(fileURLWithPath: path, isDirectory: false).excludeFromBackup()
    return file
  }

  /// Opens a file; `nil` if there is none.
  private static func open(_ path: String, _ flags: Int32) throws(NetworkError) -> OpenFile? {
    if let file = OpenFile.opened(path, flags) { return file }
    // Before the URL, whose initializer calls `stat`.
    let number = errno
    if number == ENOENT, flags & O_CREAT == 0 { return nil }
    throw .cannotCreate(URL(fileURLWithPath: path), number)
  }
}

extension OpenFile {
  fileprivate func write(_ bytes: [UInt8], at offset: Int) -> Bool { bytes.withUnsafeBytes { write($0, at: offset) } }
}
