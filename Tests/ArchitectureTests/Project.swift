import Foundation
import TestSupport
import Testing

/// A file of the project, or one made up by a test.
struct SourceFile {
  /// The path from the package's root, with slashes.
  let path: String
  let text: String
  let source: SourceText

  init(_ path: String, _ text: String) {
    self.path = path
    self.text = text
    source = SourceText(text)
  }

  var name: String { path.split(separator: "/").last.map(String.init) ?? path }

  /// `Signals` for `Sources/Signals/Operators/Timing.swift`.
  var module: String? {
    let parts = path.split(separator: "/")
    return parts.count > 2 && parts[0] == "Sources" ? String(parts[1]) : nil
  }

  func violation(line index: Int, _ message: String) -> Violation {
    Violation(description: "\(path):\(index + 1): \(message)")
  }
}

/// A breach of a rule, with the place where it is.
struct Violation: CustomStringConvertible {
  let description: String
}

/// Records an issue for each breach.
func expectNone(_ violations: [Violation], sourceLocation: SourceLocation = #_sourceLocation) {
  for violation in violations { Issue.record("\(violation)", sourceLocation: sourceLocation) }
}

/// The package that these tests belong to.
enum Project {
  static let root = Repository.root

  static func text(of path: String) throws -> String { try Repository.text(of: path) }

  static func topLevelNames() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: root.path).sorted()
  }

  /// All Swift files under these folders, in the order of their paths.
  ///
  /// Hidden folders (`.build`) are passed over.
  static func files(in folders: String...) throws -> [SourceFile] {
    let all = try all.get()
    return folders.flatMap { folder in all.filter { $0.path.hasPrefix(folder + "/") } }
  }

  /// The Swift files of the package, read once for all tests.
  private static let all = Result {
    try ["Sources", "Tests", "Examples"].flatMap { folder in
      let paths =
        FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)?
        .compactMap { $0 as? String } ?? []
      return
        try paths
        .filter { path in path.hasSuffix(".swift") && !path.split(separator: "/").contains { $0.hasPrefix(".") } }
        .sorted()
        .map { path in SourceFile("\(folder)/\(path)", try text(of: "\(folder)/\(path)")) }
    }
  }
}
