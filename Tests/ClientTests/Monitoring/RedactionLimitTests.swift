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

  /// Each is searched up to a limit, so that the work does not grow with the square of the text.
  @Test(arguments: ["://", "://a:b/", "://a:b@"])
  func manyURLsAreSearchedOnce(_ part: String) {
    let text = "@" + String(repeating: part, count: Self.count)
    let shown = text.redactingSecretParameters
    expectEqual(shown.contains("b@"), false)
    expectEqual(shown.first, "@")
  }

  @Test func aPasswordWithASlashIsNoPath() {
    expectEqual("https://ada:a/hunter2@h/x".redactedAddress, "https://h/x")
    expectEqual("https://a.example/@home/a:b".redactedAddress, "https://a.example/@home/a:b")
    expectEqual("https://a.example:8080/@home".redactedAddress, "https://a.example:8080/@home")
  }
}
