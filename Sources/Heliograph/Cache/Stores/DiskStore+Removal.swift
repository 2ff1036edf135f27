import Signals

// Removals on request.
//
// A writer creates its temporary file, whose name contains that of the entry, before anything else. So a removal that
// removes these files, too, keeps writers that were created before it from committing, in other processes as well.
extension DiskStore {
  /// Removes an entry.
  ///
  /// Afterwards no look-up finds the former entry, and no writer that was created before can commit.
  package func remove(_ name: EntryName) {
    folder.remove(name)
    folder.removeTemporaries { $0 == name }
    // A writer may have committed between the two.
    folder.remove(name)
    forget(name)
  }

  /// Removes the entries whose names meet a condition, which is called without a lock.
  ///
  /// Afterwards no look-up finds an entry from before, and no writer that was created before can commit. It takes as
  /// long as reading the folder.
  package func removeAll(where isRemoved: @Sendable (EntryName) -> Bool) {
    var names = folder.removeTemporaries(where: isRemoved)
    for shard in UInt8.min ... .max {
      for name in folder.names(inShard: shard) where isRemoved(name) {
        folder.remove(name)
        names.append(name)
      }
    }
    // The copy of an entry with a new head may have begun in the meantime, from the former entry.
    names += folder.removeTemporaries(where: isRemoved)
    for name in names { folder.remove(name) }
    forget(names)
    // What is only in the index has no file: another process has removed it.
    forget(state.withLock { $0.index.names }.filter { isRemoved($0) && !folder.contains($0) })
  }
}
