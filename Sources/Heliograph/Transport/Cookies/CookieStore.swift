import Signals

// On Apple's systems all of it is in Foundation.
#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

/// A cookie storage that serves one period at a time, such as the time in which one account is signed in.
///
/// A jar belongs to the period in which it was made; when that has ended, it reads and stores nothing more.
final class CookieStore: Sendable {
  private struct State {
    /// `nil` until it is used, and once it has been dropped.
    var storage: HTTPCookieStorage?
    var period = 0
    var isDropped = false
    /// Whether it still holds the cookies of a period that has ended.
    var isStale = false

    /// The storage, without what a former period has left.
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

  private struct Jar: CookieJar {
    let store: CookieStore
    let period: Int

    func field(for request: HTTPRequest) -> String? {
      store.use(in: period) { $0.field(for: request) } ?? nil
    }

    func keep(_ fields: [String], of request: HTTPRequest) {
      store.use(in: period) { $0.keep(fields, from: request.url) }
    }
  }

  private let state: Guarded<State>

  /// Makes a store.
  ///
  /// - Parameter storage: what keeps the cookies. Default: a storage in memory.
  init(_ storage: HTTPCookieStorage? = nil) {
    state = Guarded(State(storage: storage))
  }

  /// The cookies of the present period.
  var jar: any CookieJar { Jar(store: self, period: state.withLock { $0.period }) }

  /// Ends the period: jars of before are closed, and the next one begins with the cookies that are there, or with none.
  func beginPeriod(keepingCookies isKeeping: Bool) {
    state.withLock { state in
      state.period += 1
      if !isKeeping { state.isStale = true }
    }
  }

  /// Ends the last period and frees the storage.
  func drop() {
    state.withLock { state in
      state.period += 1
      state.isDropped = true
      state.storage = nil
    }
  }

  /// Removes what a former period has left; the next one to use the storage would.
  func sweep() {
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

  /// The storage is used inside the lock, so that no late response of one period writes into the next.
  @discardableResult
  private func use<Result: Sendable>(in period: Int, _ body: (HTTPCookieStorage) -> Result) -> Result? {
    state.withLock { state in
      guard state.period == period, let storage = state.open() else { return nil }
      return body(storage)
    }
  }
}

extension HTTPCookieStorage {
  /// Removes all cookies.
  func removeAll() {
    for cookie in cookies ?? [] { deleteCookie(cookie) }
  }
}
