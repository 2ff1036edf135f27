import Foundation
import Heliograph
import TestSupport
import Testing

@testable import HeliographInspector

/// The rules of the page's own text; `.ci/inspector` opens it in a browser.
struct InspectorPageTests {
  private let page = String(decoding: InspectorPage.html, as: UTF8.self)

  @Test func hasNoExternalResource() {
    for text in ["http:", "https:", "//cdn", "@import", "url(", "src=", "import("] {
      expect(!page.contains(text), Comment(rawValue: text))
    }
  }

  @Test func turnsNoTextIntoMarkup() {
    for text in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "srcdoc"] {
      expect(!page.contains(text), Comment(rawValue: text))
    }
  }

  @Test(arguments: [("<script>", "</script>"), ("<style>", "</style>")])
  func thePolicyAllowsItsOwnTextsOnly(start: String, end: String) throws {
    let pieces = page.components(separatedBy: start)
    expectEqual(pieces.count, 2)
    let text = try require(pieces.last?.components(separatedBy: end).first)
    let digest = Data(SHA256.hash(Data(text.utf8))).base64EncodedString()
    expect(InspectorPage.policy.contains("'sha256-\(digest)'"))
    // An attribute would need a policy of its own.
    expect(!page.contains(" style=") && !page.contains(" onclick="))
  }

  @Test func fieldsHaveNames() {
    for tag in ["<input", "<select"] {
      for field in page.components(separatedBy: tag).dropFirst() {
        expect(field.prefix { $0 != ">" }.contains("aria-label="))
      }
    }
  }
}
