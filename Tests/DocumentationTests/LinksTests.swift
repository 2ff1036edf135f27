import Foundation
import TestSupport
import Testing

/// Every relative link of the documents leads to something that exists.
enum Links {
  static func problems(in documents: [Document], exists: (String) -> Bool) -> [String] {
    documents.flatMap { document in
      document.links.compactMap { link in
        guard let path = path(of: link.target, from: document.path) else { return nil }
        let leadsNowhere = path.hasPrefix("..") || !exists(path)
        return leadsNowhere ? "\(document.place(link.line)): \(link.target) leads nowhere" : nil
      }
    }
  }

  /// The path from the package's root that a link names, or `nil` when it leads elsewhere or into its own document.
  static func path(of target: String, from document: String) -> String? {
    // An article of the same catalogue, by its name.
    if target.hasPrefix("doc:") {
      return Links.path(of: target.dropFirst(4).prefix { $0 != "#" } + ".md", from: document)
    }
    let scheme = target.prefix { $0.isLetter }
    guard !target.hasPrefix("#"), !target.dropFirst(scheme.count).hasPrefix(":") || scheme.isEmpty else { return nil }
    let file = target.prefix { $0 != "#" && $0 != "?" }
    let folder = file.hasPrefix("/") ? [] : document.split(separator: "/").dropLast()
    var parts: [Substring] = []
    for part in folder + file.split(separator: "/") where part != "." {
      if part == "..", let last = parts.last, last != ".." { parts.removeLast() } else { parts.append(part) }
    }
    return parts.joined(separator: "/").replacing("%20", with: " ")
  }
}

/// Every link of an article is one that a git host and DocC resolve.
///
/// It is the file of an article of the same catalogue, without a folder, or a document of the folder Docs; the script
/// `.ci/docs-links` rewrites both for DocC. `doc:` is dead text on a git host.
enum CatalogueLinks {
  static func problems(in document: Document, lines: [Substring]) -> [String] {
    guard document.path.contains(".docc/") else { return [] }
    return document.links.compactMap { link in
      let target = link.target.prefix { $0 != "#" }
      let isWeb = target.hasPrefix("https://") || target.isEmpty
      let isArticle = target.hasSuffix(".md") && target.dropLast(3).allSatisfy(\.isLetter)
      // A picture of the catalogue, which DocC finds by its name.
      let isPicture = target.hasSuffix(".png") && target.dropLast(4).allSatisfy(\.isLetter)
      let isDocument = target.hasPrefix("../../../Docs/") && target.hasSuffix(".md")
      if !isWeb && !isArticle && !isPicture && !isDocument {
        return "\(document.place(link.line)): \(link.target) is no link for both a git host and DocC"
      }
      // sed reads line by line.
      let line = lines[link.line]
      let isWhole = line.firstRange(of: "](" + link.target).map { line[..<$0.lowerBound].contains("[") } ?? false
      return isWhole ? nil : "\(document.place(link.line)): the text of a link is on several lines"
    }
  }
}

struct LinksTests {
  @Test func holdInTheDocuments() throws {
    let documents = try Project.documents()
    expectNone(Links.problems(in: documents, exists: Project.exists))
    for document in documents {
      let lines = try Project.text(of: document.path).split(separator: "\n", omittingEmptySubsequences: false)
      expectNone(CatalogueLinks.problems(in: document, lines: lines))
    }
  }

  @Test(arguments: [
    ("See [Start](Start.md), [here](../../../Docs/Platforms.md#linux) and [web](https://example.com).", true),
    ("![A page](page.png)", true), ("![A page](../page.png)", false), ("See <doc:Start>.", false),
    ("See [Start](doc:Start).", false), ("See [it](../../README.md).", false),
    ("text](Start.md) of a link that began before", false),
  ])
  func accept(text: String, isRight: Bool) {
    let problems = CatalogueLinks.problems(in: Document(path: "A.docc/A.md", text: text), lines: [text[...]])
    expectEqual(problems.isEmpty, isRight, "\(text) \(problems)")
  }

  #if os(macOS) || os(Linux)
  @Test(arguments: [
    ("- [Getting started](GettingStarted.md)", "- <doc:GettingStarted>"),
    ("See [it](Testing.md#stubs), [b](Logging.md).", "See [it](doc:Testing), [b](doc:Logging)."),
    ("In [platforms](../../../Docs/Platforms.md#linux), too.", "In platforms (`Docs/Platforms.md`), too."),
    ("[web](https://example.com/A.md) `code`", "[web](https://example.com/A.md) `code`"),
  ])
  func areRewrittenForDocC(text: String, expected: String) async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("links-\(UUID()).md")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data((text + "\n").utf8).write(to: file)
    let process = Process()
    process.executableURL = Project.root.appendingPathComponent(".ci/docs-links")
    process.standardInput = try FileHandle(forReadingFrom: file)
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let reading = output.fileHandleForReading
    let data = try await onThread { try reading.readToEnd() }
    expectEqual(String(decoding: data ?? Data(), as: UTF8.self), expected + "\n")
  }
  #endif

  /// Each promise of the contract has tests that are named after its number, or cites them.
  @Test func theTestsOfTheContractExist() throws {
    let folder = Project.root.appendingPathComponent("Tests")
    let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
    let sources = try paths.filter { $0.hasSuffix(".swift") }.map { try Project.text(of: "Tests/" + $0) }.joined()
    let lines = try Project.text(of: "Docs/SignalContract.md").split(separator: "\n")
    let numbers = lines.indices.compactMap { index -> Int? in
      let isCited =
        index + 1 < lines.count
        && lines[(index + 1)...].prefix { $0.hasPrefix("   ") }.contains {
          $0.hasPrefix("   Tests: ")
        }
      return isCited ? nil : lines[index].prefixMatch(of: #/(\d+)\. /#).flatMap { Int($0.1) }
    }
    expectEqual(numbers.count, 30)
    for number in numbers { expect(sources.contains("func promise\(number < 10 ? "0" : "")\(number)_"), "\(number)") }
    let names = lines.filter { $0.hasPrefix("   Tests: ") }.flatMap { line in
      line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
        .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
    }
    for name in names where name.count > 10 && name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }) {
      expect(sources.contains(name), "\(name)")
    }
  }

  private func problems(_ path: String, _ text: String) -> [String] {
    let files: Set<String> = [
      "README.md", "A.docc/Start.md", "Docs", "Docs/Architecture.md", "Docs/Decisions/First one.md", "",
    ]
    return Links.problems(in: [Document(path: path, text: text)]) { files.contains($0) }
  }

  @Test(arguments: [
    ("README.md", "See [the plan](Docs/Architecture.md#modules) and ![it](<Docs/Architecture.md>)."),
    ("README.md", "[one](Docs/Decisions/First%20one.md \"Title\"), [two](https://example.com/a), [three](#four)"),
    ("README.md", "`[code](nowhere.md)`\n```\n[code](nowhere.md)\n```\n[mail](mailto:a@example.com)"),
    ("Docs/Architecture.md", "[up](../README.md) [beside](./Decisions/../Architecture.md) [folder](../Docs/)"),
    ("Docs/Architecture.md", "[root](/README.md)\n\n[name]: ../README.md"),
    ("A.docc/A.md", "See <doc:Start>, <doc:Start#Install> and [here](doc:Start)."),
  ])
  func accept(path: String, text: String) {
    expectNone(problems(path, text))
  }

  @Test(arguments: [
    ("README.md", "See [the plan](Docs/Plan.md).", "README.md:1: Docs/Plan.md leads nowhere"),
    ("README.md", "text\n\n![image](image.png)", "README.md:3: image.png leads nowhere"),
    ("Docs/Architecture.md", "[up](README.md)", "Docs/Architecture.md:1: README.md leads nowhere"),
    ("Docs/Architecture.md", "[out](../../README.md)", "Docs/Architecture.md:1: ../../README.md leads nowhere"),
    ("README.md", "[name]: Docs/Plan.md", "README.md:1: Docs/Plan.md leads nowhere"),
    ("A.docc/A.md", "See <doc:End>.", "A.docc/A.md:1: doc:End leads nowhere"),
  ])
  func find(path: String, text: String, problem: String) {
    expectEqual(problems(path, text), [problem])
  }
}
