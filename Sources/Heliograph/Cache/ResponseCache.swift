public import Foundation
import Signals
import Synchronization

/// A store of responses in memory and, if it has a folder, on disk.
///
/// ```swift
/// let cache = try ResponseCache(folder: folder)
/// let client = NetworkClient(baseURL: url) {
///   $0.cache = cache
///   $0.cachePolicy = .http
/// }
/// ```
/// A cache may be shared by several clients and, on disk, by several processes. A response belongs to the account, the
/// environment and the service of its request, and is never delivered to others. When the store is full, the least
/// recently used responses are evicted, on disk in the background. A damaged file is a miss and is removed.
///
/// Files are read on ``NetworkClient/Configuration/processing``, and written there or on the thread that delivers the
/// response. When the head of a response to store arrives, that thread also reads the head of the stored one, unless it
/// is in memory. A removal blocks the calling thread until the files are removed: call it off the main actor. An unsafe
/// request removes files on the transport's thread. May be used from any thread.
public final class ResponseCache: Sendable {
  let memory: MemoryStore<CacheEntry>
  /// The stored responses on disk; `nil` without a folder.
  let disk: DiskStore?
  let now: @Sendable () -> Date
  let memoryBodyLimit: Int
  let counters: CacheCounters
  /// Traces of recently stored responses: they distinguish evicted responses from responses that were never stored.
  let traces = MemoryStore<EntryName>(capacity: 10_000)
  let refreshes = Guarded<Set<EntryName>>([])
  let invalidations = Guarded(Invalidations())
  /// The writes in progress, each with the time at which its response was requested.
  let writes = Guarded(OverlappingWrites<Date>())
  /// The writes not yet checked for an invalidation, by the request's key, with the number of invalidations at the request.
  let unconfirmedWrites = Guarded(OverlappingWrites<Int>())
  /// The lists of variants that requests in flight will store, by the name of the list.
  let lists = MemoryStore<SharedVariants>(capacity: 1_000)
  private let claimedWarnings = Guarded<Set<String>>([])
  private let isUsedFlag: Atomic<Bool>

  /// Creates a cache in memory.
  ///
  /// - Parameters:
  ///   - memoryByteCount: The maximum size of the responses in memory, with their header fields. Default: 20,971,520
  ///     (20 MiB). A response larger than a quarter of this size is not stored in memory.
  ///   - now: The current time, for tests. Default: the system's.
  public convenience init(memoryByteCount: Int = 20_971_520, now: @escaping @Sendable () -> Date = { Date() }) {
    self.init(memoryByteCount, nil, CacheCounters(), now)
  }

  /// Creates a cache in memory and on disk.
  ///
  /// The folder is created if it does not exist. The initializer reads no files; they are counted in the background.
  ///
  /// A file is locked while a body is written to it. On iOS, in the container of an app group, the system may terminate a
  /// process that is suspended meanwhile: keep the folder in the app's own container, and give an extension its own.
  /// - Parameters:
  ///   - folder: The folder, which must contain nothing else.
  ///   - diskByteCount: The maximum size of all files in bytes, each in whole blocks of 4 KiB. Default: 209,715,200
  ///     (200 MiB). A body larger than half of this size is not stored.
  ///   - reservedByteCount: The number of bytes to leave free on the disk. Default: 104,857,600 (100 MiB).
  ///   - memoryByteCount: The maximum size of the responses in memory. Default: 20,971,520 (20 MiB).
  ///   - now: The current time, for tests. Default: the system's.
  /// - Throws: ``NetworkError/Code/invalidTransport`` if the folder cannot be created or written, or belongs to neither
  ///   the user of the process nor the administrator.
  public convenience init(
    folder: URL, diskByteCount: Int = 209_715_200, reservedByteCount: Int = 104_857_600,
    memoryByteCount: Int = 20_971_520, now: @escaping @Sendable () -> Date = { Date() }
  ) throws(NetworkError) {
    let counters = CacheCounters()
    let disk: DiskStore
    do {
      disk = try DiskStore(folder: folder, capacity: diskByteCount, reserve: reservedByteCount) { count, _ in
        counters.update { $0.evictionCount += count }
      }
    } catch let error as NetworkError {
      throw error
    } catch {
      throw NetworkError(
        .invalidTransport, reason: "cannot open the cache folder", underlying: error)
    }
    self.init(memoryByteCount, disk, counters, now)
  }

  init(
    _ memoryByteCount: Int, _ disk: DiskStore?, _ counters: CacheCounters, _ now: @escaping @Sendable () -> Date
  ) {
    memory = MemoryStore(capacity: memoryByteCount)
    memoryBodyLimit = memoryByteCount / 4 - CacheEntry.overhead
    self.disk = disk
    self.counters = counters
    self.now = now
    isUsedFlag = Atomic(disk != nil)
  }

  /// Whether the cache may contain a response; before the first one, lookups and invalidations are skipped.
  var isUsed: Bool { isUsedFlag.load(ordering: .relaxed) }

  func markUsed() { if !isUsed { isUsedFlag.store(true, ordering: .relaxed) } }

  /// Returns whether a warning is new, and remembers it, so that each is issued once.
  func claimWarning(_ warning: String) -> Bool {
    claimedWarnings.withLock { $0.count < 1_000 && $0.insert(warning).inserted }
  }

  /// Removes all responses.
  ///
  /// No request that begins afterwards gets one of them. One that is already in flight in this process gets none after
  /// a failure, and its response is not stored. Blocks until the files are removed, as every removal does.
  public func removeAll() { remove { _ in true } }

  /// Removes the responses of a service, in all environments and of all accounts; blocks until their files are removed.
  ///
  /// - Parameter service: The identity of the service, such as `"shop"`; a path is not one, see
  ///   ``NetworkClient/removeCachedResponses(of:)-(Request)``.
  public func removeAll(ofService service: ServiceID) {
    let hash = CacheKey.shortHash(service.rawValue)
    remove { $0.service == hash }
  }

  /// Removes the responses of an account, in all environments; blocks until their files are removed.
  ///
  /// - Parameter account: The account; `nil` for responses stored without one, also by clients without
  ///   ``NetworkClient/Configuration/account``.
  public func removeAll(ofAccount account: String?) {
    let hash = CacheKey.shortHash(account)
    remove { $0.account == hash }
  }

  /// Removes the responses to a method and URL, whatever their query, body and account; blocks until their files are removed.
  ///
  /// - Parameter request: A request with the method and URL; see also ``NetworkClient/removeCachedResponses(of:)-(Request)``.
  public func removeAll(of request: HTTPRequest) {
    let hash = CacheKey.apiHash(request)
    remove { $0.api == hash }
  }

  private func remove(where condition: @escaping @Sendable (EntryName) -> Bool) {
    invalidations.withLock { $0.addAll() }
    disk?.removeAll(where: condition)
    memory.removeAll(where: condition)
    lists.removeAll(where: condition)
    traces.removeAll { _ in true }
  }
}

/// An entry in memory: a response, or the list of header fields that select the variants.
enum CacheEntry: Sendable {
  case response(FoundResponse)
  case variants(StoredVariants)

  init(_ name: EntryName, _ head: StoredHead, _ body: StoredBody, isOnlyInMemory: Bool = false) {
    switch head {
    case .response(let response):
      self = .response(FoundResponse(name: name, response: response, body: body, isOnlyInMemory: isOnlyInMemory))
    case .variants(let variants): self = .variants(variants)
    }
  }

  var head: StoredHead {
    switch self {
    case .response(let found): .response(found.response)
    case .variants(let variants): .variants(variants)
    }
  }

  var key: String {
    switch self {
    case .response(let found): found.response.key
    case .variants(let variants): variants.key
    }
  }

  /// The number of bytes counted in addition to the body and the head.
  static let overhead = 512
  /// The number of bytes counted for the entry in memory.
  var cost: Int {
    let body = if case .response(let found) = self { found.body.byteCount } else { 0 }
    return body + head.byteCount + CacheEntry.overhead
  }
}
