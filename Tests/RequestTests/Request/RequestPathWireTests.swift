import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Interpolated values on the wire, and where a literal is a `String` by accident.
struct RequestPathWireTests {
  /// Texts with what means something in a URL.
  private static var identifiers: [String] {
    var dice = ParameterDice()
    var identifiers = [
      "a/b", "a/..b", "%2e%2e", "?", "#", "&=", ";", "a b", "é", "\0", "\u{7F}", "https://b.example", "\\",
    ]
    while identifiers.count < 50 {
      let text = dice.text()
      let parts = text.unicodeScalars.split { "/\\".unicodeScalars.contains($0) }.map(String.init)
      if !text.isEmpty, !parts.contains("."), !parts.contains("..") { identifiers.append(text) }
    }
    return identifiers
  }

  @Test func everyIdentifierIsOneSegment() async throws {
    let shop = try Shop()
    shop.server.route("GET", "*") { _ in .status(204) }
    let identifiers = Self.identifiers
    expectEqual(identifiers.count, 50)
    for identifier in identifiers {
      _ = try await shop.client.send("/items/\(identifier)/end?after=\(identifier)", as: NoContent.self)
      let target = try require(shop.server.log.requests.last?.target)
      let parts = target.split(separator: "?", omittingEmptySubsequences: false)
      try require(parts.count == 2, "\(target)")
      let segments = parts[0].split(separator: "/", omittingEmptySubsequences: false)
      try require(segments.count == 4, "\(target)")
      expectEqual(segments[1], "items")
      expectEqual(segments[3], "end")
      // By bytes: equal texts may be composed differently.
      expectEqual(segments[2].removingPercentEncoding.map { Array($0.utf8) }, Array(identifier.utf8), "\(target)")
      let value = parts[1].dropFirst("after=".count)
      expectEqual(value, segments[2])
      expect(parts[1].hasPrefix("after="))
    }
    expectEqual(shop.server.log.requests.count, 50)
  }

  @Test func everyEntryEscapes() async throws {
    let stubbed = Stubbed()
    let (client, name) = (stubbed.client, "a/b")
    // Foundation's versions differ in whether a path has the slash decoded.
    for path in ["/v1/files/a/b", "/v1/files/a%2Fb"] { stubbed.stub.on(.get, path, .json("5")) }
    _ = try await client.send("/files/\(name)", as: Int.self)
    _ = try await client.value(of: "/files/\(name)", as: Int.self)
    let signals = [
      client.exchange(request: "/files/\(name)").map { _ in }, client.download(request: "/files/\(name)").map { _ in },
      client.enqueue(request: "/files/\(name)", resultType: Int.self).map { _ in },
      client.enqueue(request: Request(.get, "/files/\(name)")) { $0.value.count }.map { _ in },
    ]
    for signal in signals { await SignalRecorder(signal).waitForEnd() }
    expectEqual(stubbed.stub.requests.map(\.address), Array(repeating: "https://a.example/v1/files/a%2Fb", count: 6))
    try expectEqual(client.httpRequest(for: "/files/\(name)").address, "https://a.example/v1/files/a%2Fb")
    await SignalRecorder(client.upload(request: Request(.get, "/files/\(name)"), resultType: Int.self)).waitForEnd()
    expectEqual(stubbed.stub.requests.last?.address.hasSuffix("/files/a%2Fb"), true)
  }
}
