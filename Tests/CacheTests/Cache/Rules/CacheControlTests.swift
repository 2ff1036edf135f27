import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

struct CacheControlTests {
  private func control(_ lines: String...) -> CacheControl {
    CacheControl(HTTPHeaders(lines.map { HTTPHeaders.Field(name: "cache-control", value: $0) }))
  }

  @Test(
    arguments: [
      ("max-age=60", .seconds(60)), ("MAX-AGE=60", .seconds(60)), ("Max-Age=\"60\"", .seconds(60)),
      ("max-age=0", .seconds(0)), ("max-age=0060", .seconds(60)), ("max-age=\"60\" , x", .seconds(60)),
      ("max-age=2147483647", .seconds(2_147_483_647)), ("max-age=2147483648", .seconds(2_147_483_647)),
      ("max-age=99999999999999999999999999999", .seconds(2_147_483_647)),
      ("max-age=-1", .invalid), ("max-age=+1", .invalid), ("max-age=1.0", .invalid), ("max-age=1.5", .invalid),
      ("max-age=a60", .invalid), ("max-age=60a", .invalid), ("max-age='60'", .invalid), ("max-age=", .invalid),
      ("max-age", .invalid), ("max-age=\"\"", .invalid), ("max-age=\"60", .invalid), ("max-age=60\"", .invalid),
      ("max-age=\" 60\"", .invalid), ("max-age =60", .invalid), ("max-age= 60", .invalid), ("max-age = 60", .invalid),
      ("max-age 60", .invalid), ("max-age=60 x", .invalid), ("max-age=60;x", .invalid), ("max-age:60", .absent),
      ("max-age=\u{663}", .invalid), ("max-age=1,max-age=2", .seconds(1)), ("max-age=x, max-age=2", .invalid),
      ("max-age=2, max-age=x", .seconds(2)), (" \t,, max-age=60 ,,", .seconds(60)), ("max-agee=60", .absent),
      ("x-max-age=60", .absent), ("s-maxage=60", .absent), ("", .absent), (",", .absent), ("=60", .absent),
      ("\"max-age=60\"", .absent),
    ] as [(String, CacheControl.Age)])
  func parsesSeconds(_ text: String, _ expected: CacheControl.Age) {
    expectEqual(control(text).maxAge, expected)
    let other = text.lowercased().replacing("max-age", with: "stale-if-error")
    expectEqual(control(other).staleIfError, expected)
  }

  @Test func severalLinesAreOneList() {
    let found = control("no-store", "max-age=1", "max-age=2, stale-while-revalidate=3")
    expect(found.noStore)
    expectEqual(found.maxAge, .seconds(1))
    expectEqual(found.staleWhileRevalidate, .seconds(3))
  }

  @Test func everyDirectiveHasItsProperty() {
    let names =
      "No-Store, NO-CACHE, must-revalidate, only-if-cached, private, public, immutable, must-understand, min-fresh=1, "
      + "stale-while-revalidate=2, stale-if-error=3, max-stale=4, max-age=5"
    let all = control(names)
    expect(all.noStore)
    expect(all.noCache)
    expect(all.mustRevalidate)
    expect(all.onlyIfCached)
    expect(all.isPrivate)
    expect(all.isPublic)
    expect(all.immutable)
    expect(all.mustUnderstand)
    expectEqual(all.minFresh, .seconds(1))
    expectEqual(all.staleWhileRevalidate, .seconds(2))
    expectEqual(all.staleIfError, .seconds(3))
    expectEqual(all.maxStale, .seconds(4))
    expectEqual(all.maxAge, .seconds(5))
    expect(all.noCacheFields.isEmpty)
    expectEqual(control("no-transform, x, y=\"z\""), CacheControl())
    expectEqual(CacheControl(["Pragma": "no-cache"]), CacheControl())
  }

  @Test(
    arguments: [
      ("max-stale", .seconds(.max)), ("max-stale=5", .seconds(5)), ("max-stale=x", .absent), ("max-stale=", .absent),
      ("", .absent),
      ("max-stale=5, max-stale", .seconds(5)), ("max-stale, max-stale=5", .seconds(.max)),
    ] as [(String, CacheControl.Age)])
  func anyStalenessNeedsNoValue(_ text: String, _ expected: CacheControl.Age) {
    expectEqual(control(text).maxStale, expected)
  }

  @Test(arguments: [
    "x=\"no-store, max-age=60\"", "x=\"a\\\", no-store, max-age=60\"", "x=\"no-store\", y=\"max-age=60\"",
    "x \"no-store, max-age=60\"", "x=\",no-store,\"",
  ])
  func quotedStringsContainNoDirectives(_ text: String) {
    expectEqual(control(text), CacheControl())
    expectEqual(control(text + ", max-age=1").maxAge, .seconds(1))
    expectEqual(control("max-age=1, " + text).maxAge, .seconds(1))
  }

  @Test(arguments: [
    "x=\"a, no-store", "x=\", no-store", "\", no-store", "x=\"\\\", no-store", "x=\"a\", \"b, no-store",
  ])
  func anUnclosedQuotationMarkHidesNothing(_ text: String) { expect(control(text).noStore) }

  @Test(
    arguments: [
      ("no-cache", true, []), ("no-cache=\"Set-Cookie\"", false, ["set-cookie"]),
      ("no-cache=\"a, B ,,c\"", false, ["a", "b", "c"]), ("no-cache=a", false, ["a"]), ("no-cache=\"\"", true, []),
      ("no-cache=\" , \"", true, []), ("no-cache=", true, []), ("no-cache =\"a\"", true, []),
      ("no-cache=\"a", true, []), ("no-cache=\"a, b c\"", true, []), ("no-cache=\"a, \u{E4}\"", true, []),
      ("no-cache=\"a\", no-cache", true, ["a"]), ("no-cache=\"a\", no-cache=\"b\"", false, ["a", "b"]),
    ] as [(String, Bool, Set<String>)])
  func aQualifiedDirectiveNamesFields(_ text: String, _ isUnqualified: Bool, _ fields: Set<String>) {
    expectEqual(control(text).noCache, isUnqualified)
    expectEqual(control(text).noCacheFields, fields)
  }

  @Test func anArgumentTooManyIsIgnoredIfTheDirectiveRestricts() {
    let found = control("no-store=1, must-revalidate=\"x\", private=\"a\", public=1, immutable=1, must-understand=1")
    expect(found.noStore)
    expect(found.mustRevalidate)
    expect(found.isPrivate)
    expect(!found.isPublic)
    expect(!found.immutable)
    expect(!found.mustUnderstand)
  }
}
