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
    // Before the storage has been emptied, too.
    expectEqual(store.jar.field(for: request), (isKeeping ? "a=1" : nil))
    old.save(["late=1"], of: request)
    expectNil(old.field(for: request))
    expectEqual(store.jar.field(for: request), (isKeeping ? "a=1" : nil))
    store.removeHiddenCookies()
    expectEqual(storage.cookies?.count, (isKeeping ? 1 : 0))
  }

  @Test("P9") func whatIsLeftIsSwept() {
    store.jar.save(["a=1"], of: request)
    store.beginPeriod(keepingCookies: false)
    store.removeHiddenCookies()
    expectEqual(storage.cookies?.isEmpty, true)
    store.jar.save(["b=1"], of: request)
    store.removeHiddenCookies()
    expectEqual(store.jar.field(for: request), "b=1")
    store.clear()
    expectEqual(storage.cookies?.isEmpty, true)
  }

  /// Foundation may write a file for each cookie: meanwhile no request and no response waits.
  @Test("P9") func theNextPeriodDoesNotWaitUntilTheStorageIsEmpty() {
    store.jar.save(["old=1"], of: request)
    let gate = DispatchSemaphore(value: 0)  // blocks: the queue of changes
    store.changes.async { gate.wait() }
    store.beginPeriod(keepingCookies: false)
    let jar = store.jar
    jar.save(["a=1", "b=1"], of: request)
    jar.save(["b=; Max-Age=0"], of: request)
    expectEqual(jar.field(for: request), "a=1")
    expectEqual(storage.cookies?.map(\.name), ["old"])
    // Once more, as somebody signs out in the meantime.
    store.beginPeriod(keepingCookies: false)
    expectNil(store.jar.field(for: request))
    store.jar.save(["c=1"], of: request)
    gate.signal()
    store.removeHiddenCookies()
    expectEqual(storage.cookies?.map(\.name), ["c"])
    store.jar.save(["d=1"], of: request)
    expectEqual(store.jar.field(for: request), "c=1; d=1")
    expectEqual(storage.cookies?.count, 2)
  }

  /// A program may end at once after it has signed out; a request that notices it first need not wait.
  @Test("P9") func whoSignsOutRemovesTheCookiesAndNoRequestDoes() throws {
    let account = CurrentValue<String?>("ann")
    let fences = Guarded<[Fence]>([])
    let counts = Guarded<[Int?]>([])
    // Notified before the fence, like a request of another thread that begins then.
    account.signal.subscribe(onValue: { [storage] value in
      guard value == nil, let fence = fences.withLock({ $0.first }) else { return }
      _ = fence.takeSnapshot()
      counts.withLock { $0.append(storage.cookies?.count) }
    })
    let fence = try require(Fence(nil, account, cookies: storage))
    fences.withLock { $0.append(fence) }
    fence.takeSnapshot().jar?.save(["a=1"], of: request)
    expectEqual(storage.cookies?.count, 1)
    account.value = nil
    expectEqual(counts.withLock { $0 }, [1])
    expectEqual(storage.cookies?.count, 0)
  }

  /// Responses, sign-outs and removals on several threads.
  @Test("P9") func noCookieOutlivesItsPeriod() async {
    let (store, storage, request) = (store, storage, request)
    let left = Guarded<[String]>([])
    await together(4) { index in
      for number in 0..<300 {
        let jar = store.jar
        jar.save(["c\(index)=\(number)"], of: request)
        if index > 1 { continue }
        if index == 1 {
          if number.isMultiple(of: 10) { store.clear() }
          continue
        }
        store.beginPeriod(keepingCookies: false)
        if let field = store.jar.field(for: request), field.contains("c0") { left.withLock { $0.append(field) } }
        store.removeHiddenCookies()
        if storage.cookies?.contains(where: { $0.name == "c0" }) != false { left.withLock { $0.append("stored") } }
        if jar.field(for: request) != nil { left.withLock { $0.append("read by a closed jar") } }
      }
    }
    expectEqual(left.withLock { $0 }, [])
    for _ in 0..<300 {
      let last = store.jar
      await together(2) { index in
        if index == 1 { return last.save(["late=1"], of: request) }
        store.beginPeriod(keepingCookies: false)
        store.removeHiddenCookies()
      }
      expectEqual(storage.cookies?.isEmpty, true)
    }
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
