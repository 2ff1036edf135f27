import TestSupport
import Testing

/// No call-out while a lock is held: no closure given to `withLock` calls anything of the outside by its known names.
///
/// A heuristic, which knows names and not types. A call that it takes for one by mistake is marked in place with
/// `// inside the lock: <reason>`.
enum CallOuts {
  static let locks = ["withLock", "withLockIfAvailable", "discardWithLock"]
  static let marker = "inside the lock:"
  /// Names that are called with parentheses; `subscribe` counts in any form.
  static let names: Set<String> = [
    "send", "fail", "complete", "next", "end", "dispose", "action", "handler", "onEvent",
  ]

  static func violations(in files: [SourceFile]) -> [Violation] {
    files.filter { file in locks.contains { file.source.wholeCode.contains($0) } }.flatMap { file in
      calls(in: file).filter { !file.source.hasReason(marked: marker, besideLine: $0.line) }
        .map { file.violation(line: $0.line, "calls \($0.name) while holding a lock") }
    }
  }

  private static func calls(in file: SourceFile) -> [(line: Int, name: String)] {
    var result: [(line: Int, name: String)] = []
    var depth = 0
    var lockDepth: Int?  // The depth inside the outermost closure that runs under a lock.
    var expectsClosure = false
    for (line, code) in file.source.code.enumerated() {
      let characters = Array(code)
      var index = 0
      while index < characters.count {
        let start = index
        while index < characters.count, characters[index].isIdentifierPart { index += 1 }
        if start < index {
          let word = String(characters[start..<index])
          if locks.contains(word) {
            expectsClosure = true
          } else {
            expectsClosure = false
            let isCall = isCall(of: word, from: start, to: index, in: characters)
            if lockDepth != nil, isCall { result.append((line, word)) }
          }
          continue
        }
        switch characters[index] {
        case "{":
          depth += 1
          if expectsClosure, lockDepth == nil { lockDepth = depth }
          expectsClosure = false
        case "}":
          if lockDepth == depth { lockDepth = nil }
          depth -= 1
        case " ", "(": break
        default: expectsClosure = false
        }
        index += 1
      }
    }
    return result
  }

  private static func isCall(of word: String, from start: Int, to end: Int, in code: [Character]) -> Bool {
    // `.end(value)` without anything before the dot is a case of an enum.
    let isImplicitMember =
      start > 0 && code[start - 1] == "." && (start == 1 || "([{,=: ".contains(code[start - 2]))
    guard !isImplicitMember else { return false }
    if word == "subscribe" { return true }
    let rest = code[end...].drop { $0 == "?" || $0 == "!" }
    return names.contains(word) && rest.first == "("
  }
}

struct CallOutTests {
  @Test func holdsInTheSources() throws {
    expectNone(CallOuts.violations(in: try Project.files(in: "Sources")))
  }

  @Test(arguments: [
    "state.withLock { $0.observer.send(1) }",
    "state.withLock({ $0.handle?.dispose() })",
    "state.withLock { state in\n  if state.isTerminated { state.action?() }\n}",
    "let a = lock.withLock {\n  switch b {\n  case .c: handler(1)\n  default: break\n  }\n}",
    "lock.withLock { inner in\n  source.subscribe { _ in }\n}",
    "lock.withLock { sink.end(.last(1)) }",
    "lock.withLockIfAvailable { sink.next(1) }",
    "lock.discardWithLock { sink.next(1) }",
    "lock.withLock { self.next(1) }  // inside the lock:",
  ])
  func finds(text: String) {
    expectEqual(CallOuts.violations(in: [SourceFile("Sources/Signals/A.swift", text)]).count, 1)
  }

  @Test func namesThePlace() {
    let file = SourceFile("Sources/Signals/A.swift", "let a = lock.withLock { b in\n  b.c.fail(d)\n}")
    expectEqual(
      CallOuts.violations(in: [file]).map(\.description),
      [
        "Sources/Signals/A.swift:2: calls fail while holding a lock"
      ])
  }

  @Test(arguments: [
    "let old = state.withLock { $0.take() }\nold?.dispose()",
    "state.withLock { $0.nextStep() }\nobserver.send(1)",
    "source.subscribe { event in\n  state.withLock { $0.add(event) }\n  deliver()\n}",
    "state.withLock { state in\n  state.ending = .fail(error)\n  return .end(1)\n}",
    "state.withLock { $0.action = nil }\nlet sending = send(1)",
    "state.withLock { $0.list.send(1) }  // inside the lock: a list of our own, which calls nobody",
    "// withLock { send(1) }\nlet text = \"withLock { send(1) }\"",
    "if state.withLock({ $0.isTerminated }) { handle.dispose() }",
  ])
  func accepts(text: String) {
    expectNone(CallOuts.violations(in: [SourceFile("Sources/Signals/A.swift", text)]))
  }
}
