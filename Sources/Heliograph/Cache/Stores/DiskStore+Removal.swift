import Signals

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
