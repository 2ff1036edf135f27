import Foundation
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

@testable import Heliograph

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A jar belongs to one period of its store.
struct CookieStoreTests {
  private let request: HTTPRequest
  private let storage: HTTPCookieStorage
  private let store: CookieStore

  init() throws {
    request = HTTPRequest(url: try require(URL(string: "https://shop.example/")))
    storage = try .inMemory
    store = CookieStore(storage)
  }

  @Test("P9", arguments: [true, false]) func aJarEndsWithItsPeriod(_ isKeeping: Bool) {
    let old = store.jar
    old.save(["a=1"], of: request)
    expectEqual(old.field(for: request), "a=1")
    store.beginPeriod(keepingCookies: isKeeping)
    // Before anybody has swept, too.
    expectEqual(store.jar.field(for: request), (isKeeping ? "a=1" : nil))
    old.save(["late=1"], of: request)
    expectNil(old.field(for: request))
    expectEqual(store.jar.field(for: request), (isKeeping ? "a=1" : nil))
    expectEqual(storage.cookies?.count, (isKeeping ? 1 : 0))
  }

  @Test("P9") func whatIsLeftIsSwept() {
    store.jar.save(["a=1"], of: request)
    store.beginPeriod(keepingCookies: false)
    store.removeStaleCookies()
    expectEqual(storage.cookies?.isEmpty, true)
    store.jar.save(["b=1"], of: request)
    store.removeStaleCookies()
    expectEqual(store.jar.field(for: request), "b=1")
    store.clear()
    expectEqual(storage.cookies?.isEmpty, true)
  }

  @Test("P9") func aStoreThatIsDroppedHoldsNothing() {
    let store = CookieStore()
    let jar = store.jar
    jar.save(["a=1"], of: request)
    expectEqual(jar.field(for: request), "a=1")
    store.drop()
    store.jar.save(["b=1"], of: request)
    expectNil(store.jar.field(for: request))
    expectNil(jar.field(for: request))
  }

  /// Accounts and typed-in addresses come and go, and leave nothing behind.
  @Test("P9") func theNumberOfStoresIsBounded() throws {
    let home = EnvironmentStore.State(environment: .develop)
    var jars = CookieJars(storage, in: home)
    var identity = Identity(account: nil, environment: home)
    for number in 0..<1_000 {
      let address = URL(string: "http://10.0.0.1:\(number)")
      var next = identity
      next.environment = EnvironmentStore.State(environment: .custom, customAddress: address)
      jars.switchIdentity(from: identity, to: next, accountChangeCount: 0)
      _ = jars.jar(in: next.environment)
      identity = next
      expectEqual(jars.all.count, 2)
      next.account = "account \(number)"
      jars.switchIdentity(from: identity, to: next, accountChangeCount: 1)
      identity = next
      expect(jars.all.count <= 2)
    }
  }
}
