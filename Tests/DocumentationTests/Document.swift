/// A Markdown document, split into what the tests look at.
struct Document {
  /// A fenced block of Swift, or the new side of a diff.
  struct Fence: Equatable {
    /// The index of the line after the opening fence.
    let line: Int
    /// The lines inside, without the fence's own indentation.
    let lines: [String]
  }

  /// The target of a link or an image.
  struct Link: Equatable {
    let line: Int
    let target: String
  }

  let path: String
  private(set) var fences: [Fence] = []
  private(set) var links: [Link] = []
  /// The index of the line of a fence that is never closed.
  private(set) var openFence: Int?

  init(path: String, text: String) {
    self.path = path
    var open: (marker: Substring, indentation: Int, language: String?, line: Int)?
    var inside: [String] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let content = line.drop { $0 == " " }
      let marker = content.prefix { $0 == "`" }.isEmpty ? content.prefix { $0 == "~" } : content.prefix { $0 == "`" }
      if let fence = open {
        let isClosing =
          marker.first == fence.marker.first && marker.count >= fence.marker.count
          && content.dropFirst(marker.count).allSatisfy { $0 == " " }
        if isClosing {
          if fence.language == "swift" { fences.append(Fence(line: fence.line, lines: inside)) }
          if fence.language == "diff" { fences.append(Fence(line: fence.line, lines: Self.newSide(of: inside))) }
          open = nil
        } else {
          inside.append(line.droppingSpaces(atMost: fence.indentation))
        }
      } else if marker.count >= 3 {
        let language = content.dropFirst(marker.count).split { $0 == " " || $0 == "{" }.first
        open = (marker, line.count - content.count, language?.lowercased(), index + 1)
        inside = []
      } else {
        links += Self.targets(in: line).map { Link(line: index, target: $0) }
      }
    }
    openFence = open.map { $0.line - 1 }
  }

  /// The lines of a diff that are not removed by it, without its first column.
  static func newSide(of diff: [String]) -> [String] {
    diff.filter { !$0.hasPrefix("-") }.map { String($0.dropFirst()) }
  }

  func place(_ line: Int) -> String { "\(path):\(line + 1)" }

  /// The targets of `[text](target)`, `![text](target "title")`, `[text](<target>)`, `[name]: target`, `<doc:Article>`.
  static func targets(in line: Substring) -> [String] {
    // What stands between backticks is code.
    let parts = line.split(separator: "`", omittingEmptySubsequences: false)
    let prose = parts.enumerated().map { $0.offset.isMultiple(of: 2) ? String($0.element) : "code" }.joined()
    var targets = prose.split(separator: "](", omittingEmptySubsequences: false).dropFirst().compactMap(inlineTarget)
    if prose.hasPrefix("["), let found = prose.firstRange(of: "]: ") {
      targets += prose[found.upperBound...].split(separator: " ").prefix(1).map { String($0) }
    }
    targets += prose.split(separator: "<doc:", omittingEmptySubsequences: false).dropFirst()
      .map { "doc:" + $0.prefix { $0 != ">" } }
    return targets
  }

  /// The target at the start of what follows `](`, up to the parenthesis that closes it or the title.
  private static func inlineTarget(_ rest: Substring) -> String? {
    if rest.first == "<" { return rest.firstIndex(of: ">").map { String(rest[..<$0].dropFirst()) } }
    var depth = 0
    let end = rest.firstIndex { character in
      if character == "(" { depth += 1 }
      if character == ")" { depth -= 1 }
      return depth < 0 || character == " "
    }
    return end.map { String(rest[..<$0]) }
  }
}

extension Substring {
  fileprivate func droppingSpaces(atMost count: Int) -> String {
    let spaces = prefix(count).prefix { $0 == " " }
    return String(dropFirst(spaces.count))
  }
}
