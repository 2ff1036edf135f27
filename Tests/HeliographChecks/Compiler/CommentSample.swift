import Foundation
import TestSupport

/// A fence of Swift in a doc comment.
struct CommentSample {
  let path: String
  /// The number of its first line, counted from 1.
  let line: Int
  let lines: [String]

  /// All samples in the sources, except for those that need Apple's frameworks.
  static func all() throws -> [CommentSample] {
    let paths = FileManager.default.enumerator(atPath: Repository.file("Sources").path)?.compactMap { $0 as? String }
    return try (paths ?? []).sorted().filter {
      $0.hasSuffix(".swift") && !$0.contains("/SwiftUI/") && !$0.hasPrefix("HeliographBackground/")
    }.flatMap { try parse(path: "Sources/\($0)", text: Repository.text(of: "Sources/\($0)")) }
  }

  static func parse(path: String, text: String) -> [CommentSample] {
    var samples: [CommentSample] = []
    var open: (line: Int, lines: [String])?
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let content = line.drop { $0 == " " }
      let comment = content.hasPrefix("///") ? content.dropFirst(content.hasPrefix("/// ") ? 4 : 3) : nil
      if let fence = open, comment == nil || comment == "```" {
        samples.append(CommentSample(path: path, line: fence.line, lines: fence.lines))
        open = nil
      } else if let comment, open != nil {
        open?.lines.append(String(comment))
      } else if comment == "```swift" {
        open = (index + 2, [])
      }
    }
    return samples
  }

  /// The sample as a declaration, in which errors are reported at the line of the comment.
  ///
  /// An extension stands at file level, and a type with a macro that adds an extension inside another type.
  func code(number: Int) -> String {
    let body = lines.map { $0.replacing("#expect(", with: "expect(") }.map {
      $0.hasPrefix("private ") ? String($0.dropFirst("private ".count)) : $0
    }.joined(separator: "\n")
    let located = "#sourceLocation(file: \"\(path)\", line: \(line))\n\(body)\n#sourceLocation()\n"
    if body.hasPrefix("extension ") { return located }
    if body.contains("@Observable") { return "enum Sample\(number) {\n\(located)}\n" }
    return "extension Screen {\nfunc sample\(number)() async throws {\n\(located)}\n}\n"
  }
}
