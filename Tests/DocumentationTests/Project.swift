import Foundation
import TestSupport
import Testing

/// The package that these tests belong to.
enum Project {
  static let root = Repository.root

  static func text(of path: String) throws -> String { try Repository.text(of: path) }

  static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appendingPathComponent(path).path)
  }

  /// The README files, every Markdown file under Docs, and the pages and articles of the documentation catalogues.
  static func documents() throws -> [Document] {
    let catalogues = markdown(in: "Sources").filter { $0.contains(".docc/") }
    return try (["README.md", "Examples/README.md"] + markdown(in: "Docs") + catalogues)
      .map { Document(path: $0, text: try text(of: $0)) }
  }

  private static func markdown(in folder: String) -> [String] {
    let names = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)?
      .compactMap { $0 as? String }
    return (names ?? []).filter { $0.hasSuffix(".md") }.sorted().map { "\(folder)/\($0)" }
  }

  /// The samples in `DocumentationSamples`, and what is wrong with their markers.
  static func samples() throws -> (samples: [Sample], problems: [String]) {
    let folder = "Tests/DocumentationSamples"
    let names = try FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(folder).path)
    let files = try names.filter { $0.hasSuffix(".swift") }.sorted()
      .map { Sample.parse(path: "\(folder)/\($0)", text: try text(of: "\(folder)/\($0)")) }
    return (files.flatMap(\.samples), files.flatMap(\.problems))
  }
}

/// Records an issue for each problem.
func expectNone(_ problems: [String], sourceLocation: SourceLocation = #_sourceLocation) {
  for problem in problems { Issue.record("\(problem)", sourceLocation: sourceLocation) }
}
