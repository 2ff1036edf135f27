import Foundation
import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

/// What logs show of addresses and texts.
struct RedactedAddressTests {
  @Test(arguments: [
    ("https://a.example/users/1", "https://a.example/users/1"),
    ("https://ada:pw@a.example:8443/users?token=t#top", "https://a.example:8443/users?…"),
    ("https://ada@evil@a.example/", "https://a.example/"), ("https://a.example?q", "https://a.example?…"),
    ("https://a.example/#secret", "https://a.example/"), ("https://a.example/@home/a:b", "https://a.example/@home/a:b"),
    ("https://[::1]:80/a", "https://[::1]:80/a"), ("//ada:pw@a.example/b", "//a.example/b"),
    (
      "https://a.example/a%0A2026-01-01%20admin%20logged%20in", "https://a.example/a%0A2026-01-01%20admin%20logged%20in"
    ),
    ("/users/1?token=t", "/users/1?…"), ("users/caf%C3%A9", "users/caf%C3%A9"), ("", ""), ("?a", "?…"),
    ("data:text/plain,secret", "data:…"), ("mailto:ada@a.example", "mailto:…"), ("/a/b:c", "/a/b:c"),
    ("/a\nb\u{1B}[2J\u{202E}c\u{2028}", #"/a\nb\u{1B}[2J\u{202E}c\u{2028}"#),
  ])
  func anAddressIsRedactedAndItsEscapesStay(_ text: String, _ expected: String) {
    expectEqual(text.redactedAddress, expected)
  }

  /// As `"/proxy/\(url)"` writes it, and as a proxy takes it unescaped.
  @Test(arguments: [
    "https%3A%2F%2Fx%2F%3Ftoken%3Dhunter2", "https%3A%2F%2Fada%3Ahunter2%40x%2Fy",
    "%7B%22password%22%3A%22hunter2%22%7D",
    "https%253A%252F%252Fx%252F%253Ftoken%253Dhunter2", "{\"password\":\"hunter2\"}", "token=hunter2",
    "https://ada:hunter2@x/y", "https://x/a;token=hunter2",
  ])
  func aSegmentWithASecretIsReplaced(_ segment: String) {
    for text in ["https://h:8080/proxy/\(segment)/b", "/\(segment)/b?c", segment] {
      expect(!text.redactedAddress.contains("hunter2"), "\(text.redactedAddress)")
      expect(!text.redactingSecretParameters.contains("hunter2"), "\(text.redactingSecretParameters)")
      if text.hasPrefix("https://h") { expect(text.redactedAddress.hasPrefix("https://h:8080/proxy/")) }
      if text.contains("/b") { expect(text.redactedAddress.contains("/b")) }
    }
  }

  @Test(arguments: [
    "https://a.example/100%25/caf%C3%A9/a%2Fb", "https://h/proxy/https%3A%2F%2Fx%2Fy", "/a;v=1/b=2",
    "/%7B%22a%22%3A1%7D",
    "https://token:8080/a%20b", "https://[::1]:80/a%20b=1",
  ])
  func aSegmentWithoutASecretStays(_ text: String) {
    expectEqual(text.redactedAddress, text)
    expectEqual(text.redactingSecretParameters, text)
  }

  @Test func aURLKeepsItsEscapes() throws {
    let url = try require(URL(string: "https://ada:pw@a.example/a%0Ab%2Fc%20d/%E4%BE%8B?token=t#x"))
    expectEqual(url.redacted, "https://a.example/a%0Ab%2Fc%20d/%E4%BE%8B?…")
    expectEqual("\(HTTPRequest(method: "GET\nX", url: url))", #"GET\nX https://a.example/a%0Ab%2Fc%20d/%E4%BE%8B?…"#)
  }

  @Test func aTextStaysOnOneLine() {
    expect("plain 例 é 👩‍👩‍👧".singleLine.contains("plain 例 é"))
    expectEqual("a\r\nb\tc\0d\u{7F}\u{85}\u{2029}".singleLine, #"a\r\nb\tc\0d\u{7F}\u{0085}\u{2029}"#)
    expectEqual("例例例".shortened(to: 7), "例例…")
    expectEqual("abc".shortened(to: 3), "abc")
    expectEqual("例例例".chunks(of: 7), ["例例", "例"])
    expectEqual("abc".chunks(of: 3), ["abc"])
    expectEqual("例a".chunks(of: 1), ["例", "a"])
    expectEqual("".chunks(of: 1), [""])
  }

  @Test func aTextIsCutBetweenCharacters() {
    expectEqual("ae\u{301}i".shortened(to: 2), "a…")
    expectEqual("a👩‍👩‍👧b".shortened(to: 12), "a…")
    expectEqual("🇩🇪🇫🇷".shortened(to: 12), "🇩🇪…")
    expectEqual("🇩🇪🇫🇷".chunks(of: 12), ["🇩🇪", "🇫🇷"])
    expectEqual("a\r\nb".chunks(of: 2), ["a", "\r\n", "b"])
  }

  /// A server may send one of a megabyte, which must not be searched for its beginning at each byte.
  @Test func aVeryLongCharacterIsCut() {
    let text = "a" + String(repeating: "\u{301}", count: 5_000)
    expectEqual(text.shortened(to: 1_000).utf8.count, 999 + "…".utf8.count)
    let chunks = text.chunks(of: 900)
    expectEqual(chunks.map(\.utf8.count).max(), 900)
    expectEqual(chunks.joined(), text)
    expectEqual("👩‍👩‍👧".chunks(of: 1).count, 5)
  }
}
