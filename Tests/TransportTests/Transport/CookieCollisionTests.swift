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

  private func save(_ fields: String..., from address: String = "https://shop.example/") throws {
    storage.save(fields, from: try require(URL(string: address)))
  }

  /// The `Cookie` field of a request to an address.
  private func sent(to address: String = "https://shop.example/app") throws -> String? {
    storage.field(for: HTTPRequest(url: try require(URL(string: address))))
  }

  @Test(arguments: ["ion=x; Path=/sess; Max-Age=0", "ion=x; Path=/sess"])
  func httpDoesNotOverwriteASecureCookieUnderTheSameKey(_ field: String) throws {
    try save("session=good; Secure; Path=/")
    try save(field, from: "http://shop.example/")
    try expectEqual(sent(to: "https://shop.example/sess"), "session=good")
  }

  @Test func aCookieOfAnotherPathDoesNotRemoveOneUnderTheSameKey() throws {
    try save("appid=1; Path=/")
    try save("id=x; Path=/app; Max-Age=0")
    try expectEqual(sent(), "appid=1")
    // The server can still replace and remove its own.
    try save("appid=2; Path=/")
    try expectEqual(sent(), "appid=2")
    try save("appid=2; Path=/; Max-Age=0")
    try expectNil(sent())
  }

  @Test func ofTwoTheLastIsKeptUnlessOneIsSecure() throws {
    try save("appid=1; Path=/", "id=2; Path=/app")
    try expectEqual(sent(), "id=2")
    storage.removeAll()
    try save("id=2; Path=/app", "appid=1; Path=/")
    try expectEqual(sent(), "appid=1")
    try save("id=2; Path=/app; Secure")
    try expectEqual(sent(), "id=2")
    try save("appid=1; Path=/")
    try expectEqual(sent(), "id=2")
  }

  /// Otherwise plain http, or another host below the domain, prevents every sign-in, also after a restart.
  @Test func nobodyOccupiesTheKeyOfASession() throws {
    try save("_Host-sid=evil; Path=/_; Max-Age=9999", from: "http://shop.example/")
    try save("__Host-sid=good; Secure; Path=/")
    try expectEqual(sent(), "__Host-sid=good")
    try save("_Host-sid=evil; Path=/_", from: "http://shop.example/")
    try expectEqual(sent(), "__Host-sid=good")
    storage.removeAll()
    for scheme in ["http", "https"] {
      try save("ion=evil; Domain=shop.example; Path=/sess", from: "\(scheme)://evil.shop.example/")
      try save("session=good; Domain=shop.example; Secure")
      try expectEqual(sent(), "session=good")
    }
  }
}
#endif
