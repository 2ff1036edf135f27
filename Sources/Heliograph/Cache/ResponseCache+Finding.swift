import Foundation

/// A stored response that was found: a class, because it is passed on many times and has many members.
final class FoundResponse: Sendable {
  let name: EntryName
  let response: StoredResponse
  let body: StoredBody
  /// Whether the response could not be written to the cache's disk.
  let isOnlyInMemory: Bool

  init(name: EntryName, response: StoredResponse, body: StoredBody, isOnlyInMemory: Bool = false) {
    self.name = name
    self.response = response
    self.body = body
    self.isOnlyInMemory = isOnlyInMemory
  }
}

enum StoredBody: Sendable {
  case data(Data)
  case disk(DiskEntry)

  var byteCount: Int {
    switch self {
    case .data(let data): data.count
    case .disk(let entry): entry.bodyByteCount
    }
  }
}

enum CacheLookup: Sendable {
  case found(FoundResponse)
  case missing(CacheMissReason)
  /// The response is not in memory; it may be on disk.
  case onDisk
}

extension ResponseCache {
  /// Looks up a response; the header fields of the request select a variant, and files are read only if allowed.
  func find(_ key: CacheKey, _ request: HTTPRequest, readsDisk: Bool) -> CacheLookup {
    if hasUnconfirmedWrite(key) { return .missing(.absent) }
    let primary = read(key, readsDisk: readsDisk)
    guard case .entry(.variants(let variants)) = primary else { return lookup(primary, key, request, readsDisk) }
    let fields = VaryFields(names: variants.names)
    let variant = key.variant(variants.epoch, fields.values(in: request.selectingFields(variants.names)))
    let reading = read(variant, readsDisk: readsDisk)
    // The list is stored, and so is or was a response. Only if that was this variant, it has been evicted.
    if case .absent = reading, traces.value(for: .trace(key.sharedHash)) != variant.name {
      return .missing(.otherVariant)
    }
    return lookup(reading, variant, request, readsDisk)
  }

  /// Whether a lookup still finds a response.
  func finds(_ found: FoundResponse, _ key: CacheKey, _ request: HTTPRequest) -> Bool {
    guard case .found(let current) = find(key, request, readsDisk: true) else { return false }
    return current.response == found.response
  }

  private func lookup(
    _ read: Reading, _ key: CacheKey, _ request: HTTPRequest, _ readsDisk: Bool
  ) -> CacheLookup {
    switch read {
    case .entry(.response(let found)):
      if !isOutdated(found, of: key, for: request) { return .found(found) }
      if disk != nil, !readsDisk { return .onDisk }
      // The next process does not know that it is outdated.
      remove(key.name, unlessNewerThan: found.response.head.requestedAt)
      return .missing(.absent)
    case .entry(.variants), .corrupt: return .missing(.corrupt)
    case .onDisk: return .onDisk
    case .absent: return .missing(reason(forAbsent: key))
    }
  }

  private enum Reading {
    case entry(CacheEntry)
    case absent, corrupt, onDisk
  }

  private func read(_ key: CacheKey, readsDisk: Bool) -> Reading {
    let disk = readsDisk ? disk : nil
    if let entry = disk == nil ? memory.value(for: key.name) : memory.valueOrBeginRead(of: key.name) {
      // Without this, frequently used entries would be evicted from the disk first.
      self.disk?.recordUse(of: key.name)
      // Two keys with equal hashes must not share a response.
      return entry.key == key.text ? .entry(entry) : .absent
    }
    guard let disk else { return self.disk == nil ? .absent : .onDisk }
    let reading = read(key, from: disk)
    var memoryEntry: CacheEntry?
    if case .entry(let entry) = reading, entry.isBodyInMemory { memoryEntry = entry }
    // A response that was stored or removed during the read is newer than the file.
    countEvictions(memory.endRead(of: key.name, memoryEntry, cost: memoryEntry?.cost ?? 0))
    return reading
  }

  private func read(_ key: CacheKey, from disk: DiskStore) -> Reading {
    switch disk.open(key.name) {
    case .absent: return .absent
    case .corrupt: return .corrupt
    case .found(let entry):
      guard let head = StoredHead(entry.head) else {
        disk.remove(key.name)
        return .corrupt
      }
      let stored = CacheEntry(key.name, head, .disk(entry))
      if stored.key != key.text { return .absent }
      if entry.bodyByteCount > memoryBodyLimit { return .entry(stored) }
      guard let body = entry.readBody() else { return .corrupt }
      return .entry(CacheEntry(key.name, head, .data(body)))
    }
  }

  private func reason(forAbsent key: CacheKey) -> CacheMissReason {
    guard let last = traces.value(for: .trace(key.sharedHash)) else { return .absent }
    return last.account == key.name.account && last.environment == key.name.environment ? .evicted : .otherAccount
  }

  /// Adds evictions from memory to the counters, unless the entries remain on disk.
  func countEvictions(_ evicted: [EntryName]) {
    if disk != nil || evicted.isEmpty { return }
    counters.update { $0.evictionCount += evicted.count }
  }
}

extension CacheEntry {
  fileprivate var isBodyInMemory: Bool {
    guard case .response(let found) = self, case .disk = found.body else { return true }
    return false
  }
}

extension EntryName {
  static func trace(_ sharedHash: UInt64) -> EntryName {
    EntryName(account: 0, environment: 0, service: 0, api: 0, keyHigh: sharedHash, keyLow: 0)
  }
}
