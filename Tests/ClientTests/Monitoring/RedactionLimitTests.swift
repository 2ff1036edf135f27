import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

/// Texts of a server that would cost a redactor its stack or its time.
struct RedactionLimitTests {
  /// One nested call for each would need several times the stack.
  private static let count = 2_000

  /// Returns the result of work on a thread with the stack of Apple's secondary threads.
  private func onSmallStack(_ work: @escaping @Sendable () -> String) async -> String {
    await withCheckedContinuation { continuation in
      let thread = Thread { continuation.resume(returning: work()) }
      thread.stackSize = 512 << 10
      thread.start()
    }
  }

  @Test(arguments: ["a=", "=", "a=%7B", "u=https://h/?", ";a=", "[{\"a\":"]) func nestedValuesHaveALimit(_ part: String)
    async
  {
    let text = String(repeating: part, count: Self.count)
    let shown = await onSmallStack {
      [
        HTTPHeaders.Field(name: "X-Data", value: text).redactedValue, "{\"a\":\"\(text)\"}".redactingSecrets(of: nil),
        "https://h/;\(text)".redactedAddress, "https://h/?u=\(text)".redactingSecretParameters,
      ].joined()
    }
    expect(!shown.isEmpty)
  }

  /// Escapes like these make a text of many levels short enough to be searched.
  private func inString(_ json: String) -> String {
    let escaped = json.replacing("\\", with: "\\u005c").replacing("\"", with: "\\u0022")
    return "[\"\(escaped)\"]"
  }

  @Test func jsonInStringsOfJSONHasALimit() {
    var text = "[\"Lamp\"]"
    for level in 2...30 {
      text = inString(text)
      expectEqual(text.redactingSecrets(of: nil) == text, level <= 8, "\(level)")
    }
    expect(text.redactingSecrets(of: nil).contains("<redacted>"))
  }

  /// Only values in values are replaced there, not the values of one JSON up to its limit.
  @Test(arguments: [1, 56, 57, 63]) func plainStringsDeepInJSONAreShown(_ depth: Int) {
    func array(_ text: String) -> String {
      String(repeating: "[", count: depth) + "\"\(text)\"" + String(repeating: "]", count: depth)
    }
    for text in ["Lamp, white", "12:30", "ada@example.com", "https://a.example/b", "50 & more"] {
      expectEqual(array(text).redactingSecrets(of: nil), array(text))
    }
    for text in ["Bearer abc", "token: 1", "https://u:p@a.example/b", "token=abc", "%74oken=abc"] {
      expect(array(text).redactingSecrets(of: nil).contains("<redacted>"), "\(text)")
    }
  }

  @Test func aLineOfATextIsShown() {
    let line = String(repeating: "=", count: 100)
    expectEqual("{\"a\":\"Title\\n\(line)\"}".redactingSecrets(of: nil), "{\"a\":\"Title\\n\(line)\"}")
    expectEqual("a=YWJj==&b=1".redactingSecretParameters, "a=YWJj==&b=1")
  }

  @Test(arguments: [
    "/a;token=abc", "/a;token=abc&b=1", "/a;token=<redacted>", "/a;token=<redacted>abc;d", "/a;token=abc;token=d",
  ])
  func aSecretOfAPathSegmentIsReplacedOnce(_ path: String) {
    let rest = path.hasSuffix("&b=1") ? "&b=1" : ""
    expectEqual(("https://a.example" + path).redactingSecretParameters, "https://a.example/a;token=<redacted>" + rest)
  }

  /// Each is searched up to a limit, so that the work does not grow with the square of the text.
  @Test(arguments: ["://", "://a:b/", "://a:b@"])
  func manyURLsAreSearchedOnce(_ part: String) {
    let text = "@" + String(repeating: part, count: Self.count)
    let shown = text.redactingSecretParameters
    expectEqual(shown.contains("b@"), false)
    expectEqual(shown.first, "@")
  }

  /// A word that begins like a token again and again is searched for dots once.
  @Test func manyBeginningsOfATokenAreSearchedOnce() {
    let text = String(repeating: "eyJ-", count: 250_000)
    expectEqual(text.redactingSecretParameters, text)
    expectEqual((text + ".." + text).redactingSecretParameters, "<redacted>")
  }

  /// Comparing texts with so many takes minutes, because each comparison sorts them.
  @Test func combiningMarksAreNotCompared() {
    let marks = String(repeating: "\u{301}\u{316}", count: 50_000)
    expectEqual("{}\nx\(marks)".redactingSecrets(of: "text/plain"), "<200004 bytes>")
    expectEqual("[\"a=token=x\(marks)\"]".redactingSecrets(of: nil), "[\"a=<redacted>\"]")
    expectEqual(HTTPHeaders.Field(name: "X", value: "a=b=token=x\(marks)").redactedValue, "a=<redacted>")
    expectEqual("/a=b=token=x\(marks)".redactedAddress, "/a=…")
  }

  /// Each level of escapes doubles the work.
  @Test func aLongTextIsSearchedLessDeeply() {
    let long = String(repeating: "x", count: 8_192)
    for (level, escape) in ["%41", "%2541", "%252541", "%25252541", "%2525252541"].enumerated() {
      for start in ["x", long] {
        let field = HTTPHeaders.Field(name: "X", value: start + escape)
        expectEqual(field.redactedValue == field.value, start == "x" || level < 3, "\(level)")
        let address = "/\(start)/\(escape)"
        expectEqual(address.redactedAddress == address, start == "x" || level < 3, "\(level)")
      }
    }
  }

  @Test(arguments: [
    "eyJ.b", "heyJude.mp3.zip", "eyI.b.c", "eyJ", "aeyJ.b.c", "yJ.b.c", "J..", "eyJ a.b.c", "",
    "https://ewok.internal.example.com/a", "//@scope/pkg", "https://a.example/b//c@d",
  ])
  func aTextWithoutASecretIsShown(_ text: String) {
    expectEqual(text.redactingSecretParameters, text)
    expectEqual("{\"a\":\"\(text)\"}".redactingSecrets(of: nil), "{\"a\":\"\(text)\"}")
  }

  @Test(arguments: [
    ("eyJa.b.c", "<redacted>"), ("eyJa..c.d.", "<redacted>"), ("v1.eyJa.b.c, x", "v1.<redacted>, x"),
    ("eyJa.b.c~d eyJa.b.", "<redacted> <redacted>"), ("https://h/eyJa.b.c/x", "https://h/<redacted>/x"),
    ("https://h/?a=eyJa.b.c&b=1", "https://h/?a=<redacted>&b=1"),
  ])
  func onlyTheTokenIsReplaced(_ text: String, _ expected: String) {
    expectEqual(text.redactingSecretParameters, expected)
    expectEqual("[\"\(text)\"]".redactingSecrets(of: nil), "[\"\(expected)\"]")
  }

  @Test(arguments: ["/", "#", "?", "'"]) func aPasswordMayContainADelimiter(_ delimiter: String) {
    for password in ["a\(delimiter)hunter2", "hunter2\(delimiter)", "\(delimiter)hunter2", "123456\(delimiter)7"] {
      expectEqual("https://ada:\(password)@h/x?y#z".redactedAddress, "https://h/x?…")
      expectEqual("x://ada:\(password)@h/x?y".redactingSecretParameters, "x://<redacted>@h/x?y")
    }
    for port in ["", ":8080"] {
      let address = "https://a.example\(port)\(delimiter)x@b"
      expectEqual(address.redactingSecretParameters, address)
    }
  }

  /// A URL that no parser accepts; in a text it would end at the space.
  @Test func aPasswordMayContainWhatNoURLMay() {
    expectEqual("https://ada:a b\"hunter2@h/x".redactedAddress, "https://h/x")
  }

  @Test func aPasswordWithASlashIsNoPath() {
    expectEqual("https://ada:a/hunter2@h/x".redactedAddress, "https://h/x")
    expectEqual("https://a.example/@home/a:b".redactedAddress, "https://a.example/@home/a:b")
    expectEqual("https://a.example:8080/@home".redactedAddress, "https://a.example:8080/@home")
    // An empty port.
    let address = "https://a.example:/log-in?email=ada@b.example&token=hunter2"
    expectEqual(address.redactedAddress, "https://a.example:/log-in?…")
  }
}
