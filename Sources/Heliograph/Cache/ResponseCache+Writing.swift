import Foundation
import Signals

// Concurrent writes: the newest entry stays.
extension ResponseCache {
  /// Stores a response, unless a newer one is stored; returns the reason if it was not stored, or not on disk.
  func store(
    _ response: StoredResponse, _ content: RecordedContent, at location: StorageLocation
  ) -> (isWritten: Bool, problem: String?) {
    let (name, requestedAt) = (location.key.name, response.head.requestedAt)
    var problem: String?
    let isWritten = replacing(name, with: requestedAt) {
      // The list may have been stored with a newer response to one of the requests that share it.
      let isListStored = location.list.map { $0.epoch == variants(of: location.primary)?.epoch } ?? true
      return isOlder(name, than: requestedAt) && (isListStored || isOlder(location.primary.name, than: requestedAt))
    } write: {
      if var list = location.list {
        list.requestedAt = requestedAt
        if let stored = variants(of: location.primary), stored.epoch == list.epoch {
          list.requestedAt = max(stored.requestedAt, requestedAt)
        }
        write(.variants(list), Data(), for: location.primary.name)
        lists.remove(location.primary.name)
      }
      switch content {
      case .data(let body): problem = write(.response(response), body, for: name)
      case .file(let file):
        if file.commit() {
          memory.remove(name)
        } else {
          remove(name)
          problem = Self.diskProblem
        }
      }
    }
    return (isWritten, isWritten ? problem : "a newer response is stored")
  }

  /// Whether an entry is no newer than a request, so that the request's response may replace it.
  private func isOlder(_ name: EntryName, than requestedAt: Date) -> Bool {
    guard let stored = self.requestedAt(of: name), stored > requestedAt else { return true }
    // If the clock was set back, the entry must not remain until the clock reaches its time.
    return stored > now()
  }

  /// Removes an entry because of a request's response, unless it is newer than the request.
  func remove(_ name: EntryName, unlessNewerThan requestedAt: Date) {
    if isOlder(name, than: requestedAt) { remove(name) }
  }

  private static var diskProblem: String { "the disk is full or cannot be written" }

  /// Writes an entry to disk and memory; returns the reason if it was not stored or not stored on disk.
  @discardableResult
  func write(_ head: StoredHead, _ body: Data, for name: EntryName) -> String? {
    // The disk comes first, so that a concurrent read of the old file is not stored in memory.
    var problem: String?
    if let disk {
      let writer = disk.writer(for: name, head: head.encoded)
      if writer?.append(body) != true || writer?.commit() != true {
        // An older response must not outlive its replacement.
        disk.remove(name)
        problem = Self.diskProblem
      }
    }
    let entry = CacheEntry(name, head, .data(body), isOnlyInMemory: problem != nil)
    let cost = entry.cost
    if disk == nil, cost > memoryBodyLimit + CacheEntry.overhead { problem = "it is too large for the memory" }
    countEvictions(memory.insert(entry, cost: cost, for: name))
    return problem
  }

  /// Replaces the head of an entry but not its body, as after a 304, unless the entry was replaced or removed
  /// meanwhile, because the new head belongs to another body.
  func update(_ found: FoundResponse, with response: StoredResponse) -> FoundResponse {
    let (name, head) = (found.name, StoredHead.response(response))
    _ = replacing(name, with: response.head.requestedAt) {
      if case .disk = found.body { return true }
      if isStored(found) { return true }
      // The entry is no longer on disk, or was replaced there. A replacement in memory stays, such as that by another
      // request of a shared exchange.
      if disk != nil, isInMemory(found) { memory.remove(name) }
      return false
    } write: {
      switch found.body {
      case .data(let body): write(head, body, for: name)
      case .disk(let entry):
        let isWritten = disk?.replaceHead(of: name, with: head.encoded, expecting: entry) ?? true
        // A response must not outlive a head that allows less.
        if !isWritten, found.response.allowsMore(than: response) {
          remove(name, unlessNewerThan: response.head.requestedAt)
        }
      }
    }
    return FoundResponse(name: name, response: response, body: found.body)
  }

  /// Whether an entry is still the one that was found; checked on disk if there is one, because of other processes.
  private func isStored(_ found: FoundResponse) -> Bool {
    guard let disk, !found.isOnlyInMemory else { return isInMemory(found) }
    guard case .found(let entry) = disk.open(found.name) else { return false }
    return entry.head == StoredHead.response(found.response).encoded
  }

  private func isInMemory(_ found: FoundResponse) -> Bool {
    memory.value(for: found.name)?.head == .response(found.response)
  }

  /// Writes an entry, if the current one may be replaced; returns whether it was written and is the newest one, as the
  /// newer of two concurrent writes.
  func replacing(
    _ name: EntryName, with requestedAt: Date, if isAllowed: () -> Bool, write: () -> Void
  ) -> Bool {
    // Registered before the check, so that a later write knows of this one.
    writes.withLock { $0.begin(name, requestedAt) }
    let isWritten = isAllowed()
    if isWritten { write() }
    let newest = writes.withLock { $0.finish(name) }?.upperBound ?? requestedAt
    guard isWritten, newest > requestedAt else { return isWritten }
    if disk != nil { memory.remove(name) }
    if let stored = self.requestedAt(of: name), stored < newest { remove(name) }
    return false
  }

  /// The time at which the stored response, or one of the list of variants, was requested; `nil` without an entry.
  private func requestedAt(of name: EntryName) -> Date? {
    if let disk, case .found(let entry) = disk.open(name) { return StoredHead(entry.head)?.requestedAt }
    let entry = memory.value(for: name)
    if disk != nil {
      guard case .response(let found) = entry, found.isOnlyInMemory else { return nil }
    }
    return entry?.head.requestedAt
  }
}

/// The body to store: all of it, or the file to which it was written as it was received.
enum RecordedContent: Sendable {
  case data(Data)
  case file(DiskWriter)
}

/// The writes in progress, each with a value that orders the writes of one entry.
struct OverlappingWrites<Order: Comparable & Sendable>: Sendable {
  private var writes: [EntryName: (count: Int, range: ClosedRange<Order>)] = [:]

  /// The range of the values of an entry's writes in progress and of the writes that they overlap; `nil` without a
  /// write.
  subscript(name: EntryName) -> ClosedRange<Order>? { writes[name]?.range }

  mutating func begin(_ name: EntryName, _ order: Order) {
    let (count, range) = writes[name] ?? (0, order...order)
    writes[name] = (count + 1, min(range.lowerBound, order)...max(range.upperBound, order))
  }

  /// Ends a write and returns the range of its value and those of the writes that it overlaps.
  mutating func finish(_ name: EntryName) -> ClosedRange<Order>? {
    guard let (count, range) = writes[name] else { return nil }
    writes[name] = count > 1 ? (count - 1, range) : nil
    return range
  }
}
