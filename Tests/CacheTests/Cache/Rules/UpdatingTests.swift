import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

struct UpdatingTests {
  @Test func fieldsOfTheConnectionAreNotStored() {
    let headers: HTTPHeaders = [
      "Connection": "close, X-Hop", "connection": "X-Other", "Keep-Alive": "timeout=5", "Proxy-Connection": "close",
      "Proxy-Authenticate": "Basic", "Proxy-Authentication-Info": "x", "Proxy-Authorization": "x", "TE": "trailers",
      "Trailer": "X", "Transfer-Encoding": "chunked", "Upgrade": "h2c", "x-hop": "1", "X-OTHER": "2", "ETag": "\"a\"",
      "Set-Cookie": "a=1", "set-cookie": "b=2", "Content-Length": "5",
    ]
    let kept: HTTPHeaders = ["ETag": "\"a\"", "Set-Cookie": "a=1", "set-cookie": "b=2", "Content-Length": "5"]
    expectEqual(headers.storable, kept)
    expectEqual(kept.storable, kept)
  }

  @Test func namedFieldsAreNotReused() {
    let headers: HTTPHeaders = ["Cache-Control": "no-cache=\"Set-Cookie, X\"", "Set-Cookie": "a=1", "x": "1", "Y": "2"]
    let kept: HTTPHeaders = ["Cache-Control": "no-cache=\"Set-Cookie, X\"", "Y": "2"]
    expectEqual(headers.withoutFields(of: CacheControl(headers)), kept)
    expectEqual(headers.withoutFields(of: CacheControl()), headers)
  }

  @Test func fieldsAreReplacedAndAdded() {
    let old = CachedHead([
      "Content-Length": "5", "Content-Encoding": "gzip", "Content-Type": "text/plain", "X": "1", "x": "2", "Y": "1",
      "ETag": "\"a\"", "Age": "100", "Date": date(-100), "Cache-Control": "max-age=1",
    ])
    let new = CachedHead(
      statusCode: 304,
      headers: [
        "content-length": "0", "Content-Encoding": "br", "Content-Range": "bytes 0-4/5", "Content-Type": "text/html",
        "X": "3", "Z": "4", "Connection": "close, Q", "Q": "1", "Cache-Control": "max-age=60", "Date": date(10),
      ], requestedAt: stored + 9, receivedAt: stored + 10)
    let updated = old.updated(by: new)
    expectEqual(
      updated.headers,
      [
        "Content-Length": "5", "Content-Encoding": "gzip", "Content-Type": "text/plain", "X": "3", "Y": "1", "Z": "4",
        "ETag": "\"a\"", "Date": date(10), "Cache-Control": "max-age=60",
      ])
    expectEqual(updated.statusCode, 200)
    expectEqual(updated.requestedAt, stored + 9)
    expectEqual(updated.receivedAt, stored + 10)
  }

  /// A full response, to HEAD or a range, has the media type of the stored one; a 304 may have that of a framework.
  @Test func onlyThe304LeavesTheMediaType() {
    let typed: HTTPHeaders = ["Content-Type": "text/plain"]
    for (old, status, expected) in [
      (typed, 304, "text/plain"), ([:], 304, "text/html"), (typed, 200, "text/html"), (typed, 206, "text/html"),
    ] as [(HTTPHeaders, Int, String)] {
      let new = CachedHead(["Content-Type": "text/html"], status: status)
      expectEqual(CachedHead(old).updated(by: new).headers["Content-Type"], expected)
    }
  }

  /// Only fewer names leave the stored ones.
  @Test(
    arguments: [
      ("a, b", "A", "a, b"), ("a, b", "b,a", "b,a"), ("a, b", "a, c", "a, c"), ("a", "a, b", "a, b"), ("a", "*", "*"),
      ("a", "", ""), (nil, "a", "a"), ("a, b", nil, "a, b"),
    ] as [(String?, String?, String?)])
  func a304WithFewerNamesLeavesVary(_ old: String?, _ new: String?, _ expected: String?) {
    var (head, confirmation) = (CachedHead([:]), CachedHead([:], status: 304))
    (head.headers["Vary"], confirmation.headers["Vary"]) = (old, new)
    expectEqual(head.updated(by: confirmation).headers["Vary"], expected)
    confirmation.statusCode = 206
    expectEqual(head.updated(by: confirmation).headers["Vary"], new ?? old)
  }

  /// A 304 without `Date` and `Cache-Control` makes the response as fresh as it was.
  @Test func ageAndDateAreThoseOfTheNewerResponse() {
    let old = CachedHead("max-age=60", ["Age": "59", "Date": date(-59)])
    let bare = CachedHead(statusCode: 304, headers: [:], requestedAt: stored + 100, receivedAt: stored + 100)
    expectEqual(old.reuse(for: [:], at: stored + 101), .validate(onError: false))
    expectEqual(old.updated(by: bare).reuse(for: [:], at: stored + 101), .fresh)
    expectEqual(old.updated(by: bare).age(at: stored + 101), .seconds(1))
    expectEqual(old.updated(by: bare).headers["Date"], date(100))
  }

  @Test(
    arguments: [
      ([:], [:], .updates), (["ETag": "\"a\""], [:], .updates), ([:], ["ETag": "\"a\""], .isAboutAnother),
      (["ETag": "\"a\""], ["ETag": "\"a\""], .updates), (["ETag": "W/\"a\""], ["ETag": "\"a\""], .confirms),
      (["ETag": "\"a\""], ["ETag": "W/\"a\""], .updates), (["ETag": "W/\"a\""], ["ETag": "W/\"a\""], .updates),
      (["ETag": "\"a\""], ["ETag": "\"b\""], .isAboutAnother),
      (["ETag": "\"a\""], ["ETag": "W/\"b\""], .isAboutAnother),
      (["ETag": "W/\"a\""], ["ETag": "\"b\""], .isAboutAnother),
      // Caddy, Apache and Jetty add the suffix to a compressed response, and some of them omit it in a 304.
      (["ETag": "\"a-gzip\""], ["ETag": "\"a\""], .confirms), (["ETag": "\"a--gzip\""], ["ETag": "W/\"a\""], .confirms),
      (["ETag": "\"a\""], ["ETag": "\"a;br\""], .confirms),
      (["ETag": "\"a-gzip\""], ["ETag": "\"b\""], .isAboutAnother),
      (["ETag": "a-gzip"], ["ETag": "a"], .isAboutAnother), (["ETag": "ab"], ["ETag": "ac"], .isAboutAnother),
      (["Last-Modified": date(0)], ["Last-Modified": date(0)], .updates), (["Last-Modified": date(0)], [:], .updates),
      (["Last-Modified": date(0)], ["Last-Modified": date(1)], .isAboutAnother),
      (["Last-Modified": date(0)], ["Last-Modified": date(1), "ETag": "\"a\""], .isAboutAnother),
      (["Last-Modified": date(0)], ["Last-Modified": date(0), "ETag": "\"a\""], .confirms),
      (["Last-Modified": date(0)], ["Last-Modified": date(0), "ETag": "W/\"a\""], .confirms),
      (["Last-Modified": date(0)], ["ETag": "\"a\""], .isAboutAnother),
      (["Last-Modified": date(0), "ETag": "\"a\""], ["Last-Modified": date(1), "ETag": "\"a\""], .updates),
      (["Last-Modified": date(0), "ETag": "\"a\""], ["Last-Modified": date(0), "ETag": "\"b\""], .isAboutAnother),
    ] as [(HTTPHeaders, HTTPHeaders, CachedHead.Confirmation)])
  func a304IsAboutTheStoredResponse(_ old: HTTPHeaders, _ new: HTTPHeaders, _ expected: CachedHead.Confirmation) {
    expectEqual(CachedHead(old).confirmation(by: CachedHead(new, status: 304)), expected)
  }

  /// Otherwise each use after the end of a time to live would ask the server.
  @Test func aConfirmationWithoutAnUpdateRenewsTheReceiptAndNotTheAge() {
    let old = CachedHead("max-age=60", ["ETag": "W/\"a\"", "Age": "5"])
    let new = CachedHead(
      statusCode: 304, headers: ["ETag": "\"a\"", "Cache-Control": "max-age=600"], requestedAt: stored + 99,
      receivedAt: stored + 100)
    var expected = old
    expected.receivedAt = stored + 100
    expectEqual(old.updated(by: new), expected)
    expectEqual(expected.age(at: stored + 110), old.age(at: stored + 110))
  }

  @Test(
    arguments: [
      ([:], [:], true), (["ETag": "\"a\""], [:], true), ([:], ["ETag": "\"a\""], false),
      (["ETag": "\"a\""], ["ETag": "\"a\""], true), (["ETag": "\"a\""], ["ETag": "\"b\""], false),
      (["ETag": "\"a\""], ["ETag": "W/\"a\""], false), ([:], ["Last-Modified": date(0)], false),
      (["Last-Modified": date(0)], ["Last-Modified": date(0)], true),
      (["Last-Modified": date(0)], ["Last-Modified": date(1)], false),
      (["Content-Length": "5"], ["Content-Length": "5"], true),
      (["Content-Length": "5"], ["Content-Length": "6"], false),
      ([:], ["Content-Length": "5"], true), (["Content-Length": "5"], [:], true),
      (["ETag": "\"a\"", "Content-Length": "5"], ["ETag": "\"a\"", "Content-Length": "6"], false),
    ] as [(HTTPHeaders, HTTPHeaders, Bool)])
  func aResponseToHEADIsAboutTheSameRepresentation(_ old: HTTPHeaders, _ new: HTTPHeaders, _ isSame: Bool) {
    expectEqual(CachedHead(old).isSameRepresentation(as: CachedHead(new)), isSame)
  }
}
