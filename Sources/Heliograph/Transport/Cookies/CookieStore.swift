import Signals

// Foundation contains these types on Apple's platforms.
#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

/// A cookie storage that serves one period at a time, such as the time in which one account is signed in.
///
/// A jar belongs to the period in which it was created. After the end of that period it neither reads nor stores
/// anything.
final class CookieStore: Sendable {
  private struct State {
    /// The storage; `nil` before the first use, and after the store was dropped.
    var storage: HTTPCookieStorage?
    var period = 0
    var isDropped = false
    /// Whether the storage still holds the cookies of an earlier period.
    var isStale = false

    /// Returns the storage without the cookies of an earlier period.
    mutating func open() -> HTTPCookieStorage? {
      if isDropped { return nil }
      if storage == nil { storage = URLSessionConfiguration.ephemeral.httpCookieStorage }
      if isStale {
        isStale = false
        storage?.removeAll()
      }
      return storage
    }
  }

  private final class Jar: CookieJar {
    private let store: CookieStore
    private let period: Int

    init(_ store: CookieStore, _ period: Int) {
      self.store = store
      self.period = period
    }

    func field(for request: HTTPRequest) -> String? {
      store.use(in: period) { $0.field(for: request) } ?? nil
    }

    func save(_ fields: [String], of request: HTTPRequest) {
      store.use(in: period) { $0.save(fields, from: request.url) }
    }
  }

  private let state: Guarded<State>

  /// Creates a store; without a storage, the cookies are in memory.
  init(_ storage: HTTPCookieStorage? = nil) { state = Guarded(State(storage: storage)) }

  var jar: any CookieJar { Jar(self, state.withLock { $0.period }) }

  /// Ends the current period and closes its jars; the next period starts with the current cookies or with none.
  func beginPeriod(keepingCookies keepsCookies: Bool) {
    state.withLock { state in
      state.period += 1
      if !keepsCookies { state.isStale = true }
    }
  }

  /// Ends the current period permanently and releases the storage.
  func drop() {
    state.withLock { state in
      state.period += 1
      state.isDropped = true
      state.storage = nil
    }
  }

  /// Removes the cookies of an earlier period immediately instead of at the next use of the storage.
  func removeStaleCookies() {
    state.withLock { state in
      if state.isStale { _ = state.open() }
    }
  }

  /// Removes all cookies; jars stay open.
  func clear() {
    state.withLock { state in
      if state.storage != nil { state.open()?.removeAll() }
    }
  }

  /// Uses the storage inside the lock, so that a late response of one period never writes into the next.
  @discardableResult
  private func use<Result: Sendable>(in period: Int, _ body: (HTTPCookieStorage) -> Result) -> Result? {
    state.withLock { state in
      guard state.period == period, let storage = state.open() else { return nil }
      return body(storage)
    }
  }
}

extension HTTPCookieStorage {
  func removeAll() {
    for cookie in cookies ?? [] { deleteCookie(cookie) }
  }
}
