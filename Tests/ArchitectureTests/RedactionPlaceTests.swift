import TestSupport
import Testing

/// What hides a secret stands in the file that declares its type.
///
/// A linker takes a file of a static library for its symbols only: a conformance alone in a file is left out, without a
/// message, and the standard library then prints all stored properties.
enum RedactionPlace {
  private static let conformances = ["_Summarized", "CustomReflectable", "CustomDebugStringConvertible"]

  static func violations(in files: [SourceFile]) -> [Violation] {
    files.flatMap { file in
      file.source.code.indices.flatMap { index -> [Violation] in
        let line = file.source.code[index]
        let added = line.drop { $0 != ":" }
        guard line.hasPrefix("extension "), conformances.contains(where: { added.contains($0) }) else { return [] }
        let type = line.dropFirst("extension ".count).prefix { !":<{ ".contains($0) }
        let name = type.split(separator: ".").last.map(String.init) ?? ""
        let isDeclared = ["struct", "enum", "class"].contains { keyword in
          file.source.code.contains { declares($0, "\(keyword) \(name)") }
        }
        return isDeclared ? [] : [file.violation(line: index, "the conformance of \(type) is not in the type's file")]
      }
    }
  }

  private static func declares(_ line: String, _ declaration: String) -> Bool {
    guard let found = line.firstRange(of: declaration) else { return false }
    return line[found.upperBound...].first.map { ":<{, ".contains($0) } ?? true
  }
}

struct RedactionPlaceTests {
  @Test func holdsInTheSources() throws {
    let files = try Project.files(in: "Sources")
    expectNone(RedactionPlace.violations(in: files))
    // The rule would find nothing if conformances were written otherwise.
    let uses = files.flatMap { $0.source.lines(containing: "_Summarized") }
    expect(uses.count >= 20)
  }

  @Test(arguments: [
    "extension A: _Summarized {\n}", "extension A: CustomReflectable {\n}",
    "struct AB {}\nextension A: CustomDebugStringConvertible {\n}",
    "struct A {}\nextension A.B: CustomStringConvertible, CustomReflectable {\n}",
  ])
  func finds(_ text: String) {
    expectEqual(RedactionPlace.violations(in: [SourceFile("Sources/Heliograph/A+Description.swift", text)]).count, 1)
  }

  @Test(arguments: [
    "public struct A: Sendable {\n}\nextension A: CustomReflectable {\n}", "extension A: CustomStringConvertible {\n}",
    "extension A {\n  enum B {}\n}\nextension A.B: CustomReflectable {\n}",
    "struct A<T> {}\nextension A: CustomDebugStringConvertible where T: Sendable {\n}",
  ])
  func accepts(_ text: String) {
    expectNone(RedactionPlace.violations(in: [SourceFile("Sources/Heliograph/A.swift", text)]))
  }
}
