/// The entries that a disk store knows, in the order of their use, with the bytes that they occupy.
struct EntryIndex: Sendable {
  /// An entry in the index.
  struct Record: Sendable {
    /// The number of bytes that its file occupies on the disk.
    var byteCount: Int
    /// Nanoseconds since 1970; within a process each use has a later time than the one before.
    var usedAt: Int64
  }

  /// A change of the index, to be repeated on another one.
  enum Change: Sendable {
    case noted(EntryName, Record)
    case removed(EntryName)
  }

  /// Returns the number of bytes that a file of some length occupies: in most file systems, whole blocks of 4 KiB.
  static func occupiedByteCount(_ length: Int) -> Int { (length + 4_095) & ~4_095 }

  private var list = RecencyList<Record>()
  /// On a watch, the files of a folder may have more bytes than an `Int` counts.
  private var total: Int64 = 0

  /// The number of bytes that the files occupy.
  var byteCount: Int { Int(clamping: total) }

  var count: Int { list.count }

  /// The names from the most recently to the least recently used one.
  var names: [EntryName] { list.names }

  /// Returns the record of an entry without using it.
  func peek(_ name: EntryName) -> Record? { list.peek(name) }

  /// Sets the record of an entry, which becomes the most recently used one.
  ///
  /// - Returns: whether the entry is new.
  @discardableResult
  mutating func note(_ name: EntryName, _ record: Record) -> Bool {
    let former = list.insert(record, for: name)
    total += Int64(record.byteCount) - Int64(former?.byteCount ?? 0)
    return former == nil
  }

  /// Removes an entry; returns whether it was there.
  @discardableResult
  mutating func remove(_ name: EntryName) -> Bool {
    guard let record = list.remove(name) else { return false }
    total -= Int64(record.byteCount)
    return true
  }

  /// Removes the least recently used entry.
  mutating func removeOldest() -> (name: EntryName, byteCount: Int)? {
    guard let (name, record) = list.removeOldest() else { return nil }
    total -= Int64(record.byteCount)
    return (name, record.byteCount)
  }

  /// Repeats changes.
  mutating func apply(_ changes: [Change]) {
    for change in changes {
      switch change {
      case .noted(let name, let record): note(name, record)
      case .removed(let name): remove(name)
      }
    }
  }
}

extension EntryIndex {
  /// Creates the index of a folder, in the order of the files' times of modification.
  ///
  /// - Parameters:
  ///   - folder: the folder; every file in it is looked at.
  ///   - former: the index so far, whose times count if they are later: those of the files are exact to a minute.
  ///   - limit: the maximum length of a file; longer ones are removed.
  init(of folder: EntryFolder, former: EntryIndex, limit: Int) {
    let now = FileStatus.now
    var found: [(name: EntryName, record: Record)] = []
    found.reserveCapacity(former.count)
    var tooLarge: [EntryName] = []
    for shard in UInt8.min ... .max {
      folder.readStatuses(inShard: shard) { name, status in
        if status.byteCount > limit { return tooLarge.append(name) }
        // A clock that was set back must not keep an entry for ever.
        let usedAt = max(min(status.modifiedAt, now), former.peek(name)?.usedAt ?? .min)
        found.append((name, Record(byteCount: Self.occupiedByteCount(status.byteCount), usedAt: usedAt)))
      }
    }
    for name in tooLarge { folder.remove(name) }
    found.sort { $0.record.usedAt < $1.record.usedAt }
    for (name, record) in found { note(name, record) }
  }
}
