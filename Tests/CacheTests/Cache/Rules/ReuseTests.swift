import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

struct ReuseTests {
  /// Returns the use of a response some seconds after its receipt.
  private func reuse(_ response: String, _ request: String? = nil, after seconds: Double = 10) -> Reuse {
    CachedHead(response).reuse(for: request.map { ["Cache-Control": $0] } ?? [:], at: stored + seconds)
  }

  @Test(
    arguments: [
      ("max-age=11", .fresh), ("max-age=10", .validate(onError: false)), ("max-age=9", .validate(onError: false)),
      ("max-age=0", .validate(onError: false)), ("max-age=x", .validate(onError: false)),
      ("max-age=11, no-cache=\"a\"", .fresh),
      ("max-age=11, must-revalidate", .fresh), ("max-age=11, s-maxage=0, proxy-revalidate, private", .fresh),
      ("max-age=11, no-cache", .validate(onError: false)), ("x", .validate(onError: false)),
    ] as [(String, Reuse)])
  func aFreshResponseIsUsed(_ response: String, _ expected: Reuse) { expectEqual(reuse(response), expected) }

  @Test(
    arguments: [
      ("max-age=11", .fresh), ("max-age=10", .validate(onError: false)), ("max-age=0", .validate(onError: false)),
      ("max-age=x", .validate(onError: false)), ("min-fresh=50", .fresh), ("min-fresh=51", .validate(onError: false)),
      ("min-fresh=x", .fresh), ("no-cache", .validate(onError: false)),
      ("only-if-cached", .fresh), ("max-stale", .fresh), ("x", .fresh), ("max-age=100, min-fresh=50", .fresh),
      ("max-age=5, max-stale=5", .fresh), ("max-age=5, max-stale=4", .validate(onError: false)),
      ("min-fresh=60, max-stale=10", .fresh), ("min-fresh=61, max-stale=10", .validate(onError: false)),
      ("no-cache, max-stale", .validate(onError: false)),
    ] as [(String, Reuse)])
  func aRequestLimitsTheUse(_ request: String, _ expected: Reuse) {
    expectEqual(reuse("max-age=60", request), expected)
  }

  @Test(
    arguments: [
      ("max-stale", .staleAllowed), ("max-stale=5", .staleAllowed), ("max-stale=4", .validate(onError: false)),
      ("max-stale=x", .validate(onError: false)), ("max-stale, no-cache", .validate(onError: false)),
      ("max-stale=15, min-fresh=10", .staleAllowed), ("max-stale=14, min-fresh=10", .validate(onError: false)),
      ("max-stale, max-age=0", .staleAllowed),
    ] as [(String, Reuse)])
  func aRequestAcceptsAStaleResponse(_ request: String, _ expected: Reuse) {
    expectEqual(reuse("max-age=5", request), expected)
    for directive in ["must-revalidate", "no-cache"] where expected == .staleAllowed {
      expectEqual(reuse("max-age=5, " + directive, request), .validate(onError: false))
    }
  }

  @Test(
    arguments: [
      ("max-age=0", .fresh), ("max-age=5", .fresh), ("no-cache", .validate(onError: false)),
      ("min-fresh=51", .validate(onError: false)), ("max-age=0, no-cache", .validate(onError: false)),
    ] as [(String, Reuse)])
  func anImmutableResponseIsNotReloaded(_ request: String, _ expected: Reuse) {
    expectEqual(reuse("max-age=60, immutable", request), expected)
    expectEqual(reuse("max-age=5, immutable", request), .validate(onError: false))
  }

  @Test(
    arguments: [
      ("max-age=5, stale-while-revalidate=5", nil, .staleWhileRevalidate),
      ("max-age=5, stale-while-revalidate=4", nil, .validate(onError: false)),
      ("max-age=11, stale-while-revalidate=4", nil, .fresh),
      ("max-age=5, stale-while-revalidate=x", nil, .validate(onError: false)),
      ("max-age=5, stale-while-revalidate=60, must-revalidate", nil, .validate(onError: false)),
      ("max-age=5, stale-while-revalidate=60, no-cache", nil, .validate(onError: false)),
      ("stale-while-revalidate=60", nil, .staleWhileRevalidate),
      ("max-age=5, stale-while-revalidate=60", "max-age=0", .validate(onError: false)),
      ("max-age=5, stale-while-revalidate=60", "min-fresh=0", .validate(onError: false)),
      ("max-age=5, stale-while-revalidate=60", "no-cache", .validate(onError: false)),
      ("max-age=5, stale-while-revalidate=60", "max-stale=9", .staleAllowed),
      ("max-age=5, stale-while-revalidate=60, stale-if-error=4", "max-age=1", .validate(onError: false)),
      ("max-age=5, stale-while-revalidate=60, stale-if-error=5", "max-age=1", .validate(onError: true)),
    ] as [(String, String?, Reuse)])
  func aStaleResponseIsUsedDuringValidation(_ response: String, _ request: String?, _ expected: Reuse) {
    expectEqual(reuse(response, request), expected)
  }

  @Test(
    arguments: [
      ("max-age=5, stale-if-error=5", nil, true), ("max-age=5, stale-if-error=4", nil, false),
      ("max-age=5", "stale-if-error=5", true), ("max-age=5", "stale-if-error=4", false),
      ("max-age=5", "stale-if-error", false), ("max-age=5", nil, false), ("stale-if-error=10", nil, true),
      ("max-age=5, stale-if-error=60, must-revalidate", nil, false),
      ("max-age=5, must-revalidate", "stale-if-error=60", false),
      ("max-age=5, stale-if-error=60, no-cache", nil, false), ("max-age=5, stale-if-error=60", "no-cache", false),
      ("max-age=5, stale-if-error=60", "no-cache, stale-if-error=60", true),
      ("max-age=5, stale-if-error=60", "max-age=0", true), ("max-age=5, stale-if-error=60", "no-store", false),
      ("max-age=60, stale-if-error=60, must-revalidate", "max-age=0", true),
      ("max-age=5, stale-if-error=60, proxy-revalidate, s-maxage=1", nil, true),
    ] as [(String, String?, Bool)])
  func aStaleResponseIsUsedAfterAnError(_ response: String, _ request: String?, _ isAllowed: Bool) {
    let head = CachedHead(response)
    let fields: HTTPHeaders = request.map { ["Cache-Control": $0] } ?? [:]
    expectEqual(head.allowsStale(at: stored + 10, for: fields), isAllowed)
    if request != "no-store" {
      expectEqual(head.reuse(for: fields, at: stored + 10), .validate(onError: isAllowed))
    }
  }

  @Test func onlySomeStatusesAreErrors() {
    expectEqual((100...599).filter(CachedHead.isServerError), [500, 502, 503, 504] + Array(520...524))
  }

  @Test(
    arguments: [
      (["Pragma": "no-cache"], .validate(onError: false)), (["Pragma": "x, No-Cache"], .validate(onError: false)),
      (["Pragma": "no-cache", "Cache-Control": "x"], .fresh), (["Pragma": "x"], .fresh), ([:], .fresh),
      (["Cache-Control": "x", "cache-control": "no-cache"], .validate(onError: false)),
    ] as [(HTTPHeaders, Reuse)])
  func pragmaReplacesAMissingCacheControl(_ request: HTTPHeaders, _ expected: Reuse) {
    expectEqual(CachedHead("max-age=60").reuse(for: request, at: stored + 1), expected)
  }

  @Test func pragmaInAResponseMeansNothing() {
    expectEqual(CachedHead("max-age=60", ["Pragma": "no-cache"]).reuse(for: [:], at: stored), .fresh)
  }

  @Test func otherCachesMakeItOlder() {
    expectEqual(CachedHead("max-age=60", ["Age": "59"]).reuse(for: [:], at: stored), .fresh)
    expectEqual(CachedHead("max-age=60", ["Age": "60"]).reuse(for: [:], at: stored), .validate(onError: false))
    expectEqual(CachedHead("max-age=60", ["Date": date(-60)]).reuse(for: [:], at: stored), .validate(onError: false))
  }

  @Test func aHeuristicLifetimeCounts() {
    let head = CachedHead(["Last-Modified": date(-1_000)])
    expectEqual(head.reuse(for: [:], at: stored + 99), .fresh)
    expectEqual(head.reuse(for: [:], at: stored + 100), .validate(onError: false))
    expectEqual(head.reuse(for: ["Cache-Control": "max-stale=1"], at: stored + 100), .staleAllowed)
  }
}
