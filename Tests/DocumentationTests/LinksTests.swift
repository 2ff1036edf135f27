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

@Suite struct LinksTests {
  @Test func holdInTheDocuments() throws {
    expectNone(Links.problems(in: try Project.documents(), exists: Project.exists))
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
    #expect(problems(path, text) == [problem])
  }
}
