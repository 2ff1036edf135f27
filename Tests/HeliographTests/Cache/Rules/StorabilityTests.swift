import Foundation
import Testing

@testable import Heliograph

@Suite struct StorabilityTests {
  private func refusal(
    _ head: CachedHead, _ method: HTTPMethod = .get, _ request: HTTPHeaders = [:]
  ) -> StorageRefusal? {
    Storability.refusal(of: method, requestHeaders: request, response: head)
  }

  @Test func onlyResponsesToGETAreStored() {
    let head = CachedHead("max-age=60")
    #expect(refusal(head) == nil)
    for method: HTTPMethod in [.head, .post, .put, .delete, .options, .patch, "get", "PROPFIND"] {
      #expect(refusal(head, method) == .methodNotCacheable)
    }
  }

  @Test func bothSidesMayForbidIt() {
    #expect(refusal(CachedHead("max-age=60, No-Store")) == .noStore)
    #expect(refusal(CachedHead("max-age=60"), .get, ["Cache-Control": "no-store"]) == .requestNoStore)
    #expect(refusal(CachedHead("max-age=60, x=\"no-store\"")) == nil)
    #expect(refusal(CachedHead("max-age=60, private, s-maxage=0")) == nil)
    let request: HTTPHeaders = ["Authorization": "Bearer 1", "Cookie": "a=1", "Cache-Control": "no-cache"]
    #expect(refusal(CachedHead("max-age=60", ["Set-Cookie": "a=1"]), .get, request) == nil)
  }

  @Test(arguments: [200, 201, 203, 204, 299, 301, 302, 303, 307, 308, 400, 404, 410, 499, 500, 501, 503, 504, 599])
  func everyFinalStatusMayBeStoredWithFreshness(_ status: Int) {
    #expect(refusal(CachedHead("max-age=60", status: status)) == nil)
    #expect(refusal(CachedHead(["Expires": date(60)], status: status)) == nil)
  }

  @Test(arguments: [-1, 0, 100, 103, 199, 304, 407, 412, 416, 417, 421, 428, 429, 431, 511, 600, 999])
  func someStatusesAreNeverStored(_ status: Int) {
    #expect(refusal(CachedHead("max-age=60, public", ["ETag": "\"a\""], status: status)) == .statusNotCacheable)
  }

  @Test(arguments: [201, 302, 303, 307, 400, 403, 500, 502, 503, 504, 599])
  func otherStatusesNeedFreshness(_ status: Int) {
    let fields: HTTPHeaders = ["ETag": "\"a\"", "Last-Modified": date(-1_000)]
    #expect(refusal(CachedHead(fields, status: status)) == .statusNeedsFreshness)
    #expect(refusal(CachedHead("public", fields, status: status)) == nil)
    #expect(refusal(CachedHead("private", fields, status: status)) == nil)
    #expect(refusal(CachedHead("max-age=x", fields, status: status)) == nil)
  }

  @Test func mustUnderstandOverridesNoStore() {
    #expect(refusal(CachedHead("max-age=60, must-understand, no-store")) == nil)
    #expect(refusal(CachedHead("max-age=60, must-understand", status: 404)) == nil)
    for status in [299, 499, 599] {
      let head = CachedHead("max-age=60, must-understand", status: status)
      #expect(refusal(head) == .unsupportedStatusWithMustUnderstand)
    }
  }

  @Test(arguments: ["*", "Accept, *", "* ,Accept", ",*"]) func nothingMatchesAStar(_ vary: String) {
    #expect(refusal(CachedHead("max-age=60", ["Vary": vary])) == .varyStar)
  }

  @Test func aPartNeedsItsRange() {
    #expect(refusal(CachedHead("max-age=60", ["Content-Range": "bytes 0-4/10"], status: 206)) == nil)
    for fields: HTTPHeaders in [
      [:], ["Content-Range": "bytes */10"], ["Content-Range": "items 0-4/10"],
      ["Content-Range": "bytes 0-4/10", "content-range": "bytes 5-9/10"],
    ] {
      #expect(refusal(CachedHead("max-age=60", fields, status: 206)) == .invalidContentRange)
    }
  }

  @Test(arguments: [
    "max-age=60", "max-age=0", "max-age=x", "public, max-age=0", "stale-while-revalidate=5", "stale-if-error=5",
    "max-age=60, must-revalidate", "max-age=60, no-cache=\"a\"",
  ])
  func aResponseWithoutValidatorIsStoredIfItCanBeUsed(_ directives: String) {
    #expect(refusal(CachedHead(directives)) == nil)
  }

  @Test(arguments: [
    "x", "public", "no-cache", "max-age=60, no-cache", "max-age=0, must-revalidate", "stale-if-error=x",
    "max-age=0, must-revalidate, stale-while-revalidate=60", "no-cache, stale-if-error=60",
  ])
  func aResponseThatNoRequestCanUseIsNotStored(_ directives: String) {
    #expect(refusal(CachedHead(directives)) == .noFreshnessAndNoValidator)
    #expect(refusal(CachedHead(directives, ["ETag": "\"a\""])) == nil)
    #expect(refusal(CachedHead(directives, ["Last-Modified": date(-1_000)])) == nil)
  }

  @Test func anOldResponseWithoutValidatorIsNotFresh() {
    let directives = "max-age=60, must-revalidate"
    #expect(refusal(CachedHead(directives, ["Age": "59"])) == nil)
    #expect(refusal(CachedHead(directives, ["Age": "60"])) == .noFreshnessAndNoValidator)
  }

  @Test func everyReasonIsAText() {
    #expect(StorageRefusal.varyStar.rawValue == "the response has Vary: *")
  }
}
