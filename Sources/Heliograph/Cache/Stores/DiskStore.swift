package import Foundation
import Signals

package enum DiskLookup: Sendable {
  /// The entry does not exist, or cannot be opened at the moment.
  case absent
  /// The file was not a valid entry and has been removed.
  case corrupt
  case found(DiskEntry)
}

/// A store of entries on disk, one file per entry, with a limit on the space occupied.
///
/// There is no index beside the files: after enough writes, the folder is swept in the background, and the least
/// recently used entries are removed. Several processes can thus share the limit of a folder. The time of use is the
/// file's modification time, exact to a minute.
///
/// A file appears under its name by renaming, when it is complete, so that a killed process leaves no partial entry.
/// Nothing is synchronized with the disk: after a power failure an entry may be incomplete, which its checksums detect:
/// it is then a miss. Safe on any thread, and with several processes on one folder.
package final class DiskStore: Sendable {
  struct State: Sendable {
    /// The bytes that the files occupied after the last sweep; `Int64`, because they may exceed the 32-bit `Int` of a
    /// watch.
    var sweptByteCount: Int64 = 0
    /// The bytes written since the last sweep began.
    var unsweptByteCount: Int64 = 0
    /// Whether the background work is scheduled or running.
    var isScheduled = false
    var needsSweep = true
    var needsSpace = false
    /// Whether a write has failed because the disk or the user's quota is full.
    var isDiskFull = false
    /// When a sweep for space last had nothing to remove, in nanoseconds since 1970; `nil` after the next write.
    var futileSweepAt: Int64?
    /// A condition for the names of the entries to remove.
    typealias Removal = @Sendable (EntryName) -> Bool
    var removals: [Removal] = []
    /// The entries that could not be removed, such as in a file system that has become read-only.
    var unremoved: Set<EntryName> = []
    var needsRemoval = false
  }

  /// The age from which the time of modification of an opened file is renewed: a minute, in nanoseconds.
  static let touchAge: Int64 = 60_000_000_000

  /// The time after a sweep for space that removed nothing until the next one: 10 seconds, in nanoseconds; while the
  /// disk stays below the reserve, each write would otherwise read the whole folder in vain.
  static let futileSweepInterval: UInt64 = 10_000_000_000

  let folder: EntryFolder
  let capacity: Int
  let reserve: Int
  let evicted: @Sendable (_ count: Int, _ byteCount: Int) -> Void
  let availableByteCount: @Sendable (EntryFolder) -> Int64?
  let state = Guarded(State())
  /// The times at which uses of entries in memory were recorded.
  let uses = MemoryStore<Int64>(capacity: 10_000)
  let queue = DispatchQueue(label: "heliograph.cache", qos: .utility)

  /// Creates a store in a folder, which is created if it does not exist, and starts to sweep it.
  ///
  /// The folder is excluded from backups. `capacity` counts whole blocks of 4 KiB and may be exceeded briefly after
  /// writes. With fewer free bytes than `reserve`, nothing is written, and entries are evicted. `evicted` is called on
  /// a background thread. The initializer throws if the folder cannot be created or written, or belongs to another
  /// user.
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

  /// The maximum length of an entry's file, so small that sums of lengths cannot overflow.
  var entryLimit: Int { min(capacity / 2, Int(clamping: Int64(1) << 40)) }

  /// Looks up an entry, which becomes the most recently used one; a small body is read and verified at once.
  package func open(_ name: EntryName, readsBody: Bool = true) -> DiskLookup {
    if checkRemovals(of: name) { return .absent }
    switch folder.open(name) {
    case .absent: return .absent
    case .invalid: return removeCorrupt(name, nil) ? .corrupt : .absent
    case .file(let file): return open(name, in: file, readsBody: readsBody)
    }
  }

  private func open(_ name: EntryName, in file: OpenFile, readsBody: Bool = true) -> DiskLookup {
    // Anyone can compute the checksums.
    guard let status = file.status, status.kind == .file, status.isTrusted,
      let content = EntryContent(file, byteCount: status.byteCount, name: name, readsBody: readsBody)
    else {
      removeCorrupt(name, file.status?.identity)
      return .corrupt
    }
    let (age, isTooLarge) = FileStatus.now.subtractingReportingOverflow(status.modifiedAt)
    if isTooLarge || age.magnitude >= UInt64(Self.touchAge) { file.touch() }
    return .found(DiskEntry(name, content, file, in: self))
  }

  /// Creates a writer, whose commit replaces a previous entry; `nil` without room, or for a head above 1 MiB.
  package func writer(for name: EntryName, head: Data) -> DiskWriter? {
    guard head.count <= EntryPrologue.headLimit, makeRoom(for: EntryPrologue.byteCount + head.count) else { return nil }
    return DiskWriter(name, head: head, in: self)
  }

  /// Replaces the head by a copy of the file; `false` if the entry is absent or corrupt, or no longer the expected one.
  package func replaceHead(of name: EntryName, with head: Data, expecting expected: DiskEntry? = nil) -> Bool {
    // The new file is created before the old one is opened: a removal from now on deletes the new file, and an earlier
    // one has deleted the old file, so that nothing is copied.
    guard let writer = writer(for: name, head: head), case .file(let file) = folder.open(name),
      case .found(let present) = open(name, in: file), expected.map(present.isSame) ?? true
    else { return false }
    // Readers of the expected entry then need not verify it again.
    let entry = expected ?? present
    guard entry.verify() else { return false }
    var offset = 0
    while offset < entry.bodyByteCount {
      guard let piece = entry.read(at: offset, count: DiskEntry.chunkByteCount), !piece.isEmpty, writer.append(piece)
      else { return false }
      offset += piece.count
    }
    // The file is open until here, so that no other file can get its identity.
    return file.isAt(folder.path(of: name)) && writer.commit()
  }
}

// Writing and removing files.
extension DiskStore {
  /// Returns the number of bytes that a file of a given length occupies: in most file systems, whole blocks of 4 KiB.
  static func occupiedByteCount(_ length: Int) -> Int { (length + 4_095) & ~4_095 }

  /// Records the use of an entry whose content is in memory, in the background and at most once a minute.
  package func recordUse(of name: EntryName) {
    let now = FileStatus.now
    if let last = uses.value(for: name), (now &- last).magnitude < UInt64(Self.touchAge) { return }
    uses.insert(now, cost: 1, for: name)
    queue.async { [folder] in folder.touch(name) }
  }

  /// Renames a complete temporary file to its entry; returns whether it succeeded.
  func publish(_ temporary: TemporaryName, byteCount: Int) -> Bool {
    guard byteCount <= entryLimit, folder.publish(temporary) else { return false }
    let isDue = state.withLock { state in
      state.futileSweepAt = nil
      state.unremoved.remove(temporary.entry)
      state.unsweptByteCount += Int64(Self.occupiedByteCount(byteCount))
      // Other processes may have written as much.
      let limit = min(Int64(capacity / 8), Int64(capacity) - state.sweptByteCount)
      if state.unsweptByteCount > limit { state.needsSweep = true }
      return state.needsSweep
    }
    if isDue { schedule() }
    return true
  }

  /// Removes a corrupt entry, unless another file has replaced it; returns whether it was removed.
  @discardableResult
  func removeCorrupt(_ name: EntryName, _ identity: FileStatus.Identity?) -> Bool {
    let present = FileStatus(path: folder.path(of: name))?.identity
    if let identity, let present, present != identity { return false }
    return folder.remove(name)
  }

  func write(_ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: Int) -> Bool {
    if file.write(bytes, at: offset) { return true }
    handleFailedWrite(errno)
    return false
  }

  /// Evicts entries in the background after a write has failed for lack of space, regardless of the reserve.
  func handleFailedWrite(_ error: Int32) {
    guard error == ENOSPC || error == EDQUOT else { return }
    requestSpace(isDiskFull: true)
  }

  /// Evicts entries in the background, unless there was nothing to evict a moment ago.
  private func requestSpace(isDiskFull: Bool = false) {
    let now = FileStatus.now
    let isDue = state.withLock { state in
      if let last = state.futileSweepAt, (now &- last).magnitude < Self.futileSweepInterval { return false }
      state.needsSpace = true
      if isDiskFull { state.isDiskFull = true }
      return true
    }
    if isDue { schedule() }
  }

  /// Evicts entries in the background if too few bytes are free; returns whether `byteCount` bytes can be written now.
  func makeRoom(for byteCount: Int) -> Bool {
    guard byteCount <= entryLimit else { return false }
    guard let available = availableByteCount(folder), available - Int64(byteCount) < Int64(reserve) else { return true }
    requestSpace()
    return false
  }
}

// Removals on request.
//
// A writer creates its temporary file, whose name contains that of the entry, before anything else. A removal that
// also removes these files thus prevents earlier writers from committing, even in other processes.
extension DiskStore {
  /// Removes an entry.
  ///
  /// Afterwards no lookup finds the previous entry, and no earlier writer can commit. What cannot be removed is hidden
  /// from this process's lookups until it is replaced, and its removal is repeated in the background.
  package func remove(_ name: EntryName) { remove([name]) }

  /// Removes entries, reading the folder of temporary files once for all.
  func remove(_ names: [EntryName]) {
    for name in names { folder.remove(name) }
    folder.removeTemporaries { names.contains($0) }
    // A writer may have committed between the two removals.
    let left = names.filter { !folder.remove($0) && folder.mayContain($0) }
    if !left.isEmpty { state.withLock { $0.unremoved.formUnion(left) } }
  }

  /// Removes the entries whose names meet a condition, which is called without a lock.
  ///
  /// Afterwards no lookup finds a previous entry, and no earlier writer can commit. It takes as long as reading the
  /// folder. While the folder cannot be read, such as without a free descriptor, lookups apply the condition, and the
  /// removal is repeated in the background.
  package func removeAll(where isRemoved: @escaping @Sendable (EntryName) -> Bool) {
    if !removeFiles(where: isRemoved) { state.withLock { $0.removals.append(isRemoved) } }
  }

  /// Repeats incomplete removals in the background, and returns whether one of them includes an entry.
  func checkRemovals(of name: EntryName) -> Bool {
    let (removals, isPending, isUnremoved) = state.withLock { state in
      let isPending = !state.removals.isEmpty || !state.unremoved.isEmpty
      if isPending { state.needsRemoval = true }
      return (state.removals, isPending, state.unremoved.contains(name))
    }
    if !isPending { return false }
    schedule()
    return isUnremoved || removals.contains { $0(name) }
  }

  /// Repeats removals, which are the first ones in the state, and those of single entries until one fails.
  func repeatRemovals(_ removals: [State.Removal], _ unremoved: Set<EntryName>) {
    for name in unremoved {
      guard folder.remove(name) || !folder.mayContain(name) else { break }
      state.withLock { _ = $0.unremoved.remove(name) }
    }
    let count = removals.prefix { removeFiles(where: $0, stopsAtFailure: true) }.count
    let done = state.withLock { state in
      let done = Array(state.removals.prefix(count))
      state.removals.removeFirst(done.count)
      return done
    }
    withExtendedLifetime(done) {}
  }

  /// Removes the files and temporary files of entries; returns whether the removal succeeded.
  private func removeFiles(where isRemoved: State.Removal, stopsAtFailure: Bool = false) -> Bool {
    // A repeated removal stops at the first failure, because each lookup may repeat it.
    let writing = folder.removeTemporaries(where: isRemoved)
    var (names, isComplete) = (writing ?? [], writing != nil)
    for shard in UInt8.min ... .max {
      if stopsAtFailure && !isComplete { return false }
      let found = folder.names(inShard: shard)
      if found == nil { isComplete = false }
      for name in found ?? [] where isRemoved(name) {
        if !folder.remove(name), folder.mayContain(name) { isComplete = false }
        names.append(name)
      }
    }
    // A copy of the previous entry with a new head may have begun meanwhile.
    let copying = folder.removeTemporaries(where: isRemoved)
    for name in names + (copying ?? []) { folder.remove(name) }
    return isComplete && copying != nil
  }
}
