import Dispatch
import Signals

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

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
    state.withLock { state in
      state.isDiskFull = true
      state.needsSpace = true
    }
    schedule()
  }

  /// Evicts entries in the background if too few bytes are free; returns whether `byteCount` bytes can be written now.
  func makeRoom(for byteCount: Int) -> Bool {
    guard byteCount <= entryLimit else { return false }
    guard let available = availableByteCount(folder), available - Int64(byteCount) < Int64(reserve) else { return true }
    state.withLock { $0.needsSpace = true }
    schedule()
    return false
  }
}
