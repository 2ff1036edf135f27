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
/// anything. The storage may write a file for each cookie that it stores or removes, so neither happens under the lock:
/// until it has been emptied after a period, the cookies of the next one are in memory.
final class CookieStore: Sendable {
  private struct State {
    /// The storage; `nil` before the first use, and after the store was dropped.
    var storage: HTTPCookieStorage?
    var period = 0
    var isDropped = false
    /// The cookies of the current period while the storage still holds those of an earlier one.
    var interim: HTTPCookieStorage?
    /// Whether the cookies of `interim` are being copied to the storage, so that it must not change.
    var isMoving = false

    /// Returns the cookies of the current period.
    mutating func open() -> HTTPCookieStorage? {
      if isDropped { return nil }
      if storage == nil { storage = URLSessionConfiguration.ephemeral.httpCookieStorage }
      return interim ?? storage
    }

    /// Hides all cookies of the storage until they have been removed.
    mutating func hideCookies() {
      if storage == nil { return }
      interim = URLSessionConfiguration.ephemeral.httpCookieStorage
      isMoving = false
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
      guard let storage = open() else { return nil }
      let field = storage.field(for: request)
      // If the period has ended meanwhile, the cookies may be those of the next one.
      return store.state.withLock { $0.period == period } ? field : nil
    }

    /// Stores cookies of a response; a late response of one period never writes into the next.
    func save(_ fields: [String], of request: HTTPRequest) {
      // Without waiting for the removal of other cookies, unless it begins between this line and the next.
      if saveInMemory(fields, request.url) { return }
      store.changes.sync {
        if saveInMemory(fields, request.url) { return }
        // If the period ends before the cookies are stored, the removal that follows waits for them.
        open()?.save(fields, from: request.url)
      }
    }

    private func open() -> HTTPCookieStorage? { store.state.withLock { $0.period == period ? $0.open() : nil } }

    /// Returns whether nothing remains to be saved.
    private func saveInMemory(_ fields: [String], _ url: URL) -> Bool {
      store.state.withLock { state in
        if state.period != period { return true }
        guard let interim = state.interim, !state.isMoving else { return false }
        interim.save(fields, from: url)
        return true
      }
    }
  }

  private let state: Guarded<State>
  /// Makes changes of the storage serial, each on the thread of its caller.
  let changes = DispatchQueue(label: "heliograph.cookies")

  /// Creates a store; without a storage, the cookies are in memory.
  init(_ storage: HTTPCookieStorage? = nil) { state = Guarded(State(storage: storage)) }

  var jar: any CookieJar { Jar(self, state.withLock { $0.period }) }

  /// Ends the current period and closes its jars; the next period starts with the current cookies or with none.
  ///
  /// Without the cookies, ``removeHiddenCookies()`` must follow.
  func beginPeriod(keepingCookies keepsCookies: Bool) {
    state.withLock { state in
      state.period += 1
      if !keepsCookies { state.hideCookies() }
    }
  }

  /// Ends the current period permanently and releases the storage.
  func drop() {
    state.withLock { state in
      state.period += 1
      state.isDropped = true
      state.storage = nil
      state.interim = nil
    }
  }

  /// Removes the cookies of an earlier period from the storage.
  func removeHiddenCookies() {
    // On the thread of the caller, because a program may end at once after signing out.
    changes.sync {
      guard let storage = state.withLock({ $0.interim == nil ? nil : $0.storage }) else { return }
      storage.removeAll()
      let interim = state.withLock { state in
        state.isMoving = true
        return state.interim
      }
      for cookie in interim?.cookies ?? [] { storage.setCookie(cookie) }
      state.withLock { state in
        // Otherwise another period has begun, and its caller waits in order to remove these cookies, too.
        if state.isMoving { state.interim = nil }
        state.isMoving = false
      }
    }
  }

  /// Removes all cookies; jars stay open.
  func clear() {
    state.withLock { $0.hideCookies() }
    removeHiddenCookies()
  }
}

extension HTTPCookieStorage {
  func removeAll() {
    for cookie in cookies ?? [] { deleteCookie(cookie) }
  }
}
