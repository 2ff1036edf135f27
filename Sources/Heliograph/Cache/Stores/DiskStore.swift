import Dispatch
package import Foundation
import Signals

/// The result of looking for an entry on disk.
package enum DiskLookup: Sendable {
  /// There is no such entry, or it cannot be opened at the moment.
  case absent
  /// There was a file that is not a valid entry; it has been removed.
  case corrupt
  /// The entry.
  case found(DiskEntry)
}

/// A store of entries on disk, each in a file of its own, with a limit on the bytes that they occupy.
///
/// The files are the truth: the index in memory is read from the folder in the background and again now and then, so
/// that several processes keep the limit of one folder together. Look-ups and writes work before it is complete. The
/// least recently used entries are evicted in the background; the order of use is exact within a process, and exact
/// to a minute in other processes and after a restart.
///
/// A file appears under its name by renaming, when it is complete, so that a killed process leaves no partial entry.
/// Nothing is synchronized with the disk: after a power failure an entry may be incomplete, and its checksums then make
/// it corrupt, thus a miss. Safe on any thread, and with several processes on one folder.
package final class DiskStore: Sendable {
  struct State: Sendable {
    var index = EntryIndex()
    /// The changes since a scan of the folder began; `nil` if there is none.
    var journal: [EntryIndex.Change]?
    /// Whether the folder has been scanned once.
    var isComplete = false
    /// Whether the background work is scheduled or runs.
    var isScheduled = false
    var needsScan = true
    var needsSpace = false
    /// Whether a write has failed because the disk or the user's quota is full.
    var isDiskFull = false
    /// The bytes written since the last scan began.
    var unscannedByteCount = 0
    /// The time of the last use.
    var lastUse: Int64 = 0
    /// A condition for the names of entries.
    typealias Removal = @Sendable (EntryName) -> Bool
    /// The removals that are not complete.
    var removals: [Removal] = []
    var needsRemoval = false
  }

  /// The age from which the time of modification of an opened file is renewed: a minute, in nanoseconds.
  static let touchAge: Int64 = 60_000_000_000

  let folder: EntryFolder
  let capacity: Int
  let reserve: Int
  let evicted: @Sendable (_ count: Int, _ byteCount: Int) -> Void
  let availableByteCount: @Sendable (EntryFolder) -> Int64?
  let state = Guarded(State())
  let queue = DispatchQueue(label: "heliograph.cache", qos: .utility)

  /// Creates a store in a folder, which is created if it does not exist, and starts to read the index.
  ///
  /// - Parameters:
  ///   - folder: the folder; nothing else should be in it. The system's backups leave it out.
  ///   - capacity: the maximum of the bytes that the files occupy, in whole blocks of 4 KiB. It is exceeded for a moment after writes.
  ///   - reserve: the bytes to leave free on the disk: below it, nothing is written, and entries are evicted.
  ///   - availableByteCount: the bytes that are free on the disk. Default: the system's count.
  ///   - evicted: is called after evictions, on a background thread, with the number of entries and their bytes.
  /// - Throws: if the folder cannot be created or written.
  package init(
    folder: URL, capacity: Int, reserve: Int, availableByteCount: (@Sendable () -> Int64?)? = nil,
    evicted: @escaping @Sendable (_ count: Int, _ byteCount: Int) -> Void
  ) throws {
    self.folder = try EntryFolder(folder)
    self.capacity = max(capacity, 0)
    self.reserve = max(reserve, 0)
    self.evicted = evicted
    self.availableByteCount = { folder in
      if let availableByteCount { availableByteCount() } else { folder.availableByteCount }
    }
    schedule()
  }

  /// The number of bytes that the known entries occupy.
  package var byteCount: Int { state.withLock { $0.index.byteCount } }

  /// The number of known entries.
  package var count: Int { state.withLock { $0.index.count } }

  /// The maximum length of an entry's file; no sum of such lengths overflows.
  var entryLimit: Int { min(capacity / 2, Int(clamping: Int64(1) << 40)) }

  /// Looks for an entry, which becomes the most recently used one.
  ///
  /// The body of a small entry is read and verified at once.
  package func open(_ name: EntryName) -> DiskLookup {
    if isRemoved(name) { return .absent }
    switch folder.open(name) {
    case .absent:
      forget(name)
      return .absent
    case .unavailable: return .absent
    case .invalid: return removeCorrupt(name, nil) ? .corrupt : .absent
    case .file(let file): return open(name, in: file)
    }
  }

  /// Reads an entry from its open file.
  private func open(_ name: EntryName, in file: OpenFile) -> DiskLookup {
    guard let status = file.status, status.kind == .file,
      let content = EntryContent(file, byteCount: status.byteCount, name: name)
    else {
      removeCorrupt(name, file.status?.identity)
      return .corrupt
    }
    let (age, isTooLarge) = FileStatus.now.subtractingReportingOverflow(status.modifiedAt)
    if isTooLarge || age.magnitude >= UInt64(Self.touchAge) { file.touch() }
    note(name, byteCount: status.byteCount)
    return .found(DiskEntry(name, content, file, in: self))
  }

  /// Creates a writer of an entry.
  ///
  /// - Parameters:
  ///   - name: the name of the entry. A former one is replaced when the writer commits.
  ///   - head: the head, at most 1 MiB.
  /// - Returns: the writer; `nil` if there is no room for the entry, or the folder cannot be written.
  package func writer(for name: EntryName, head: Data) -> DiskWriter? {
    guard head.count <= EntryPrologue.headLimit, hasRoom(for: EntryPrologue.byteCount + head.count) else { return nil }
    return DiskWriter(name, head: head, in: self)
  }

  /// Replaces the head of an entry, and copies its body.
  ///
  /// - Parameters:
  ///   - name: the name of the entry.
  ///   - head: the new head.
  ///   - expected: the entry as it was opened before; `nil` allows any.
  /// - Returns: whether it has; not if the entry is absent or corrupt, or was changed in the meantime.
  package func replaceHead(of name: EntryName, with head: Data, expecting expected: DiskEntry? = nil) -> Bool {
    // The writer's file comes first: a removal after this removes it, and one before removes what is copied.
    guard let writer = writer(for: name, head: head), case .file(let file) = folder.open(name),
      let identity = file.status?.identity, case .found(let present) = open(name, in: file),
      expected.map(present.isSame) ?? true
    else { return false }
    // Who reads the expected entry afterwards need not verify it again.
    let entry = expected ?? present
    guard entry.verify() else { return false }
    var offset = 0
    while offset < entry.bodyByteCount {
      guard let piece = entry.read(at: offset, count: DiskEntry.chunkByteCount), !piece.isEmpty, writer.append(piece)
      else { return false }
      offset += piece.count
    }
    // Open until here, so that no other file can have its identity.
    return withExtendedLifetime(file) {
      FileStatus(path: folder.path(of: name))?.identity == identity && writer.commit()
    }
  }
}
