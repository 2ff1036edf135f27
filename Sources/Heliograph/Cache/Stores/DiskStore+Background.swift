import Dispatch
import Signals

// The work in the background: the scan of the folder, and evictions.
extension DiskStore {
  private enum Task {
    case scan(former: EntryIndex)
    /// Evict entries until at most this many bytes are used.
    case evict(Int)
    case makeSpace(isDiskFull: Bool)
    case remove([State.Removal])
  }

  /// The number of occupied bytes that evictions leave.
  private var lowWaterMark: Int { capacity - capacity / 10 }

  /// Waits until no work is left in the background; for tests.
  package func waitForReclaim() {
    repeat { queue.sync {} } while state.withLock { $0.isScheduled }
  }

  /// Whether there is work to do.
  func isWorkNeeded(_ state: State) -> Bool {
    state.needsRemoval || state.needsScan || state.needsSpace || state.index.byteCount > capacity
  }

  /// Starts the work in the background, unless it is scheduled or runs.
  func schedule() {
    let isFirst = state.withLock { state in
      if state.isScheduled { return false }
      state.isScheduled = true
      return true
    }
    guard isFirst else { return }
    queue.async { [weak self] in self?.work() }
  }

  private func work() {
    while let task = nextTask() {
      switch task {
      case .scan(let former): scan(former)
      case .evict(let rest): evict(downTo: rest)
      case .makeSpace(let isDiskFull): makeSpace(isDiskFull)
      case .remove(let removals): repeatRemovals(removals)
      }
    }
  }

  /// Takes the next task; with none left the work is no longer scheduled.
  private func nextTask() -> Task? {
    state.withLock { state in
      if state.needsRemoval {
        state.needsRemoval = false
        return .remove(state.removals)
      }
      if state.needsScan {
        state.needsScan = false
        state.unscannedByteCount = 0
        state.journal = []
        return .scan(former: state.index)
      }
      if state.needsSpace {
        defer { (state.needsSpace, state.isDiskFull) = (false, false) }
        return .makeSpace(isDiskFull: state.isDiskFull)
      }
      if state.index.byteCount > capacity { return .evict(lowWaterMark) }
      state.isScheduled = false
      return nil
    }
  }

  /// Reads the index from the folder and repeats the changes that were made in the meantime.
  private func scan(_ former: EntryIndex) {
    folder.removeStaleTemporaries()
    var index = EntryIndex(of: folder, former: former, limit: entryLimit)
    var isMerged = false
    while !isMerged {
      // Many changes are repeated without the lock, and only the last few with it.
      let changes = state.withLock { state -> [EntryIndex.Change] in
        let changes = state.journal ?? []
        if changes.count > 100 {
          state.journal = []
          return changes
        }
        index.apply(changes)
        (state.index, state.journal, state.isComplete) = (index, nil, true)
        isMerged = true
        return []
      }
      index.apply(changes)
    }
  }

  private func evict(downTo rest: Int) {
    var (count, byteCount) = (0, 0)
    while true {
      let oldest = state.withLock { state -> [(name: EntryName, byteCount: Int)] in
        var oldest: [(name: EntryName, byteCount: Int)] = []
        while state.index.byteCount > rest, oldest.count < 64, let next = state.index.removeOldest() {
          state.journal?.append(.removed(next.name))
          oldest.append(next)
        }
        return oldest
      }
      if oldest.isEmpty { break }
      for entry in oldest where folder.remove(entry.name) {
        count += 1
        byteCount += entry.byteCount
      }
      // A look-up may have recorded an entry again that it opened just before.
      let recorded = state.withLock { state in oldest.map(\.name).filter { state.index.peek($0) != nil } }
      forget(recorded.filter { !folder.contains($0) })
    }
    if count > 0 { evicted(count, byteCount) }
  }

  /// Evicts entries until the reserve is free on the disk, and some more.
  ///
  /// - Parameter isDiskFull: whether a write has failed, so that some are evicted in any case.
  private func makeSpace(_ isDiskFull: Bool) {
    let missing = availableByteCount(folder).map { max(Int(clamping: Int64(reserve) - $0), 0) } ?? 0
    if missing == 0 && !isDiskFull { return }
    let total = byteCount
    evict(downTo: max(total - min(missing, total) - capacity / 10, 0))
  }
}
