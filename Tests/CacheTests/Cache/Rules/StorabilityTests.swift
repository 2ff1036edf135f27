import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

struct StorabilityTests {
  private func refusal(
    _ head: CachedHead, _ method: HTTPMethod = .get, _ request: HTTPHeaders = [:]
  ) -> StorageRefusal? {
    Storability.refusal(of: method, requestHeaders: request, response: head)
  }

  @Test("S3-10") func onlyResponsesToGETAreStored() {
    let head = CachedHead("max-age=60")
    expectNil(refusal(head))
    for method: HTTPMethod in [.head, .post, .put, .delete, .options, .patch, "get", "PROPFIND"] {
      expectEqual(refusal(head, method), .methodNotCacheable)
    }
  }

  @Test func bothSidesMayForbidIt() {
    expectEqual(refusal(CachedHead("max-age=60, No-Store")), .noStore)
    expectEqual(refusal(CachedHead("max-age=60"), .get, ["Cache-Control": "no-store"]), .requestNoStore)
    expectNil(refusal(CachedHead("max-age=60, x=\"no-store\"")))
    expectNil(refusal(CachedHead("max-age=60, private, s-maxage=0")))
    let request: HTTPHeaders = ["Authorization": "Bearer 1", "Cookie": "a=1", "Cache-Control": "no-cache"]
    expectNil(refusal(CachedHead("max-age=60", ["Set-Cookie": "a=1"]), .get, request))
  }

  @Test(arguments: [200, 201, 203, 204, 299, 301, 302, 303, 307, 308, 400, 404, 410, 499, 500, 501, 503, 504, 599])
  func everyFinalStatusMayBeStoredWithFreshness(_ status: Int) {
    expectNil(refusal(CachedHead("max-age=60", status: status)))
    expectNil(refusal(CachedHead(["Expires": date(60)], status: status)))
  }

  @Test(arguments: [-1, 0, 100, 103, 199, 304, 407, 412, 416, 417, 421, 428, 429, 431, 511, 600, 999])
  func someStatusesAreNeverStored(_ status: Int) {
    expectEqual(refusal(CachedHead("max-age=60, public", ["ETag": "\"a\""], status: status)), .statusNotCacheable)
  }

  @Test(arguments: [201, 302, 303, 307, 400, 403, 500, 502, 503, 504, 599])
  func otherStatusesNeedFreshness(_ status: Int) {
    let fields: HTTPHeaders = ["ETag": "\"a\"", "Last-Modified": date(-1_000)]
    expectEqual(refusal(CachedHead(fields, status: status)), .statusNeedsFreshness)
    expectNil(refusal(CachedHead("public", fields, status: status)))
    expectNil(refusal(CachedHead("private", fields, status: status)))
    expectNil(refusal(CachedHead("max-age=x", fields, status: status)))
  }

  @Test func mustUnderstandOverridesNoStore() {
    expectNil(refusal(CachedHead("max-age=60, must-understand, no-store")))
    expectNil(refusal(CachedHead("max-age=60, must-understand", status: 404)))
    for status in [299, 499, 599] {
      let head = CachedHead("max-age=60, must-understand", status: status)
      expectEqual(refusal(head), .unsupportedStatusWithMustUnderstand)
    }
  }

  @Test(arguments: ["*", "Accept, *", "* ,Accept", ",*"]) func nothingMatchesAStar(_ vary: String) {
    expectEqual(refusal(CachedHead("max-age=60", ["Vary": vary])), .varyStar)
  }

  @Test func aPartNeedsItsRange() {
    expectNil(refusal(CachedHead("max-age=60", ["Content-Range": "bytes 0-4/10"], status: 206)))
    for fields: HTTPHeaders in [
      [:], ["Content-Range": "bytes */10"], ["Content-Range": "items 0-4/10"],
      ["Content-Range": "bytes 0-4/10", "content-range": "bytes 5-9/10"],
    ] {
      expectEqual(refusal(CachedHead("max-age=60", fields, status: 206)), .invalidContentRange)
    }
  }

  @Test(arguments: [
    "max-age=60", "max-age=0", "max-age=x", "public, max-age=0", "stale-while-revalidate=5", "stale-if-error=5",
    "max-age=60, must-revalidate", "max-age=60, no-cache=\"a\"",
  ])
  func aResponseWithoutValidatorIsStoredIfItCanBeUsed(_ directives: String) {
    expectNil(refusal(CachedHead(directives)))
  }

  @Test(
    arguments: [
      ("x", .noFreshnessAndNoValidator), ("public", .noFreshnessAndNoValidator), ("no-cache", .noCacheAndNoValidator),
      ("max-age=60, no-cache", .noCacheAndNoValidator), ("max-age=0, must-revalidate", .noFreshnessAndNoValidator),
      ("stale-if-error=x", .noFreshnessAndNoValidator), ("no-cache, stale-if-error=60", .noCacheAndNoValidator),
      ("max-age=0, must-revalidate, stale-while-revalidate=60", .noFreshnessAndNoValidator),
    ] as [(String, StorageRefusal)])
  func aResponseThatNoRequestCanUseIsNotStored(_ directives: String, _ expected: StorageRefusal) {
    expectEqual(refusal(CachedHead(directives)), expected)
    expectNil(refusal(CachedHead(directives, ["ETag": "\"a\""])))
    expectNil(refusal(CachedHead(directives, ["Last-Modified": date(-1_000)])))
  }

  @Test func anOldResponseWithoutValidatorIsNotFresh() {
    let directives = "max-age=60, must-revalidate"
    expectNil(refusal(CachedHead(directives, ["Age": "59"])))
    expectEqual(refusal(CachedHead(directives, ["Age": "60"])), .noFreshnessAndNoValidator)
  }

  @Test func everyReasonIsAText() {
    expectEqual(StorageRefusal.varyStar.rawValue, "the response has Vary: *")
  }
}
