import TestSupport
import Testing

struct SourceTextTests {
  @Test func keepsCommentsApartFromCode() {
    let source = SourceText("let a = 1  // one\n/* two /* nested */ lines\n*/ let b = 2")
    expectEqual(source.code.map { $0.trimmingSpaces }, ["let a = 1", "", "let b = 2"])
    expectEqual(source.comments.map { $0.trimmingSpaces }, ["// one", "/* two /* nested */ lines", "*/"])
  }

  @Test func leavesOutStrings() {
    let lines = [
      #"call("Hidden // no comment")"#, ##"call(#"a "quoted" Hidden"#)"##, #"call("a \" Hidden")"#, "call(\"\"\"",
      "  Hidden \"x\"", "  \"\"\")", "end()",
    ]
    let source = SourceText(lines.joined(separator: "\n"))
    expect(!source.code.joined().contains("Hidden"))
    expect(source.comments.allSatisfy { $0.trimmingSpaces.isEmpty })
    expectEqual(source.code.last, "end()")
    expectEqual(source.code.count, lines.count)
  }

  @Test func keepsCodeInsideInterpolations() {
    let source = SourceText(#"print("a \(name(Kind.self, "b \(inner)")) Hidden") + rest"#)
    for word in ["name", "Kind", "inner", "rest"] { expect(source.code[0].contains(word)) }
    expect(!source.code[0].contains("Hidden"))
  }

  @Test func findsReasons() {
    let source = SourceText("// odd: because\nwork()\nmore() // odd:\nlast()")
    expect(source.hasReason(marked: "odd:", besideLine: 1))
    expect(!source.hasReason(marked: "odd:", besideLine: 2))
    expect(source.hasComment(besideLine: 3))
    expect(!SourceText("a()\nb()").hasComment(besideLine: 1))
  }

  @Test func countsWordsAndDepth() {
    let words = SourceText("struct A { var b: C.D }\nretry! try!").words
    expectEqual(words.map { String($0.text) }, ["struct", "A", "var", "b", "C", "D", "retry", "try"])
    expectEqual(words.map(\.depth), [0, 0, 1, 1, 1, 1, 0, 0])
    expectEqual(words[5].before, ".")
    expectEqual(SourceText("retry!\ntry!").lines(containing: "try!"), [1])
  }
}

extension String {
  fileprivate var trimmingSpaces: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
