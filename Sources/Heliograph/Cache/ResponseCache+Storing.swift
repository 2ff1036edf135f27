import Foundation
import Signals
import Synchronization

extension ResponseCache {
  /// Returns where a response is stored: under the key of the request, or of its variant.
  ///
  /// Nothing is written before the response is accepted.
  /// - Parameters:
  ///   - key: The key of the request.
  ///   - request: The request.
  ///   - headers: The header fields of the response.
  ///   - sent: The header fields as sent; `nil` if they are not known.
  /// - Returns: The place.
  func place(_ key: CacheKey, for request: HTTPRequest, _ headers: HTTPHeaders, sent: HTTPHeaders?) -> StoragePlace {
    let names = VaryFields(response: headers)?.names ?? []
    let known = variants(of: key)
    // Among variants, a response without `Vary` is one of them: it must not displace the others (RFC 9111 §4.1).
    if names.isEmpty, known == nil { return StoragePlace(key: key) }
    var list = StoredVariants(key: key.text, names: names, epoch: .random(in: .min ... .max))
    var isNew = true
    if let known, names.isEmpty || known.names == names { (list, isNew) = (known, false) }
    let values = VaryFields(names: list.names).values(in: request.selectingFields(list.names, sent))
    return StoragePlace(
      key: key.variant(list.epoch, values), list: isNew ? (list, key.name) : nil)
  }

  private func variants(of key: CacheKey) -> StoredVariants? {
    if let entry = memory.value(for: key.name) {
      if case .variants(let variants) = entry.head, variants.key == key.text { return variants }
      return nil
    }
    guard let disk, case .found(let entry) = disk.open(key.name), case .variants(let variants) = StoredHead(entry.head)
    else { return nil }
    return variants.key == key.text ? variants : nil
  }

  /// Stores an entry with its whole body on disk and in memory.
  ///
  /// As every change, on disk first: what a read of the file has found before is then not kept in memory.
  func write(_ head: StoredHead, _ body: Data, for name: EntryName) {
    noteUse()
    if let disk {
      let writer = disk.writer(for: name, head: head.encoded)
      // An older response must not outlive the one that replaces it.
      if writer?.append(body) != true || writer?.commit() != true { disk.remove(name) }
    }
    if body.count > memoryBodyLimit { return memory.remove(name) }
    let entry = MemoryEntry(head: head, body: body)
    note(memory.insert(entry, cost: entry.cost, for: name))
  }

  /// Replaces the head of an entry and keeps its body, as after a 304.
  ///
  /// A response that has replaced the entry in the meantime stays: the new head is not about its body.
  func update(_ found: FoundResponse, with response: StoredResponse) -> FoundResponse {
    let head = StoredHead.response(response)
    switch found.body {
    case .data(let body):
      let current = self.head(of: found.name)
      if current == nil || current == .response(found.response) { write(head, body, for: found.name) }
    case .disk(let entry): _ = disk?.replaceHead(of: found.name, with: head.encoded, expecting: entry)
    }
    return FoundResponse(name: found.name, response: response, body: found.body)
  }

  private func head(of name: EntryName) -> StoredHead? {
    if let entry = memory.value(for: name) { return entry.head }
    guard let disk, case .found(let entry) = disk.open(name) else { return nil }
    return StoredHead(entry.head)
  }

  /// Removes an entry that was written while its key was invalidated.
  func confirmWrite(of name: EntryName, _ key: CacheKey, since count: Int) {
    if isInvalidated(key, since: count) { remove(name) }
  }

  /// Removes an entry.
  func remove(_ name: EntryName) {
    disk?.remove(name)
    memory.remove(name)
  }

  /// Removes the responses to `GET` for an address, after an unsafe request has changed it.
  func invalidate(_ address: URL, for request: HTTPRequest) {
    let number = invalidations.add(1, ordering: .acquiringAndReleasing).newValue
    for follows in [true, false] {
      guard let key = CacheKey(request, method: .get, url: address, followsRedirects: follows) else { continue }
      // A response that was requested before is older than the change.
      invalidated.insert(number, cost: 1, for: key.name)
      remove(key.name)
      traces.remove(.trace(key.shared))
    }
  }

  /// The number of invalidations so far.
  var invalidationCount: Int { invalidations.load(ordering: .acquiring) }

  /// Whether a key was invalidated or removed after a number of invalidations.
  func isInvalidated(_ key: CacheKey, since count: Int) -> Bool {
    if invalidationCount <= count { return false }
    return removals.load(ordering: .acquiring) > count || (invalidated.value(for: key.name) ?? 0) > count
  }

  /// Starts a refresh in the background, unless there is one for the entry.
  func refresh(_ name: EntryName, _ start: CacheContext.Refresh) {
    let isFirst = refreshes.withLock { refreshes in
      if refreshes[name] != nil { return false }
      refreshes[name] = Disposable {}
      return true
    }
    guard isFirst else { return }
    let handle = start { [weak self] in
      let ended = self?.refreshes.withLock { $0.removeValue(forKey: name) }
      withExtendedLifetime(ended) {}
    }
    // It may have ended already.
    refreshes.withLock { if $0[name] != nil { $0[name] = handle } }
  }
}

/// The place of a response in the cache.
struct StoragePlace: Sendable {
  let key: CacheKey
  /// The list of variants that has to be stored with the response, and its name; `nil` if it is stored already.
  var list: (variants: StoredVariants, name: EntryName)?
}

extension HTTPRequest {
  /// Returns the header fields that selected a variant: the cookies may have changed since they were sent.
  fileprivate func selectingFields(_ names: [String], _ sent: HTTPHeaders?) -> HTTPHeaders {
    guard let sent, context.cache?.cookie != nil, names.contains("cookie") else { return selectingFields(names) }
    var headers = headers
    headers["Cookie"] = sent["Cookie"]
    return headers
  }
}
