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
        "Content-Length": "5", "Content-Encoding": "gzip", "Content-Type": "text/html", "X": "3", "Y": "1", "Z": "4",
        "ETag": "\"a\"", "Date": date(10), "Cache-Control": "max-age=60",
      ])
    expectEqual(updated.statusCode, 200)
    expectEqual(updated.requestedAt, stored + 9)
    expectEqual(updated.receivedAt, stored + 10)
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
      ([:], [:], true), (["ETag": "\"a\""], [:], true), ([:], ["ETag": "\"a\""], false),
      (["ETag": "\"a\""], ["ETag": "\"a\""], true), (["ETag": "W/\"a\""], ["ETag": "\"a\""], false),
      (["ETag": "\"a\""], ["ETag": "W/\"a\""], true), (["ETag": "W/\"a\""], ["ETag": "W/\"a\""], true),
      (["ETag": "\"a\""], ["ETag": "\"b\""], false), (["ETag": "\"a\""], ["ETag": "W/\"b\""], false),
      (["Last-Modified": date(0)], ["Last-Modified": date(0)], true),
      (["Last-Modified": date(0)], ["Last-Modified": date(1)], false),
      (["Last-Modified": date(0)], ["Last-Modified": date(1), "ETag": "\"a\""], false),
      (["Last-Modified": date(0), "ETag": "\"a\""], ["Last-Modified": date(1), "ETag": "\"a\""], true),
      (["Last-Modified": date(0), "ETag": "\"a\""], ["Last-Modified": date(0), "ETag": "\"b\""], false),
    ] as [(HTTPHeaders, HTTPHeaders, Bool)])
  func a304IsAboutTheStoredResponse(_ old: HTTPHeaders, _ new: HTTPHeaders, _ isConfirmed: Bool) {
    expectEqual(CachedHead(old).isConfirmed(by: CachedHead(new, status: 304)), isConfirmed)
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
