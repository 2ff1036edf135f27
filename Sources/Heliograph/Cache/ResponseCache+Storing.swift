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
    if names.isEmpty, known == nil { return StoragePlace(key: key, primary: key) }
    let isListed = known.map { names.isEmpty || $0.names == names } ?? false
    let variants = known.flatMap { isListed ? $0 : nil } ?? sharedVariants(of: key, names)
    let values = VaryFields(names: variants.names).values(in: request.selectingFields(variants.names, sent))
    return StoragePlace(
      key: key.variant(variants.epoch, values), primary: key, list: isListed ? nil : variants)
  }

  /// Returns a new list of variants.
  ///
  /// Requests in flight share it: the last one to end would lose the variants of the others otherwise. It is not one from
  /// before a change, because variants that were stored with it would be found again.
  private func sharedVariants(of key: CacheKey, _ names: [String]) -> StoredVariants {
    let last = lastInvalidation(of: key)
    let list = StoredVariants(key: key.text, names: names, epoch: .random(in: .min ... .max))
    // After the invalidation before it; one between the two does no harm, as the response is then older and is not stored.
    let new = SharedVariants(list: list, count: invalidationCount)
    return lists.value(for: key.name, orInsert: new) {
      $0.list.key == list.key && $0.list.names == list.names && $0.count >= last
    }.list
  }

  private func variants(of key: CacheKey) -> StoredVariants? {
    if let entry = memory.value(for: key.name) {
      if case .variants(let variants) = entry, variants.key == key.text { return variants }
      return nil
    }
    guard let disk, case .found(let entry) = disk.open(key.name), case .variants(let variants) = StoredHead(entry.head)
    else { return nil }
    return variants.key == key.text ? variants : nil
  }

  /// Writes an entry, unless its key was invalidated or removed since its response was requested.
  ///
  /// An invalidation may come between the check and the write; then the entry is removed again, and until then no look-up
  /// that begins after the invalidation finds it.
  ///
  /// - Parameters:
  ///   - name: The name of the entry.
  ///   - key: The key of the request.
  ///   - count: The number of invalidations when the response was requested.
  ///   - write: Writes the entry.
  /// - Returns: The result of the closure; `nil` if nothing is written.
  func writing<Result>(
    _ name: EntryName, of key: CacheKey, since count: Int, _ write: () -> Result
  ) -> Result? {
    // Before the check, so that a look-up after an invalidation that the check has missed knows of the write.
    unconfirmed.withLock { $0.begin(key.name, count) }
    defer { unconfirmed.withLock { _ = $0.finish(key.name) } }
    if isInvalidated(key, since: count) { return nil }
    let result = write()
    if isInvalidated(key, since: count) {
      remove(name)
      // The list of variants, which the write may have stored anew, leads to variants from before the change.
      remove(key.name)
    }
    return result
  }

  /// Whether an entry of a key may be one that is written although the key was invalidated.
  func isDoubtful(_ key: CacheKey) -> Bool {
    guard let counts = unconfirmed.withLock({ $0[key.name] }) else { return false }
    return isInvalidated(key, since: counts.lowerBound)
  }

  /// Removes an entry.
  func remove(_ name: EntryName) {
    disk?.remove(name)
    memory.remove(name)
  }

  /// Removes the responses to `GET` for an address, after an unsafe request has changed it.
  func invalidate(_ address: URL, for request: HTTPRequest) {
    var stored = request
    (stored.method, stored.url, stored.body) = (.get, address, .empty)
    if Origin(request.url)?.matches(address) != true { stored.headers["Host"] = nil }
    for redirects in [RedirectPolicy.follow, .stop] {
      stored.redirects = redirects
      guard let key = CacheKey(stored) else { continue }
      // A response that was requested before is older than the change. A request that has counted it knows its key, too.
      invalidated.withLock { numbers in
        if numbers.isEmpty { numbers = Array(repeating: 0, count: CacheKey.slotCount) }
        numbers[key.slot] = invalidations.add(1, ordering: .acquiringAndReleasing).newValue
      }
      remove(key.name)
      lists.remove(key.name)
      traces.remove(.trace(key.shared))
    }
  }

  /// The number of invalidations so far.
  var invalidationCount: Int { invalidations.load(ordering: .acquiring) }

  /// Whether a key was invalidated or removed after a number of invalidations.
  func isInvalidated(_ key: CacheKey, since count: Int) -> Bool {
    invalidationCount > count && lastInvalidation(of: key) > count
  }

  /// The number of the last invalidation or removal of a key.
  private func lastInvalidation(of key: CacheKey) -> Int {
    max(removals.load(ordering: .acquiring), invalidated.withLock { $0.isEmpty ? 0 : $0[key.slot] })
  }

  /// Starts a refresh in the background, unless there is one for the entry.
  func refresh(_ name: EntryName, _ start: (_ ended: @escaping @Sendable () -> Void) -> Disposable) {
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

extension CacheKey {
  /// The number of invalidation numbers.
  fileprivate static let slotCount = 4_096

  /// The index of the key's invalidation number.
  fileprivate var slot: Int { Int(name.keyHigh % UInt64(CacheKey.slotCount)) }
}

/// A list of variants that requests in flight will store.
struct SharedVariants: Sendable {
  let list: StoredVariants
  /// The number of invalidations when it was created.
  let count: Int
}

/// The place of a response in the cache.
struct StoragePlace: Sendable {
  let key: CacheKey
  /// The key of the request, under which a list of variants is stored.
  let primary: CacheKey
  /// The list of variants that has to be stored with the response; `nil` if there is none, or it is stored already.
  var list: StoredVariants?
}

extension HTTPRequest {
  /// Returns the header fields that selected a variant: the cookies may have changed since they were sent.
  fileprivate func selectingFields(_ names: [String], _ sent: HTTPHeaders?) -> HTTPHeaders {
    guard let sent, binding.jar != nil, names.contains("cookie") else { return selectingFields(names) }
    var headers = headers
    headers["Cookie"] = sent["Cookie"]
    return headers
  }
}
