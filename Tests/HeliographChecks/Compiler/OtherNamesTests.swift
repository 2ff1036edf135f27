#if os(Linux)
import Foundation
import HeliographTestSupport
import TestSupport
import Testing

/// The compiler explains the names of other libraries: each use has one error, which says what to write.
struct OtherNamesTests {
  /// Type-checks lines and returns the errors of each, and its warnings about deprecated names.
  private static func errors(of names: [OtherName], _ prelude: String) async throws -> [[String]] {
    // A function for each line, so that an error in one does not hide another's.
    let lines = names.enumerated().map { "@MainActor func use\($0)(_ screen: Screen) { \($1.code) }" }
    let first = prelude.split(separator: "\n", omittingEmptySubsequences: false).count
    var found = Array(repeating: [(column: Int, text: String)](), count: names.count)
    for line in try await TypeChecker.diagnostics(in: prelude + lines.joined(separator: "\n")) {
      guard let match = line.firstMatch(of: /uses\.swift:(\d+):(\d+): (?:error: (.*)|warning: (.*is deprecated.*))/)
      else { continue }
      let (row, column) = (try require(Int(match.1)) - first, try require(Int(match.2)))
      try require(found.indices.contains(row), "\(line)")
      found[row].append((column, String(match.3 ?? match.4 ?? "")))
    }
    return found.map { $0.sorted { $0.column < $1.column }.map(\.text) }
  }

  private func check(_ names: [OtherName], _ prelude: String = OtherName.prelude) async throws -> [[String]] {
    let found = try await Self.errors(of: names, prelude)
    for (name, errors) in zip(names, found) {
      let fits = errors.count == name.errors.count && zip(errors, name.errors).allSatisfy { $0.contains($1) }
      expect(fits, "\(name.code): \(errors)")
    }
    return found
  }

  @Test func eachNameHasOneErrorThatSaysWhatToWrite() async throws {
    let rxSwift = [
      OtherName.rxSwift, OtherName.rxSubjects, OtherName.rxTypes, OtherName.rxStatics, OtherName.rxEvents,
      OtherName.rxClosures,
    ]
    var found = try await check(OtherName.combine + rxSwift.joined() + OtherName.reactiveSwift)
    found += try await check(
      OtherName.subjectGuesses + OtherName.mixedGuesses + OtherName.signalGuesses, OtherName.guessPrelude)
    try expectAllTexts(of: "Signals", in: found.joined())
  }

  @Test func eachNameOfANetworkingLibraryHasOneErrorThatSaysWhatToWrite() async throws {
    let names = OtherName.former + OtherName.alamofire + OtherName.moya + OtherName.lenient
    var found = try await check(names, OtherName.clientPrelude)
    found += try await check(OtherName.settingGuesses + OtherName.clientGuesses, OtherName.guessPrelude)
    found += try await check(OtherName.memberGuesses, OtherName.guessPrelude)
    try expectAllTexts(of: "Heliograph", in: found.joined(), except: ["Former.swift"])
  }

  @Test func eachGuessAtANameOfTheTestingLibraryHasOneErrorThatSaysWhatToWrite() async throws {
    let found = try await check(OtherName.testingGuesses, OtherName.guessPrelude + OtherName.testingPrelude)
    try expectAllTexts(of: "HeliographTesting", in: found.joined())
  }

  /// Every text of the sources was seen.
  private func expectAllTexts(
    of module: String, in found: some Sequence<String>, except others: Set<String> = []
  ) throws {
    let folder = Repository.file("Sources/\(module)/OtherNames")
    for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    where !others.contains(file.lastPathComponent) {
      let source = try String(contentsOf: file, encoding: .utf8)
      for match in source.matches(of: /(?:message|renamed): "([^"]*)"/) {
        let message = match.1.replacing(#"\\"#, with: #"\"#)
        expect(found.contains { $0.contains(message) }, "\(file.lastPathComponent) has no sample of: \(message)")
      }
    }
  }

  @Test func mistakesInOurNamesAreExplainedAsBefore() async throws {
    _ = try await check(OtherName.mistakes)
    _ = try await check(OtherName.clientMistakes, OtherName.clientPrelude)
    _ = try await check(OtherName.signalTypos)
    _ = try await check(OtherName.clientTypos, OtherName.clientPrelude + OtherName.typoPrelude)
  }
}
#endif
