import Foundation
import Signals

extension ResponseCache {
  /// Returns the location of a response: the key of the request or of its variant.
  ///
  /// Nothing is written before the response is accepted. `sent` is `nil` if the fields as sent are not known.
  func location(
    of key: CacheKey, for request: HTTPRequest, _ headers: HTTPHeaders, sent: HTTPHeaders?
  ) -> StorageLocation {
    let names = VaryFields(response: headers)?.names ?? []
    let current = variants(of: key)
    // Among variants, a response without `Vary` is a further variant: it must not displace the others (RFC 9111
    // §4.1).
    if names.isEmpty, current == nil { return StorageLocation(key: key, primary: key) }
    let isListed = current.map { names.isEmpty || $0.names == names } ?? false
    let variants = current.flatMap { isListed ? $0 : nil } ?? sharedVariants(of: key, names)
    let values = VaryFields(names: variants.names).values(in: request.selectingFields(variants.names, sent))
    return StorageLocation(
      key: key.variant(variants.epoch, values), primary: key, list: isListed ? nil : variants)
  }

  /// Returns a new list of variants, which requests in flight share.
  private func sharedVariants(of key: CacheKey, _ names: [String]) -> StoredVariants {
    // Otherwise the last one to end would drop the variants of the others. A list from before an invalidation is not
    // shared, because its variants would be found again.
    let list = StoredVariants(key: key.text, names: names, epoch: .random(in: .min ... .max))
    let (count, last) = invalidations.withLock { ($0.count, $0.last(of: key)) }
    let new = SharedVariants(list: list, invalidationCount: count)
    return lists.value(for: key.name, orInsert: new) {
      $0.list.key == list.key && $0.list.names == list.names && $0.invalidationCount >= last
    }.list
  }

  func variants(of key: CacheKey) -> StoredVariants? {
    if let entry = memory.value(for: key.name) {
      if case .variants(let variants) = entry, variants.key == key.text { return variants }
      return nil
    }
    guard let disk, case .found(let entry) = disk.open(key.name, readsBody: false),
      case .variants(let variants) = StoredHead(entry.head)
    else { return nil }
    return variants.key == key.text ? variants : nil
  }

  /// Writes an entry, unless its key was invalidated or removed since its response was requested, when the number of
  /// invalidations was `count`.
  ///
  /// If an invalidation comes between the check and the write, the entry is removed again; no lookup that begins
  /// after the invalidation finds it. `key` is that of the request; the result is `nil` if nothing remains stored.
  func writing<Result>(
    _ name: EntryName, of key: CacheKey, since count: Int, _ write: () -> Result
  ) -> Result? {
    // Registered before the check: if the check misses an invalidation, lookups after it still know of the write.
    unconfirmedWrites.withLock { $0.begin(key.name, count) }
    defer { unconfirmedWrites.withLock { _ = $0.finish(key.name) } }
    if isInvalidated(key, since: count) { return nil }
    let result = write()
    if isInvalidated(key, since: count) {
      remove(name)
      // The write may have stored the list of variants again, which leads to variants from before the invalidation.
      remove(key.name)
      return nil
    }
    return result
  }

  /// Whether a write in progress may store a response from before an invalidation of its key.
  func hasUnconfirmedWrite(_ key: CacheKey) -> Bool {
    guard let counts = unconfirmedWrites.withLock({ $0[key.name] }) else { return false }
    return isInvalidated(key, since: counts.lowerBound)
  }

  func remove(_ name: EntryName) {
    disk?.remove(name)
    memory.remove(name)
  }

  /// Removes the responses to `GET` for the URLs that an unsafe request has changed.
  func invalidate(_ addresses: [URL], for request: HTTPRequest) {
    let keys = keys(of: addresses, for: request)
    // As of every failed request: the folder of temporary files is not read in vain.
    if keys.isEmpty { return }
    // A response requested before the invalidation is outdated.
    let now = now()
    invalidations.withLock { $0.add(keys, at: now) }
    disk?.remove(keys.map(\.name))
    for key in keys {
      memory.remove(key.name)
      lists.remove(key.name)
      traces.remove(.trace(key.sharedHash))
    }
  }

  /// Whether the URL to which redirects led for a stored response has been invalidated since the response's request;
  /// the response is stored under the URL of the request, whose key is `requestKey`.
  func isOutdated(_ found: FoundResponse, of requestKey: CacheKey, for request: HTTPRequest) -> Bool {
    // The response to an unsafe request would be outdated by the request itself.
    guard requestKey.isInvalidatable, found.response.redirectCount > 0 else { return false }
    // The keys of a URL are invalidated together.
    guard invalidations.withLock({ !$0.slots.isEmpty }),
      let key = keys(of: [found.response.url], for: request).first,
      let time = invalidations.withLock({ $0.lastTime(of: key) })
    else { return false }
    // After the clock was set back, a later time says nothing.
    return time >= found.response.head.requestedAt && time <= now()
  }

  private func keys(of addresses: [URL], for request: HTTPRequest) -> [CacheKey] {
    var keys: [CacheKey] = []
    var stored = request
    (stored.method, stored.body) = (.get, .empty)
    for address in addresses {
      stored.url = address
      stored.headers["Host"] = Origin(request.url)?.matches(address) == true ? request.headers["Host"] : nil
      for context in request.context.cache?.invalidated ?? [CacheContext()] {
        stored.context.cache = context
        for redirects in [RedirectPolicy.follow, .stop] {
          stored.redirects = redirects
          if let key = CacheKey(stored) { keys.append(key) }
        }
      }
    }
    return keys
  }

  var invalidationCount: Int { invalidations.withLock { $0.count } }

  /// Whether a key may have been invalidated or removed after the number of invalidations was `count`.
  func isInvalidated(_ key: CacheKey, since count: Int) -> Bool { invalidations.withLock { $0.last(of: key) } > count }

  /// Starts a background refresh, unless one for the entry is in flight; `start` must not retain the refresh beyond its
  /// source.
  func refresh(_ name: EntryName, _ start: (EndAction) -> Void) {
    guard refreshes.withLock({ $0.insert(name).inserted }) else { return }
    start(EndAction { [weak self] in _ = self?.refreshes.withLock { $0.remove(name) } })
  }
}

/// The invalidations of a cache, numbered in their order.
///
/// Keys in one slot are invalidated together, which only prevents responses in flight from being stored, and those to
/// which redirects led from being found. A removal counts for all keys, and prevents only the former.
struct Invalidations: Sendable {
  static let slotCount = 4_096

  private(set) var count = 0
  /// The number of the last removal by service, account or API, which counts for all keys.
  private var lastRemoval = 0
  /// The number and the time of the last invalidation of each slot; empty before the first one.
  private(set) var slots: [(count: Int, at: Date?)] = []

  mutating func addAll() {
    count += 1
    lastRemoval = count
  }

  mutating func add(_ keys: [CacheKey], at now: Date) {
    if slots.isEmpty { slots = Array(repeating: (0, nil), count: Self.slotCount) }
    for key in keys {
      count += 1
      slots[slot(of: key)] = (count, now)
    }
  }

  /// The number of the last invalidation or removal of a key; zero before the first one.
  func last(of key: CacheKey) -> Int {
    // The response to an unsafe request may share a slot with those that the request invalidates.
    if slots.isEmpty || !key.isInvalidatable { return lastRemoval }
    return max(lastRemoval, slots[slot(of: key)].count)
  }

  func lastTime(of key: CacheKey) -> Date? { slots.isEmpty ? nil : slots[slot(of: key)].at }

  private func slot(of key: CacheKey) -> Int { Int(key.name.keyHigh % UInt64(Self.slotCount)) }
}

/// A list of variants that requests in flight will store.
struct SharedVariants: Sendable {
  let list: StoredVariants
  /// The number of invalidations when the list was created.
  let invalidationCount: Int
}

struct StorageLocation: Sendable {
  let key: CacheKey
  /// The key of the request, under which a list of variants is stored.
  let primary: CacheKey
  /// The list of variants to store with the response; `nil` if there is none or it is already stored.
  var list: StoredVariants?
}

extension HTTPRequest {
  /// Returns the header fields that selected a variant, as sent, because cookies may have changed since.
  fileprivate func selectingFields(_ names: [String], _ sent: HTTPHeaders?) -> HTTPHeaders {
    guard let sent, binding.jar != nil, names.contains("cookie") else { return selectingFields(names) }
    var headers = headers
    headers["Cookie"] = sent["Cookie"]
    return headers
  }
}
