import TestSupport
import Testing

/// What tests do only with a reason beside it.
///
/// Time is virtual, or tests wait for an event. A thread of the concurrency pool is never occupied by waiting: there
/// are as few as the processor has cores.
struct ReasonRule {
  let marker: String
  let terms: [String]
  /// Folders of programs and of suites that have their threads to themselves.
  var exceptions: [String] = []

  static let sleeps = ReasonRule(marker: "sleeps", terms: ["Task.sleep", "Thread.sleep", "usleep", "nanosleep"])
  static let blocks = ReasonRule(
    marker: "blocks",
    terms: [
      "DispatchSemaphore", "DispatchGroup", "NSCondition", "waitUntilExit", "waitBlocking", "readDataToEndOfFile",
      "availableData", "pthread_join", "sched_yield", "sync {", "recv(",
    ],
    exceptions: ["Benchmarks/", "StressTests/", "ProcessProbe/", "AppleS"])

  func violations(in files: [SourceFile]) -> [Violation] {
    files.filter { file in !exceptions.contains { file.path.contains($0) } }.flatMap { file in
      terms.flatMap { term in
        file.source.lines(containing: term)
          .filter { !file.source.hasReason(marked: "\(marker):", besideLine: $0) }
          .map { file.violation(line: $0, "\(term) without a reason (// \(marker): …)") }
      }
    }
  }
}

struct BlockingTests {
  private static let rules = [ReasonRule.sleeps, .blocks]

  @Test func holdsInTheTests() throws {
    let files = try Project.files(in: "Tests")
    for rule in Self.rules { expectNone(rule.violations(in: files)) }
  }

  private func count(_ text: String) -> Int {
    Self.rules.reduce(0) { $0 + $1.violations(in: [SourceFile("Tests/A.swift", text)]).count }
  }

  @Test(arguments: [
    "try await Task.sleep(for: .seconds(1))", "Thread.sleep(forTimeInterval: 1)", "usleep(1)", "// why\nusleep(1)",
    "usleep(1)  // sleeps:", "let gate = DispatchSemaphore(value: 0)", "child.waitBlocking()",
    "// why\nprocess.waitUntilExit()", "while !isDone { sched_yield() }",
    "queue.sync { work() }", "recv(4, &piece, 1, 0)",
    "usleep(1)  // blocks: the other reason",
  ])
  func finds(text: String) {
    expectEqual(count(text), 1)
  }

  @Test(arguments: [
    "usleep(1)  // sleeps: the kernel gives no event for this", "// sleeps: no event\ntry await Task.sleep(for: .zero)",
    "// usleep(1)", "let a = \"Task.sleep\"", "child.waitBlocking()  // blocks: a thread of its own",
    "await child.wait()", "// DispatchGroup",
  ])
  func accepts(text: String) {
    expectEqual(count(text), 0)
  }
}
