import Dispatch
import Signals

// Background work: sweeps of the folder, and removals that could not be completed.
extension DiskStore {
  private struct SweptFile {
    let name: EntryName
    let byteCount: Int64
    let usedAt: Int64
  }

  /// Waits until no background work is left; for tests.
  package func waitForReclaim() {
    repeat { queue.sync {} } while state.withLock { $0.isScheduled }
  }

  /// Starts the background work, unless it is scheduled or running.
  func schedule() {
    let isFirst = state.withLock { state in
      if state.isScheduled { return false }
      state.isScheduled = true
      return true
    }
    guard isFirst else { return }
    queue.async { [weak self] in self?.runTasks() }
  }

  private func runTasks() {
    while let due = takeTasks() {
      if due.needsRemoval { repeatRemovals(due.removals, due.unremoved) }
      if due.needsSweep || due.needsSpace { sweep(due.needsSpace, due.isDiskFull) }
    }
  }

  /// Takes the pending tasks; if there are none, the work is no longer scheduled.
  private func takeTasks() -> State? {
    state.withLock { state in
      let due = state
      state.isScheduled = due.needsRemoval || due.needsSweep || due.needsSpace
      if due.needsSweep || due.needsSpace { state.unsweptByteCount = 0 }
      (state.needsRemoval, state.needsSweep, state.needsSpace, state.isDiskFull) = (false, false, false, false)
      return state.isScheduled ? due : nil
    }
  }

  /// Removes the least recently used entries above the limit, down to nine tenths of it; if space is needed, also those
  /// for the disk reserve and a tenth of the limit, and after a failed write always some.
  private func sweep(_ isSpaceNeeded: Bool, _ isDiskFull: Bool) {
    folder.removeStaleTemporaries()
    var files = collectFiles()
    var total = files.reduce(Int64(0)) { $0 + $1.byteCount }
    let (limit, tenth) = (Int64(capacity), Int64(capacity / 10))
    var target = total > limit ? limit - tenth : total
    let missing = isSpaceNeeded ? availableByteCount(folder).map { max(Int64(reserve) - $0, 0) } ?? 0 : 0
    if missing > 0 || isDiskFull { target = min(target, max(total - min(missing, total) - tenth, 0)) }
    if total > target { files.sort { $0.usedAt < $1.usedAt } }
    var (count, byteCount) = (0, Int64(0))
    for file in files {
      if total <= target { break }
      total -= file.byteCount
      if folder.remove(file.name) { (count, byteCount) = (count + 1, byteCount + file.byteCount) }
    }
    state.withLock { [total, count] state in
      state.sweptByteCount = total
      // Without missing space, there may be entries to remove as soon as some is missing.
      if isSpaceNeeded { state.futileSweepAt = count == 0 && (missing > 0 || isDiskFull) ? FileStatus.now : nil }
    }
    if count > 0 { evicted(count, Int(clamping: byteCount)) }
  }

  /// Reads the files of the entries, and removes those that are too long.
  private func collectFiles() -> [SweptFile] {
    var (files, tooLong, future): ([SweptFile], [EntryName], [EntryName]) = ([], [], [])
    for shard in UInt8.min ... .max {
      folder.readStatuses(inShard: shard) { name, status in
        if status.byteCount > entryLimit { return tooLong.append(name) }
        if status.modifiedAt > FileStatus.now { future.append(name) }
        let byteCount = Int64(Self.occupiedByteCount(status.byteCount))
        files.append(SweptFile(name: name, byteCount: byteCount, usedAt: status.modifiedAt))
      }
    }
    for name in tooLong { folder.remove(name) }
    // After the clock was set back, no entry may remain forever.
    for name in future { folder.touch(name) }
    return files
  }
}
