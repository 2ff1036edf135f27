import TestSupport
import Testing

/// `Sources/Heliograph` in the order of the flow: no file names a type that is declared in a later folder.
enum LayerOrder {
  static let folders = [
    "Internal", "Message", "Failure", "Request", "Service", "Building", "Transport", "Cache", "Reliability",
    "Response", "Monitoring", "Client", "Transfers", "Calls", "Presentation", "OtherNames",
  ]

  /// Types that an earlier folder may name all the same, each with the reason.
  ///
  /// Keep it empty.
  static let exceptions: [String: String] = [:]

  static func violations(in files: [SourceFile]) -> [Violation] {
    var homes: [Substring: Int] = [:]
    var result: [Violation] = []
    for file in files where file.module == "Heliograph" {
      guard let layer = layer(of: file) else {
        result.append(file.violation(line: 0, "its folder is not in the order of Docs/Architecture.md"))
        continue
      }
      for name in declaredTypes(in: file) { homes[name] = min(layer, homes[name] ?? layer) }
    }
    for file in files where file.module == "Heliograph" {
      guard let layer = layer(of: file) else { continue }
      // A nested type of the file's own hides one of the same name elsewhere.
      let own = Set(declaredTypes(in: file, atAnyDepth: true))
      for word in file.source.words where word.isName && !own.contains(word.text) {
        guard let home = homes[word.text], home > layer, exceptions[String(word.text)] == nil else { continue }
        let message = "names \(word.text), which is declared later, in \(folders[home])"
        result.append(file.violation(line: word.line, message))
      }
    }
    return result
  }

  /// The place of the file's folder in the order; a file beside the folders (the re-export) comes before them all.
  static func layer(of file: SourceFile) -> Int? {
    let parts = file.path.split(separator: "/")
    return parts.count == 3 ? -1 : folders.firstIndex { $0 == parts[2] }
  }

  /// The types that a file declares at its top level, without those that only the file itself can see.
  static func declaredTypes(in file: SourceFile, atAnyDepth: Bool = false) -> [Substring] {
    let words = file.source.words.filter { atAnyDepth || $0.depth == 0 }
    return words.indices.dropLast().compactMap { index -> Substring? in
      guard kinds.contains(words[index].text), words[index + 1].text.first?.isUppercase == true else { return nil }
      let leading = words[..<index].reversed().prefix { modifiers.contains($0.text) }
      let isHidden = leading.contains { $0.text == "private" || $0.text == "fileprivate" }
      return isHidden && !atAnyDepth ? nil : words[index + 1].text
    }
  }

  private static let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "actor", "typealias"]
  private static let modifiers: Set<Substring> = [
    "public", "package", "internal", "fileprivate", "private", "open", "final", "indirect", "frozen",
    "usableFromInline", "MainActor",
  ]
}

extension Word {
  /// Whether the word can name a type of the module: not a member of something else, such as `JSONDecoder.Call`.
  fileprivate var isName: Bool { text.first?.isUppercase == true && before != "." }
}

struct LayerOrderTests {
  @Test func holdsInTheSources() throws {
    expectNone(LayerOrder.violations(in: try Project.files(in: "Sources")))
    expect(LayerOrder.exceptions.isEmpty)
  }

  @Test func findsALaterType() {
    let found = LayerOrder.violations(in: [
      SourceFile("Sources/Heliograph/Cache/Rules.swift", "struct Rules {\n  var client: NetworkClient?\n}"),
      SourceFile("Sources/Heliograph/Client/NetworkClient.swift", "public final class NetworkClient {}"),
    ])
    expectEqual(
      found.map(\.description),
      [
        "Sources/Heliograph/Cache/Rules.swift:2: names NetworkClient, which is declared later, in Client"
      ])
  }

  @Test func findsAnUnknownFolder() {
    expectEqual(LayerOrder.violations(in: [SourceFile("Sources/Heliograph/Misc/A.swift", "")]).count, 1)
  }

  @Test func acceptsEarlierTypesCommentsAndStrings() {
    let found = LayerOrder.violations(in: [
      SourceFile("Sources/Heliograph/Exports.swift", "@_exported public import Signals"),
      SourceFile("Sources/Heliograph/Cache/Rules.swift", "// Call\nlet a = \"NetworkClient\"\nstruct Rules {}"),
      SourceFile("Sources/Heliograph/Cache/Own.swift", "private struct Box {}\nlet b = Foundation.Call.self"),
      SourceFile("Sources/Heliograph/Client/Call.swift", "struct NetworkClient { var rules: Rules }\nclass Call {}"),
      SourceFile("Sources/Heliograph/Cache/Nested.swift", "struct A {\n  private struct Call {}\n  var call: Call\n}"),
      SourceFile("Sources/Heliograph/Client/Box.swift", "fileprivate final class Box {}"),
      SourceFile("Sources/Signals/Signal.swift", "struct Anything { var client: NetworkClient }"),
    ])
    expectNone(found)
  }
}
