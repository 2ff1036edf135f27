import Foundation
import TestSupport
import Testing

/// Every Swift fence of the documents is a sample that is compiled and run, and every sample is shown somewhere.
enum Fences {
  static func problems(documents: [Document], samples: [Sample]) -> [String] {
    var problems: [String] = []
    var shown: Set<String> = []
    for document in documents {
      if let line = document.openFence { problems.append("\(document.place(line)): the fence is never closed") }
      for fence in document.fences {
        let place = document.place(fence.line)
        let (imports, code) = Sample.splittingImports(Sample.normalized(fence.lines))
        if code.first?.hasPrefix("// not compiled") == true {
          problems.append("\(place): every fence is compiled")
        } else if code.isEmpty {
          problems.append("\(place): the fence is empty")
        } else {
          let same = samples.filter { $0.code == code }
          shown.formUnion(same.map(\.place))
          if same.isEmpty {
            problems.append("\(place): no sample is the same as the fence that begins with: \(code[0])")
          } else if !same.contains(where: { $0.imports.isSuperset(of: imports) }) {
            let missing = imports.subtracting(same[0].imports).sorted().joined(separator: ", ")
            problems.append("\(place): the file of sample \(same[0].name) does not import \(missing)")
          }
        }
      }
    }
    for sample in samples where !shown.contains(sample.place) {
      problems.append("\(sample.place): no document shows sample \(sample.name)")
    }
    return problems + repeatedNames(in: samples)
  }

  private static func repeatedNames(in samples: [Sample]) -> [String] {
    Dictionary(grouping: samples, by: \.name).values.filter { $0.count > 1 || $0[0].name.isEmpty }
      .map { "\($0[0].place): a sample needs a name of its own, not \"\($0[0].name)\"" }.sorted()
  }
}

struct FencesTests {
  @Test("S4-16") func holdsInTheDocuments() throws {
    let (samples, problems) = try Project.samples()
    expectNone(problems)
    expectNone(Fences.problems(documents: try Project.documents(), samples: samples))
  }

  /// An open fence would make the rest of a doc comment code.
  @Test func everyFenceOfADocCommentIsClosed() throws {
    let paths = try require(FileManager.default.enumerator(atPath: Project.root.path + "/Sources"))
    for case let path as String in paths where path.hasSuffix(".swift") {
      let lines = try Project.text(of: "Sources/\(path)").split(separator: "\n").map { $0.drop { $0 == " " } }
      for comment in lines.split(whereSeparator: { !$0.hasPrefix("///") }) {
        let text = comment.map { $0.dropFirst(4) }.joined(separator: "\n")
        expectNil(Document(path: path, text: text).openFence, "\(path): \(text.prefix(80))")
      }
    }
  }

  /// The same program is not longer with Heliograph than with `URLSession`.
  @Test func theAccountIsNotLongerThanWithURLSession() throws {
    let lengths = Dictionary(uniqueKeysWithValues: try Project.samples().samples.map { ($0.name, $0.code.count) })
    let file = try Project.text(of: "Tests/DocumentationSamples/GuideAsync.swift").split(separator: "\n")
    let begin = try require(file.firstIndex { $0.hasPrefix("  // compared:") })
    let end = try require(file.firstIndex { $0.hasPrefix("  // end compared") })
    let plain = end - begin - 1
    try expect(require(lengths["async-account"]) <= plain)
  }

  private let readme = """
    # Title

    ```swift
    let a = 1
      let b = 2

    ```

    ```bash
    swift test
    ```
    """

  private let file = """
    import Heliograph

    @Test func works() {
      // sample: two-lines
      let a = 1
        let b = 2
      // end sample
      #expect(a < b)
    }
    """

  private func problems(_ readme: String, _ file: String) -> [String] {
    let (samples, problems) = Sample.parse(path: "S.swift", text: file)
    return problems + Fences.problems(documents: [Document(path: "R.md", text: readme)], samples: samples)
  }

  @Test func acceptsAFenceWithItsSample() {
    expectNone(problems(readme, file))
    let listed = readme.split(separator: "\n", omittingEmptySubsequences: false).map { "   " + $0 }
    expectNone(problems(listed.joined(separator: "\n"), file))
  }

  @Test func acceptsADiffWhoseNewSideIsASample() {
    let diff = readme.replacing("swift\nlet a = 1\n  let b = 2", with: "diff\n-let c = 1\n let a = 1\n+  let b = 2")
    expectNone(problems(diff, file))
    expectEqual(problems(diff.replacing("-let c", with: "+let c"), file).count, 2)
  }

  @Test func comparesImportsWithTheFile() {
    let importing = readme.replacing("let a", with: "import Heliograph\n\nlet a")
    expectNone(problems(importing, file))
    let other = file.replacing("import Heliograph", with: "import Signals")
    expectEqual(problems(importing, other), ["R.md:4: the file of sample two-lines does not import Heliograph"])
  }

  @Test func findsAFenceWithoutASample() {
    let changed = readme.replacing("let b = 2", with: "let b = 3")
    expectEqual(
      problems(changed, file),
      [
        "R.md:4: no sample is the same as the fence that begins with: let a = 1",
        "S.swift:4: no document shows sample two-lines",
      ])
    expectEqual(problems(readme.replacing("  let b", with: "let b"), file).count, 2)
  }

  @Test func refusesFencesThatAreNotCompiled() {
    let excused = "```swift\n// not compiled: too long\nlet a = 1\n```\n~~~~ Swift\n~~~~\n```swift\nlet b = 1"
    expectEqual(
      problems(excused, ""),
      [
        "R.md:7: the fence is never closed", "R.md:2: every fence is compiled", "R.md:6: the fence is empty",
      ])
  }

  @Test func findsBrokenMarkers() {
    let broken = "// end sample\n// sample: a\n// sample: b\n1\n// end sample\n// sample: b\n2\n// end sample"
    expectEqual(
      problems("```swift\n1\n```\n```swift\n2\n```", broken),
      [
        "S.swift:1: an end without a sample", "S.swift:2: sample a has no end",
        "S.swift:3: a sample needs a name of its own, not \"b\"",
      ])
    expectEqual(problems("", "// sample: a"), ["S.swift:1: sample a has no end"])
  }
}
