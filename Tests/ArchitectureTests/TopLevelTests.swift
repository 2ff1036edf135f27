import TestSupport
import Testing

/// What may stand at the package's top level: see Docs/Architecture.md.
enum TopLevel {
  static let allowed: Set<String> = [
    "Package.swift", "Sources", "Tests", "Examples", "Docs", "README.md", "LICENSE", "CHANGELOG.md", "Makefile",
    ".spi.yml", ".swift-format", ".editorconfig", ".gitignore", ".ci", ".github", ".git",
  ]

  /// What is neither allowed nor ignored by Git.
  static func violations(names: [String], gitignore: String) -> [Violation] {
    let patterns = gitignore.split(separator: "\n").map { line in line.hasSuffix("/") ? line.dropLast() : line }
    return names.filter { name in
      !allowed.contains(name)
        && !patterns.contains { $0.first == "*" ? name.hasSuffix($0.dropFirst()) : name == $0 }
    }
    .map { Violation(description: "\($0) does not belong at the top level") }
  }
}

struct TopLevelTests {
  @Test func holdsInTheProject() throws {
    let found = TopLevel.violations(names: try Project.topLevelNames(), gitignore: try Project.text(of: ".gitignore"))
    expectNone(found)
  }

  @Test func findsWhatDoesNotBelong() {
    let found = TopLevel.violations(names: ["Sources", "scripts", "notes.md"], gitignore: ".build/\n")
    expectEqual(
      found.map(\.description),
      [
        "scripts does not belong at the top level", "notes.md does not belong at the top level",
      ])
  }

  @Test func acceptsWhatGitIgnores() {
    let names = ["Sources", ".build", "Heliograph.xcodeproj", ".DS_Store"]
    expect(TopLevel.violations(names: names, gitignore: ".build/\n*.xcodeproj\n.DS_Store\n").isEmpty)
  }
}
