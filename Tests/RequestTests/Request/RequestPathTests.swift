import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Interpolated values of paths are escaped, and refused where they have no meaning of their own.
struct RequestPathTests {
  private let stubbed = Stubbed()

  @Test(
    arguments: [
      ("a/b", "a%2Fb"), ("a?b", "a%3Fb"), ("a#b", "a%23b"), ("a&b=c", "a%26b%3Dc"), ("100%", "100%25"),
      ("a b", "a%20b"), ("%2F", "%252F"), ("é😀", "%C3%A9%F0%9F%98%80"), ("a/..b", "a%2F..b"), ("a..b", "a..b"),
      ("...", "..."), (".a", ".a"), ("a+b", "a%2Bb"), ("a:b@c", "a%3Ab%40c"), (";[]", "%3B%5B%5D"), ("\r\n", "%0D%0A"),
      ("//", "%2F%2F"), ("-._~", "-._~"), ("https://b.example/", "https%3A%2F%2Fb.example%2F"),
    ])
  func aValueIsOnePart(_ value: String, _ escaped: String) throws {
    try expectEqual(stubbed.target("/users/\(value)/orders"), "/users/\(escaped)/orders")
    try expectEqual(stubbed.target("/users/\(value)"), "/users/\(escaped)")
    try expectEqual(stubbed.target("/users/\(value)?page=2"), "/users/\(escaped)?page=2")
    try expectEqual(stubbed.target("/users?after=\(value)&page=2"), "/users?after=\(escaped)&page=2")
    try expectEqual(stubbed.target("/users?after=\(value)"), "/users?after=\(escaped)")
    try expectEqual(stubbed.target("/files/\(value)-\(value).txt"), "/files/\(escaped)-\(escaped).txt")
    try expectEqual(stubbed.target("\(value)/orders"), "/\(escaped)/orders")
    try expectEqual(stubbed.target("https://b.example/\(value)"), "https://b.example/\(escaped)")
  }

  private static let (empty, dot, dots) = ("", ".", "..")
  private static let climbing = ["../admin", "a/..", "a/./b", "..\\admin", "../..", "..;/admin", "a/.;x=1"]

  private static let refused: [RequestPath] =
    [
      "/users/\(empty)", "/users/\(dot)", "/users/\(dots)", "/users/\(empty)/orders", "/users/\(dot)/orders",
      "/users/\(dots)/orders", "/users/\(empty)?page=2", "/users/\(dots)?page=2", "/users/\(dots)#top",
      "/users/.\(dot)", "/users/\(dot).", "/users/\(dot)\(dot)", "/users/.\(empty)", "\(empty)", "\(dots)",
      "\(dots)/orders", "/\(empty)", "/\(dots)", "https://b.example/\(dots)", "https://b.example/\(empty)",
      "https://b.example/a/\(dot)/c", "/users/\(dots);v=1", "/users/\(dot);v=1/orders", "/users/.\(dot);",
      "/users/\(empty);v=1", "/users/\(empty);v=1/orders",
    ] + climbing.map { "/users/\($0)" } + climbing.map { "/users/\($0)/orders?page=2" }

  @Test(arguments: refused) func aSegmentThatIsEmptyOrDotsIsRefused(_ path: RequestPath) async throws {
    let error = try await stubbed.client.failure(of: Request(.delete, path), as: NoContent.self)
    expectEqual(error.code, .invalidURL)
    expect(error.reason.contains("an interpolated value"))
    expect(stubbed.stub.requests.isEmpty)
  }

  @Test func anEmptyFirstSegmentIsRefused() async throws {
    let path: RequestPath = "\(Self.empty)/orders"
    let error = try await stubbed.client.failure(of: Request(.delete, path), as: NoContent.self)
    expectEqual(error.code, .invalidURL)
  }

  @Test func anEmptyValueMayStandBesideOthersAndInAQuery() throws {
    try expectEqual(stubbed.target("/users/a\(Self.empty)"), "/users/a")
    try expectEqual(stubbed.target("/users/\(Self.empty)\(Self.dot)a"), "/users/.a")
    try expectEqual(stubbed.target("/users?q=\(Self.empty)&r=\(Self.dots)"), "/users?q=&r=..")
    try expectEqual(stubbed.target("/users/\(Self.dots)\(Self.dot)"), "/users/...")
    try expectEqual(stubbed.target("/users/a\(Self.dots);v=\(Self.dots)"), "/users/a..;v=..")
    try expectEqual(stubbed.target("/users/;v=\(Self.empty)"), "/users/;v=")
  }

  @Test func rawTextIsTakenAsWritten() throws {
    let folder = "a/b%20c"
    try expectEqual(stubbed.target("/files/\(raw: folder)/d?\(raw: "e=f&g=h")"), "/files/a/b%20c/d?e=f&g=h")
    try expectEqual(stubbed.target("/files/\(raw: Self.dots)/\(folder)"), "/files/../a%2Fb%2520c")
    try expectEqual(stubbed.target("/files\(raw: Self.empty)"), "/files")
  }

  @Test func literalsAndVariablesOfTextAreTakenAsWritten() throws {
    try expectEqual(stubbed.target("/a%20b/../c//d?e=f&g"), "/a%20b/../c//d?e=f&g")
    let text = "/a/../b?c=d/e"
    for request in [Request(.get, RequestPath(text)), Request(.get, RequestPath(text))] {
      expectEqual(request.path.text, text)
      try expectEqual(stubbed.target(request), text)
    }
    #expect(throws: NetworkError.self) { try stubbed.target(Request(.get, "/a b")) }
  }

  private static let nothing: Int? = nil
  private static let withNil: [RequestPath] = [
    "/users/\(nothing)", "/users/\(nothing)/orders", "/users/a\(nothing)", "/users/\(nothing)-b/orders", "\(nothing)",
    "/users?after=\(nothing)", "/users?after=\(nothing)&page=\(2)", "https://\(nothing)/a", "/users/\(noKind)",
    "/users/a\(noID)", "/users/\(nothing)\(dots)",
  ]

  @Test(arguments: withNil) func anInterpolatedNilIsRefusedAnywhere(_ path: RequestPath) async throws {
    let error = try await stubbed.client.failure(of: Request(.delete, path), as: NoContent.self)
    expectEqual(error.code, .invalidURL)
    expect(error.reason.contains("an interpolated value is nil"))
    expect(stubbed.stub.requests.isEmpty)
  }

  @Test func anOptionalIsWrittenAsItsValue() throws {
    let (number, id): (Int?, UUID?) = (7, UUID())
    let (kind, level, label): (Kind?, Level?, Label?) = (.lamp, .high, .sale)
    try expectEqual(stubbed.target("/\(number)/\(id)/a"), "/7/\(try #require(id).uuidString)/a")
    try expectEqual(stubbed.target("/\(kind)/\(level)?k=\(kind)"), "/a%2Fb/3?k=a%2Fb")
    try expectEqual(stubbed.target("/\(label)/\(Label.sale)"), "/s/s")
    try expectEqual(stubbed.target("/\(number ?? 8)/\(Self.nothing ?? 8)"), "/7/8")
  }

  private static let (noKind, noID): (Kind?, UUID?) = (nil, nil)
  private enum Label: String, CustomStringConvertible {
    case sale = "s"
    var description: String { "For sale" }
  }
  private enum Kind: String { case lamp = "a/b" }
  private enum Level: Int { case high = 3 }
  private struct Tag: PathComponentConvertible { let pathComponent = "#1" }
  private struct ID: RawRepresentable { let rawValue: Int }
  private enum Own: String, PathComponentConvertible { case new = "n" }

  @Test func valuesOfOtherTypesAreEscapedToo() throws {
    let id = UUID()
    try expectEqual(stubbed.target("/\(Kind.lamp)/\(Level.high)/\(7)/\(-1.5)"), "/a%2Fb/3/7/-1.5")
    try expectEqual(stubbed.target("/\(id)/\(true)/\("a/b".dropFirst())"), "/\(id.uuidString)/true/%2Fb")
    try expectEqual(stubbed.target("/\(ID(rawValue: 7))/\(Own.new)/\(Decimal(2.5))"), "/7/n/2.5")
    // As parameters are written.
    try expectEqual(
      stubbed.target("/\(1e16)/\(Float(0.1))/\(7.0)/\(Character("a").utf8.count)"), "/10000000000000000/0.1/7/1")
    try expectEqual(stubbed.target("/\(Tag())?k=\(Kind.lamp)&l=\(UInt8.max)"), "/%231?k=a%2Fb&l=255")
  }

  @Test(arguments: [("b.example", 8443), ("127.0.0.1", 443), ("xn--bcher-kva.example", 1), ("B-1.example", 65_535)])
  func hostAndPortMayBeValues(_ host: String, _ port: Int) throws {
    try expectEqual(stubbed.target("https://\(host):\(port)/a/\("b/c")"), "https://\(host):\(port)/a/b%2Fc")
    try expectEqual(stubbed.target("https://\(host)"), "https://\(host)/")
  }

  @Test func aValueMayFollowAHostWithAZone() throws {
    try expectEqual(stubbed.target("https://[fe80::1%25en0]:8080/lamps/\(7)"), "https://[fe80::1%25en0]:8080/lamps/7")
  }

  @Test(arguments: [
    "b.example/c", "ada@b.example", "b.example?", "b.example#", "b example", "bücher.example", "", "\\b",
  ])
  func aHostThatIsNoneIsRefused(_ host: String) async throws {
    for path in ["https://\(host)/a", "https://\(host)", "https://a.example:\(host)/a", "https://\(host):80/a"]
      as [RequestPath]
    {
      if host.isEmpty, path.text.hasPrefix("https://a") { continue }
      let error = try await stubbed.client.failure(of: Request(.get, path), as: NoContent.self)
      expectEqual(error.code, .invalidURL, "\(path.text)")
    }
    expect(stubbed.stub.requests.isEmpty)
  }
}
