#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

@testable import Heliograph

/// Foundation on Linux stores a cookie under its domain, path and name without separators.
struct CookieCollisionTests {
  private let storage: HTTPCookieStorage

  init() throws { storage = try .inMemory }

  private func keep(_ fields: String..., from address: String = "https://shop.example/") throws {
    storage.save(fields, from: try require(URL(string: address)))
  }

  /// The `Cookie` field of a request to an address.
  private func sent(to address: String = "https://shop.example/app") throws -> String? {
    storage.field(for: HTTPRequest(url: try require(URL(string: address))))
  }

  @Test(arguments: ["ion=x; Path=/sess; Max-Age=0", "ion=x; Path=/sess"])
  func httpDoesNotOverwriteASecureCookieUnderTheSameKey(_ field: String) throws {
    try keep("session=good; Secure; Path=/")
    try keep(field, from: "http://shop.example/")
    try expectEqual(sent(to: "https://shop.example/sess"), "session=good")
  }

  @Test func aCookieOfAnotherPathDoesNotRemoveOneUnderTheSameKey() throws {
    try keep("appid=1; Path=/")
    try keep("id=x; Path=/app; Max-Age=0")
    try expectEqual(sent(), "appid=1")
    // The server can still replace and remove its own.
    try keep("appid=2; Path=/")
    try expectEqual(sent(), "appid=2")
    try keep("appid=2; Path=/; Max-Age=0")
    try expectNil(sent())
  }

  @Test func ofTwoTheLastIsKeptUnlessOneIsSecure() throws {
    try keep("appid=1; Path=/", "id=2; Path=/app")
    try expectEqual(sent(), "id=2")
    storage.removeAll()
    try keep("id=2; Path=/app", "appid=1; Path=/")
    try expectEqual(sent(), "appid=1")
    try keep("id=2; Path=/app; Secure")
    try expectEqual(sent(), "id=2")
    try keep("appid=1; Path=/")
    try expectEqual(sent(), "id=2")
  }

  /// Otherwise plain http, or another host below the domain, prevents every sign-in, also after a restart.
  @Test func nobodyOccupiesTheKeyOfASession() throws {
    try keep("_Host-sid=evil; Path=/_; Max-Age=9999", from: "http://shop.example/")
    try keep("__Host-sid=good; Secure; Path=/")
    try expectEqual(sent(), "__Host-sid=good")
    try keep("_Host-sid=evil; Path=/_", from: "http://shop.example/")
    try expectEqual(sent(), "__Host-sid=good")
    storage.removeAll()
    for scheme in ["http", "https"] {
      try keep("ion=evil; Domain=shop.example; Path=/sess", from: "\(scheme)://evil.shop.example/")
      try keep("session=good; Domain=shop.example; Secure")
      try expectEqual(sent(), "session=good")
    }
  }
}
#endif
