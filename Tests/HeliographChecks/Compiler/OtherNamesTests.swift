#if os(Linux)
import Foundation
import HeliographTestSupport
import TestSupport
import Testing

/// The compiler explains the names of other libraries: each use has one error, which says what to write.
struct OtherNamesTests {
  /// The folder of the modules that this program was built with.
  private static func modules() throws -> String {
    var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    while folder.path != "/", !FileManager.default.fileExists(atPath: folder.path + "/Modules/Signals.swiftmodule") {
      folder.deleteLastPathComponent()
    }
    return folder.path + "/Modules"
  }

  /// Type-checks lines and returns the errors of each, and its warnings about deprecated names.
  private static func errors(of names: [OtherName], _ prelude: String) async throws -> [[String]] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "names-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "uses.swift")
    // A function for each line, so that an error in one does not hide another's.
    let lines = names.enumerated().map { "@MainActor func use\($0)(_ screen: Screen) { \($1.code) }" }
    try (prelude + lines.joined(separator: "\n")).write(to: file, atomically: true, encoding: .utf8)
    let output = Pipe()
    let compiler = try Child(
      "/usr/bin/env",
      [
        "swiftc", "-typecheck", "-swift-version", "6", "-diagnostic-style=llvm", "-I", try modules(), "-I",
        try modules() + "/../CCurl.build", file.path,
      ], errors: output.fileHandleForWriting)
    try output.fileHandleForWriting.close()
    let text = String(decoding: try await output.readToEnd(), as: UTF8.self)
    await compiler.wait()
    let first = prelude.split(separator: "\n", omittingEmptySubsequences: false).count
    var found = Array(repeating: [(column: Int, text: String)](), count: names.count)
    for line in text.split(separator: "\n") {
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
    try expectAllTexts(of: "Heliograph", in: found.joined(), except: ["Former.swift"])
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
  }
}
#endif
