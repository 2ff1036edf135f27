import Foundation
import SignalsTestSupport
import TestSupport
import Testing

/// Every operator is in the registry, so the tests that hold for every operator hold for it.
struct RegistryTests {
  /// The folder of the library's sources.
  private static let sources = Repository.file("Sources/Signals")

  private func files(_ folder: String) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(
      at: RegistryTests.sources.appending(path: folder), includingPropertiesForKeys: nil
    )
    .filter { $0.pathExtension == "swift" }
  }

  /// The public operators that a source file declares in extensions of `Signal`.
  private func operators(in text: String) -> [String] {
    var result: [String] = []
    var ending: String?
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      if let closing = ending {
        if line == closing { ending = nil }
      } else if let match = line.firstMatch(of: /^( *)extension Signal(?: where .*)? \{/) {
        ending = "\(match.1)}"
      }
      guard ending != nil else { continue }
      guard let match = line.firstMatch(of: /public (static )?(func|var) `?(\w+)`?/) else { continue }
      let prefix = match.1 == nil ? "" : "Signal."
      let column = line.distance(from: line.startIndex, to: match.range.upperBound)
      let rest = lines[index...].joined(separator: "\n").dropFirst(column)
      result.append("\(prefix)\(match.3)\(match.2 == "func" ? labels(of: rest) : "")")
    }
    return result
  }

  /// The argument labels of a declaration whose name is followed by a text, such as `<A>(_ a: A, on b: B) -> C`.
  private func labels(of text: Substring) -> String {
    var (depth, labels, parameter, isInside) = (0, "", "", false)
    var before: Character = " "
    for character in text {
      let isArrow = before == "-" && character == ">"
      before = character
      if depth == 0 && character == "(" {
        (depth, isInside) = (1, true)
        continue
      }
      if "([{<".contains(character) { depth += 1 }
      if ")]}>".contains(character) && !isArrow { depth -= 1 }
      guard isInside else { continue }
      if depth > 1 || (depth == 1 && character != ",") {
        parameter.append(character)
        continue
      }
      if let label = parameter.firstMatch(of: /^\s*(\w+)/) { labels += "\(label.1):" }
      parameter = ""
      if depth == 0 { break }
    }
    return "(\(labels))"
  }

  @Test func everyPublicOperatorIsInTheRegistry() throws {
    let texts = try (files("Operators") + files("Bridges")).map { try String(contentsOf: $0, encoding: .utf8) }
    let declared = Set(texts.flatMap(operators))
    let covered = Set(Stage.all.map(\.name))
    expect(declared.count > 50)
    let missing = declared.subtracting(covered).subtracting(Stage.exceptions.keys)
    expect(missing.isEmpty, "without a stage: \(missing.sorted())")
    let unknown = covered.union(Stage.exceptions.keys).subtracting(declared)
    expect(unknown.isEmpty, "stages of operators that are not declared: \(unknown.sorted())")
  }

  @Test func stagesHaveNamesOfTheirOwn() {
    expectEqual(Set(Stage.all.map(\.testDescription)).count, Stage.all.count)
  }

  @Test func declarationsAreReadWithTheirLabels() {
    let text = """
      extension Signal where Value: Equatable {
        @inlinable
        public static func one<A: Sequence<(Int, Int)>>(_ a: A, on b: [Int: Int] = [:]) -> Signal {}
        public func `two`(
          from: @escaping @Sendable (Int, Int) -> Int, _ then: Int...
        ) -> Signal {}
        public static var three: Signal { .empty }
        func four() {}
        public func five() async -> Int {}
      }
      extension Other {
        public func six() {}
      }
      """
    expectEqual(operators(in: text), ["Signal.one(_:on:)", "two(from:_:)", "Signal.three", "five()"])
  }
}
