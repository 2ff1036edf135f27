import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct SetCookieTests {
  private let now = Date(timeIntervalSince1970: 1_700_000_000)

  private func cookie(_ field: String, from address: String = "https://a.shop.example/x/y") throws -> HTTPCookie? {
    SetCookie(field)?.cookie(from: try require(URL(string: address)), at: now)
  }

  @Test func readsWhatThereIs() throws {
    let full = try require(
      try cookie(
        "  id = a=\"b\" ;secure; HTTPOnly ; path=/x; domain=.Shop.Example;expires=Fri, 01 Jan 2100 00:00:00 GMT"))
    expectEqual(full.name, "id")
    expectEqual(full.value, "a=\"b\"")
    expect(full.isSecure)
    expect(full.isHTTPOnly)
    expectEqual(full.path, "/x")
    expectEqual(full.domain, ".shop.example")
    // The limit of RFC 6265bis.
    expectEqual(full.expiresDate, now.addingTimeInterval(400 * 86_400))
    let bare = try require(try cookie("id="))
    expectEqual(bare.value, "")
    expectEqual(bare.path, "/x")
    expectEqual(bare.domain, "a.shop.example")
    expectNil(bare.expiresDate)
    expect(!bare.isSecure)
    expect(!bare.isHTTPOnly)
  }

  #if canImport(FoundationNetworking)
  /// Foundation would write it to a file that others may read, and restore it without `Secure`.
  @Test func aSecureCookieOnLinuxEndsWithTheProcess() throws {
    expect(try require(try cookie("id=a; Secure; Max-Age=3600")).isSessionOnly)
    expect(try !require(try cookie("id=a; Max-Age=3600")).isSessionOnly)
  }
  #endif

  @Test(arguments: [
    "", "id", "=a", ";id=a", " = ", "id=a\u{7F}", "i\u{1}d=a", "id=" + String(repeating: "x", count: 4095),
  ])
  func leavesOutWhatIsNone(_ field: String) { expectNil(SetCookie(field)) }

  @Test(arguments: [
    ("10", 10.0), ("0", -1), ("-5", -1), ("99999999999999999999999", 34_560_000), ("1x", nil), ("", nil), ("-", nil),
    ("+1", nil),
  ])
  func theMaximumAgeCountsForMore(_ text: String, _ seconds: Double?) throws {
    let expires = "Tue, 14 Nov 2023 23:00:00 GMT"
    let found = try cookie("a=1; Max-Age=\(text); Expires=\(expires)")?.expiresDate
    switch seconds {
    case nil: expectEqual(found, CookieDate.read(expires))
    case -1: expectEqual(found.map { $0 < now }, true)
    case let seconds?: expectEqual(found, now.addingTimeInterval(seconds))
    }
  }

  @Test(arguments: [
    ("http://a.shop.example/", "shop.example", ".shop.example"),
    ("http://shop.example/", "shop.example", ".shop.example"),
    ("http://a.shop.example/", "b.shop.example", nil), ("http://a.shop.example/", "op.example", nil),
    ("http://shop.example/", "example", nil), ("http://shop.example/", "other.example", nil),
    ("http://127.0.0.1/", "0.0.1", nil), ("http://127.0.0.1/", "127.0.0.1", "127.0.0.1"),
    ("http://localhost/", "localhost", "localhost"), ("http://shop.example/", "", "shop.example"),
    ("http://shop.example/", ".", "shop.example"), ("http://www.shop.co.uk/", "shop.co.uk", ".shop.co.uk"),
    ("http://www.shop.co.uk/", "co.uk", nil), ("http://co.uk/", "co.uk", "co.uk"),
    ("http://ann.github.io/", "github.io", nil), ("http://A.Shop.Example/", "SHOP.example", ".shop.example"),
    ("http://shop.example./", "example.", nil), ("http://1.2.3.0x4/", "3.0x4", nil),
    ("http://ann.execute-api.eu-west-1.amazonaws.com/", "execute-api.eu-west-1.amazonaws.com", nil),
    ("http://ann.execute-api.eu-west-1.amazonaws.com/", "amazonaws.com", nil),
    ("http://s3.amazonaws.com/", "amazonaws.com", nil),
    ("http://ann.blob.core.windows.net/", "windows.net", nil),
    ("http://ann.github.io/", "ann.github.io", ".ann.github.io"),
    ("http://1.2.3.0x4/", "1.2.3.4", "1.2.3.4"), ("http://[::1]/", "[0:0::1]", "::1"), ("http://[0:0::1]/", "", "::1"),
  ])
  func aHostSetsCookiesForItsOwnDomainOnly(_ address: String, _ domain: String, _ expected: String?) throws {
    try expectEqual(cookie("a=1; Domain=\(domain)", from: address)?.domain, expected)
  }

  @Test(arguments: [
    ("a=1; Secure", "https", true), ("a=1; Secure", "http", false), ("__Secure-a=1", "https", false),
    ("__Secure-a=1; Secure", "https", true), ("__secure-a=1; Secure", "http", false),
    ("__Host-a=1; Secure; Path=/", "https", true), ("__Host-a=1; Secure", "https", false),
    ("__Host-a=1; Path=/", "https", false), ("__HOST-a=1; Secure; Path=/x", "https", false),
    ("__Host-a=1; Secure; Path=/; Domain=shop.example", "https", false), ("__Hosta=1", "http", true),
    ("__Http-a=1; Secure", "https", false), ("__Http-a=1; Secure; HttpOnly", "https", true),
    ("__Host-Http-a=1; Secure; Path=/", "https", false),
    ("__Host-Http-a=1; Secure; Path=/; HttpOnly", "https", true),
  ])
  func aCookieIsWhatItsNamePromises(_ field: String, _ scheme: String, _ isSet: Bool) throws {
    try expectEqual((cookie(field, from: "\(scheme)://shop.example/") != nil), isSet)
  }

  @Test(
    arguments: [
      ("a=1", nil), ("a=1; SameSite=Strict", .strict), ("a=1; samesite=LAX", .lax),
      ("a=1; SameSite=None; Secure", SetCookie.SameSite.none),
      ("a=1; SameSite=whatever", nil), ("a=1; SameSite", nil),
    ] as [(String, SetCookie.SameSite?)])
  func aCookieRemembersItsSameSite(_ field: String, _ expected: SetCookie.SameSite?) throws {
    try expectEqual(require(try cookie(field)).sameSite, expected)
  }

  /// RFC 6265bis §5.7.
  @Test(arguments: ["http", "https"]) func withoutSecureACookieIsNotForOtherSites(_ scheme: String) throws {
    try expectNil(cookie("a=1; SameSite=None", from: "\(scheme)://shop.example/"))
    try expectEqual(cookie("a=1; SameSite=None; SameSite=Lax", from: "\(scheme)://shop.example/")?.sameSite, .lax)
  }

  @Test func theLastDomainCounts() throws {
    try expectEqual(cookie("a=1; Domain=shop.example; Domain=")?.domain, "a.shop.example")
    try expectEqual(cookie("a=1; Domain=; Domain=shop.example")?.domain, ".shop.example")
  }

  @Test func aLongAttributeDoesNotCount() throws {
    let path = "/" + String(repeating: "x", count: 1024)
    try expectEqual(require(try cookie("a=1; Path=\(path)")).path, "/x")
    try expectEqual(require(try cookie("a=1; Path=\(path.dropLast())")).path, String(path.dropLast()))
  }

  @Test(arguments: [
    ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777.0), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
    ("Sun Nov  6 08:49:37 1994", 784_111_777), ("06 nov 1994 8:49:37", 784_111_777),
    ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199),
    ("Wed, 31 Dec 1969 23:59:59 GMT", -1), ("Mon, 01-Jan-1601 00:00:00 GMT", -11_644_473_600),
    ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
  ])
  func readsEveryWayOfWritingADate(_ text: String, _ expected: Double) {
    expectEqual(CookieDate.read(text)?.timeIntervalSince1970, expected)
  }

  @Test(arguments: [
    "", "yesterday", "Thu, 29 Feb 2023 00:00:00 GMT", "Thu, 00 Jan 2023 00:00:00 GMT", "Thu, 32 Jan 2023 00:00:00 GMT",
    "Thu, 01 Jan 2023 24:00:00 GMT", "Thu, 01 Jan 2023 00:60:00 GMT", "Thu, 01 Jan 1600 00:00:00 GMT", "01 Jan 2023",
    "Thu, 01 Foo 2023 00:00:00 GMT", "Thu, 01 Jan 99999 00:00:00 GMT",
  ])
  func leavesOutWhatIsNoDate(_ text: String) { expectNil(CookieDate.read(text)) }

  @Test(arguments: [
    ("a=1", ["a=1"]), ("a=1, b=2", ["a=1", "b=2"]), ("a=1,b=2", ["a=1,b=2"]), ("", [""]),
    (
      "a=1; Expires=Fri, 01 Jan 2100 00:00:00 GMT, b=2; Path=/",
      ["a=1; Expires=Fri, 01 Jan 2100 00:00:00 GMT", "b=2; Path=/"]
    ),
    ("a=x, y; Path=/", ["a=x, y; Path=/"]), ("a=1, ,b", ["a=1, ,b"]),
  ])
  func separatesWhatWasJoined(_ joined: String, _ fields: [String]) { expectEqual(SetCookie.separated(joined), fields) }
}
