import Foundation
import Heliograph
import HeliographTesting
import Signals

/// Two loopback servers that answer by path, for all cases of a group in turn.
final class CaseServer: Sendable {
  private let first: LoopbackServer
  private let second: LoopbackServer
  private let script: Guarded<Script>

  init() throws {
    first = try LoopbackServer()
    second = try LoopbackServer()
    script = Guarded(Script())
    for server in [first, second] {
      server.route("*", "/**") { [weak self] request in self?.answer(to: request) ?? .status(500) }
    }
  }

  var baseURL: URL { first.baseURL }
  var secondURL: URL { second.baseURL }

  private struct Script: Sendable {
    var answers: [String: LoopbackResponse] = [:]
    var beforeAnswer: @Sendable () -> Void = {}
  }

  private func answer(to request: LoopbackRequest) -> LoopbackResponse {
    let current = script.withLock { $0 }
    current.beforeAnswer()
    return current.answers[request.path] ?? .text("unexpected")
  }

  /// Replaces all answers.
  func prepare(_ answers: [String: LoopbackResponse], beforeAnswer: @escaping @Sendable () -> Void) {
    script.withLock { $0 = Script(answers: answers, beforeAnswer: beforeAnswer) }
  }

  /// Returns the requests at a path and below it, in the order of arrival at each server.
  func requests(below path: String) -> [LoopbackRequest] {
    [first, second].flatMap { $0.log.requests.filter { Self.isBelow(path, $0) } }
  }

  /// Waits until a number of requests at a path and below it has arrived at the first server.
  func waitForRequests(_ count: Int, below path: String) async -> Bool {
    await first.wait(for: .seconds(600)) { $0.requests.count { Self.isBelow(path, $0) } >= count }
  }

  private static func isBelow(_ path: String, _ request: LoopbackRequest) -> Bool {
    request.path == path || request.path.hasPrefix(path + "/")
  }
}
