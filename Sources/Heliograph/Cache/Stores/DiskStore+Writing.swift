import Foundation
import Signals

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

  /// Writes bytes to a file; returns whether it succeeded.
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
  /// Afterwards no lookup finds the previous entry, and no earlier writer can commit.
  package func remove(_ name: EntryName) {
    folder.remove(name)
    folder.removeTemporaries { $0 == name }
    // A writer may have committed between the two removals.
    folder.remove(name)
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
    let removals = state.withLock { state in
      if !state.removals.isEmpty { state.needsRemoval = true }
      return state.removals
    }
    if removals.isEmpty { return false }
    schedule()
    return removals.contains { $0(name) }
  }

  /// Repeats removals, which are the first ones in the state.
  func repeatRemovals(_ removals: [State.Removal]) {
    let count = removals.prefix { removeFiles(where: $0, stopsAtFailure: true) }.count
    let done = state.withLock { state in
      let done = Array(state.removals.prefix(count))
      state.removals.removeFirst(done.count)
      return done
    }
    withExtendedLifetime(done) {}
  }

  /// Removes the files and temporary files of entries; returns whether the removal succeeded.
  ///
  /// A repeated removal stops at the first failure, because each lookup may repeat it.
  private func removeFiles(where isRemoved: State.Removal, stopsAtFailure: Bool = false) -> Bool {
    let writing = folder.removeTemporaries(where: isRemoved)
    var (names, isComplete) = (writing ?? [], writing != nil)
    for shard in UInt8.min ... .max {
      if stopsAtFailure && !isComplete { return false }
      let found = folder.names(inShard: shard)
      if found == nil { isComplete = false }
      for name in found ?? [] where isRemoved(name) {
        if !folder.remove(name), folder.contains(name) { isComplete = false }
        names.append(name)
      }
    }
    // A copy of the previous entry with a new head may have begun meanwhile.
    let copying = folder.removeTemporaries(where: isRemoved)
    for name in names + (copying ?? []) { folder.remove(name) }
    return isComplete && copying != nil
  }
}
