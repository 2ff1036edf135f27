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
