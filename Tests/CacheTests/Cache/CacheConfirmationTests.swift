import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// The 304s of real servers: with fewer names in `Vary`, a strong entity tag for a weak one, or a media type of their
/// own.
struct CacheConfirmationTests {
  private let weak: HTTPHeaders = ["ETag": "W/\"1\"", "Cache-Control": "max-age=60", "X-Count": "1"]
  private let strong: HTTPHeaders = ["ETag": "\"1\"", "Cache-Control": "max-age=600", "X-Count": "2"]

  /// Sends a request after some seconds and returns its first response.
  private func send(
    _ kit: TestKit, _ policy: CachePolicy = .http, _ fields: HTTPHeaders = [:], after seconds: Int = 0
  ) async -> Response<String>? {
    await kit.clock.advance(by: .seconds(seconds))
    let request = Request(.get, "/a", headers: fields, cache: policy)
    let recorder = SignalRecorder(kit.client.enqueue(request: request, resultType: String.self))
    await kit.clock.advance()
    return recorder.values.last
  }

  /// The filter that compresses leaves a 304 alone, and so does not add its name.
  @Test func a304ThatNamesFewerFieldsKeepsTheVariant() async {
    let kit = TestKit()
    var headers = strong
    headers["Vary"] = "Origin, Accept-Language"
    var fewer = strong
    fewer["Vary"] = "origin"
    kit.stub.on(.get, "/a", .data(Data("a".utf8), headers: headers), .status(304, headers: fewer), .text("b"))
    await expectEqual(send(kit)?.source, .network)
    await expectEqual(send(kit, after: 601)?.source, .revalidated)
    await expectEqual(send(kit, after: 1)?.source, .cache(age: .seconds(1)))
    // The stored fields still select.
    await expectEqual(send(kit, .http, ["Accept-Language": "de"])?.value, "b")
  }

  /// RFC 9111 §4.3.4 forbids the update alone.
  @Test(arguments: [CachePolicy.http, .networkThenCache])
  func aStrongTagConfirmsTheWeakOneWithoutAnUpdate(_ policy: CachePolicy) async {
    let kit = TestKit()
    kit.stub.on(.get, "/a", .data(Data("a".utf8), headers: weak), .status(304, headers: strong))
    await expectEqual(send(kit, policy)?.source, .network)
    for count in 2...3 {
      let response = await send(kit, policy, after: 61)
      expectEqual(response?.value, "a")
      expectEqual(response?.source, .revalidated)
      expectEqual(response?.headers["X-Count"], "1")
      expectEqual(kit.stub.requests.count, count)
      expectEqual(kit.stub.requests.last?.headers["If-None-Match"], "W/\"1\"")
    }
    // It is as old as before.
    await expectEqual(send(kit, .onlyIfCached, after: 1)?.source, .cache(age: .seconds(123)))
  }

  @Test(arguments: [true, false]) func anEqualDateConfirmsAResponseWhoseTagIsMissing(_ isEqual: Bool) async {
    let kit = TestKit()
    let date = "Thu, 01 Jan 2026 00:00:00 GMT"
    let dated: HTTPHeaders = ["Last-Modified": date, "Cache-Control": "max-age=60"]
    var tagged = strong
    tagged["Last-Modified"] = isEqual ? date : nil
    kit.stub.on(.get, "/a", .data(Data("a".utf8), headers: dated), .status(304, headers: tagged), .text("b"))
    await expectEqual(send(kit)?.source, .network)
    await expectEqual(send(kit, after: 61)?.value, isEqual ? "a" : "b")
    expectEqual(kit.stub.requests.count, isEqual ? 2 : 3)
  }

  /// The time to live is the app's, and begins with the confirmation.
  @Test func aConfirmationWithoutAnUpdateRenewsTheTimeToLive() async {
    let kit = TestKit()
    kit.stub.on(.get, "/a", .data(Data("a".utf8), headers: weak), .status(304, headers: strong))
    let policy = CachePolicy.timeToLive(.seconds(30))
    await expectEqual(send(kit, policy)?.source, .network)
    await expectEqual(send(kit, policy, after: 61)?.source, .revalidated)
    await expectEqual(send(kit, policy, after: 20)?.source, .cache(age: .seconds(20)))
    // HTTP knows its age.
    await expectEqual(send(kit)?.source, .revalidated)
    expectEqual(kit.stub.requests.count, 3)
  }

  @Test func aConfirmationWithoutAnUpdateMayForbidStorage() async {
    let kit = TestKit()
    var forbidden = strong
    forbidden["Cache-Control"] = "no-store"
    kit.stub.on(.get, "/a", .data(Data("a".utf8), headers: weak), .status(304, headers: forbidden), .text("b"))
    await expectEqual(send(kit)?.source, .network)
    await expectEqual(send(kit, after: 61)?.source, .revalidated)
    await expectEqual(send(kit)?.value, "b")
  }

  /// It says nothing certain about the stored response, and does not remove it.
  @Test func aStrongTagForTheCallersConditionLeavesTheWeakOne() async {
    let kit = TestKit()
    kit.stub.on(.get, "/a", .data(Data("a".utf8), headers: weak), .status(304, headers: strong))
    await expectEqual(send(kit)?.source, .network)
    await expectNil(send(kit, .http, ["If-None-Match": "W/\"1\""], after: 61))
    let response = await send(kit, .onlyIfCached, after: 1)
    expectEqual(response?.headers["X-Count"], "1")
    expectEqual(response?.source, .cache(age: .seconds(62)))
  }

  /// Frameworks give each response a media type, also a 304; the stored body has another one.
  @Test func theMediaTypeOfA304DoesNotReplaceTheStoredOne() async {
    let kit = TestKit()
    var typed = strong
    typed["Content-Type"] = "text/html; charset=utf-8"
    let body = Data([0x63, 0x61, 0x66, 0xE9])
    kit.stub.on(
      .get, "/a", .data(body, contentType: "text/plain; charset=iso-8859-1", headers: strong),
      .status(304, headers: typed))
    for (seconds, source) in [(0, ResponseSource.network), (601, .revalidated), (1, .cache(age: .seconds(1)))] {
      let response = await send(kit, after: seconds)
      expectEqual(response?.source, source)
      expectEqual(response?.value, "café")
      expectEqual(response?.headers["Content-Type"], "text/plain; charset=iso-8859-1")
    }
  }
}
