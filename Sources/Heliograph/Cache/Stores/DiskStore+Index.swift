import Signals

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

// The index, as look-ups and writes change it.
extension DiskStore {
  /// Records that an entry exists and is the most recently used one.
  ///
  /// - Parameters:
  ///   - name: the name of the entry.
  ///   - byteCount: the length of its file.
  ///   - isWritten: whether it has just been written.
  func note(_ name: EntryName, byteCount: Int, isWritten: Bool = false) {
    let now = FileStatus.now
    let byteCount = EntryIndex.occupiedByteCount(byteCount)
    let (isDoubtful, hasWork) = state.withLock { state in
      state.lastUse = max(state.lastUse + 1, now)
      let record = EntryIndex.Record(byteCount: byteCount, usedAt: state.lastUse)
      let isNew = state.index.note(name, record)
      state.journal?.append(.noted(name, record))
      if isWritten {
        state.unscannedByteCount += byteCount
        if state.unscannedByteCount > capacity / 8 { state.needsScan = true }
      }
      return (isWritten || isNew && state.isComplete, isWorkNeeded(state))
    }
    // It may have been removed after it was opened or written, and before it was recorded.
    if isDoubtful, !folder.contains(name) { forget(name) }
    if hasWork { schedule() }
  }

  /// Records the use of an entry whose content is in memory, at most once a minute.
  package func noteUse(of name: EntryName) {
    let now = FileStatus.now
    let isDue = state.withLock { state in
      guard var record = state.index.peek(name), now &- record.usedAt >= Self.touchAge else { return false }
      state.lastUse = max(state.lastUse + 1, now)
      record.usedAt = state.lastUse
      state.index.note(name, record)
      state.journal?.append(.noted(name, record))
      return true
    }
    if isDue { folder.touch(name) }
  }

  /// Removes an entry from the index.
  func forget(_ name: EntryName) {
    forget(CollectionOfOne(name))
  }

  /// Removes entries from the index, with the lock released now and then.
  func forget(_ names: some Collection<EntryName>) {
    var rest = names[...]
    while !rest.isEmpty {
      let some = rest.prefix(1_000)
      state.withLock { state in
        for name in some {
          state.index.remove(name)
          state.journal?.append(.removed(name))
        }
      }
      rest = rest.dropFirst(some.count)
    }
  }

  /// Renames a complete temporary file to that of its entry; returns whether it could.
  func publish(_ temporary: TemporaryName, byteCount: Int) -> Bool {
    guard byteCount <= entryLimit, folder.publish(temporary) else { return false }
    note(temporary.entry, byteCount: byteCount, isWritten: true)
    return true
  }

  /// Removes a corrupt entry, unless another file has taken its place; returns whether it was removed.
  @discardableResult
  func removeCorrupt(_ name: EntryName, _ identity: FileStatus.Identity?) -> Bool {
    let present = FileStatus(path: folder.path(of: name))?.identity
    if let identity, let present, present != identity { return false }
    let isRemoved = folder.remove(name)
    forget(name)
    return isRemoved
  }

  /// Writes bytes to a file; returns whether it could.
  func write(_ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: Int) -> Bool {
    if file.write(bytes, at: offset) { return true }
    noteFailedWrite(errno)
    return false
  }

  /// Evicts entries in the background if a write has failed for want of space, whatever the reserve.
  func noteFailedWrite(_ error: Int32) {
    guard error == ENOSPC || error == EDQUOT else { return }
    state.withLock { state in
      state.isDiskFull = true
      state.needsSpace = true
    }
    schedule()
  }

  /// Whether a number of bytes can be written; if too few are free on the disk, entries are evicted in the background.
  func hasRoom(for byteCount: Int) -> Bool {
    guard byteCount <= entryLimit else { return false }
    guard let available = availableByteCount(folder), available - Int64(byteCount) < Int64(reserve) else { return true }
    state.withLock { $0.needsSpace = true }
    schedule()
    return false
  }
}
