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
