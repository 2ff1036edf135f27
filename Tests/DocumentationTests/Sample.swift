/// Code that is compiled and run by a test and shown in a document.
///
/// It stands between `// sample: <name>` and `// end sample` in a file in `DocumentationSamples`:
///
///     @Test func quickStart() async throws {
///       // sample: quick-start
///       let answer = try await signal.value()
///       // end sample
///       #expect(answer == 42)
///     }
///
/// A sample and a fence are the same if their lines are, apart from common indentation, blank lines at both ends and
/// spaces at line ends. `import` lines at the top of a fence cannot stand inside a function; they are compared with the
/// imports of the sample's file.
struct Sample: Equatable {
  let name: String
  let path: String
  /// The index of the marker's line.
  let line: Int
  let code: [String]
  /// The modules that the sample's file imports.
  let imports: Set<String>

  var place: String { "\(path):\(line + 1)" }

  /// The samples of a file, and what is wrong with its markers.
  static func parse(path: String, text: String) -> (samples: [Sample], problems: [String]) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let imports = Set(lines.compactMap { importedModule($0) })
    var samples: [Sample] = []
    var problems: [String] = []
    var open: (name: String, line: Int)?
    for (index, line) in lines.enumerated() {
      let content = line.trimmingSpaces
      if content.hasPrefix(beginning) {
        if let open { problems.append("\(path):\(open.line + 1): sample \(open.name) has no end") }
        open = (content.dropFirst(beginning.count).trimmingSpaces, index)
      } else if content == ending {
        guard let begun = open else {
          problems.append("\(path):\(index + 1): an end without a sample")
          continue
        }
        let code = normalized(lines[(begun.line + 1)..<index].map { String($0) })
        samples.append(Sample(name: begun.name, path: path, line: begun.line, code: code, imports: imports))
        open = nil
      }
    }
    if let open { problems.append("\(path):\(open.line + 1): sample \(open.name) has no end") }
    return (samples, problems)
  }

  /// The lines without common indentation, without blank lines at both ends and without spaces at line ends.
  static func normalized(_ lines: [String]) -> [String] {
    let trimmed = lines.map { line in String(line.reversed().drop { $0 == " " }.reversed()) }
    let indentation = trimmed.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
    let body = trimmed.map { String($0.dropFirst(indentation)) }.drop { $0.isEmpty }
    return Array(body.reversed().drop { $0.isEmpty }.reversed())
  }

  /// The modules imported by the lines at the top, and the lines below them.
  static func splittingImports(_ lines: [String]) -> (imports: Set<String>, code: [String]) {
    let head = lines.prefix { $0.trimmingSpaces.isEmpty || importedModule($0[...]) != nil }
    let imports = Set(head.compactMap { importedModule($0[...]) })
    return imports.isEmpty ? ([], lines) : (imports, normalized(Array(lines.dropFirst(head.count))))
  }

  private static func importedModule(_ line: Substring) -> String? {
    let words = line.split(separator: " ")
    guard let keyword = words.firstIndex(of: "import"), keyword + 1 < words.count else { return nil }
    let isImport = words[..<keyword].allSatisfy { $0.hasPrefix("@") || levels.contains($0) }
    return isImport ? words[(keyword + 1)...].last.map { String($0) } : nil
  }

  private static let beginning = "// sample:"
  private static let ending = "// end sample"
  private static let levels: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
}

extension StringProtocol {
  var trimmingSpaces: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
