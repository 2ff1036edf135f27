#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import HeliographTesting
import Signals
import Testing

@testable import Heliograph

/// Foundation on Linux stores a cookie under its domain, path and name without separators.
@Suite struct CookieCollisionTests {
  private let storage: HTTPCookieStorage

  init() throws { storage = try .inMemory }

  private func keep(_ fields: String..., from address: String = "https://shop.example/") throws {
    storage.keep(fields, from: try #require(URL(string: address)))
  }

  /// The `Cookie` field of a request to an address.
  private func sent(to address: String = "https://shop.example/app") throws -> String? {
    storage.field(for: HTTPRequest(url: try #require(URL(string: address))))
  }

  @Test(arguments: ["ion=x; Path=/sess; Max-Age=0", "ion=x; Path=/sess"])
  func httpDoesNotOverwriteASecureCookieUnderTheSameKey(_ field: String) throws {
    try keep("session=good; Secure; Path=/")
    try keep(field, from: "http://shop.example/")
    #expect(try sent(to: "https://shop.example/sess") == "session=good")
  }

  @Test(arguments: ["id=x; Path=/app", "id=x; Path=/app; Max-Age=0"])
  func aCookieOfAnotherPathDoesNotOverwriteOneUnderTheSameKey(_ field: String) throws {
    try keep("appid=1; Path=/")
    try keep(field)
    #expect(try sent() == "appid=1")
    // The server can still replace and remove its own.
    try keep("appid=2; Path=/")
    #expect(try sent() == "appid=2")
    try keep("appid=2; Path=/; Max-Age=0")
    #expect(try sent() == nil)
  }

  @Test func theFirstOfTwoInAResponseIsKept() throws {
    try keep("appid=1; Path=/", "id=2; Path=/app")
    #expect(try sent() == "appid=1")
    storage.removeAll()
    try keep("id=2; Path=/app", "appid=1; Path=/")
    #expect(try sent() == "id=2")
  }
}
#endif
