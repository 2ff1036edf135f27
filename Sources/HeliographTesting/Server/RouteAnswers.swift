import Signals

/// The responses computed by tasks of routes, on their way to the loop.
final class RouteAnswers: Sendable {
  private let answers = Guarded<[(id: Int, response: LoopbackResponse)]>([])
  private let wakeup: Wakeup

  init(wakeup: Wakeup) {
    self.wakeup = wakeup
  }

  func add(_ response: LoopbackResponse, on connection: Int) {
    answers.withLock { $0.append((connection, response)) }
    wakeup.signal()
  }

  func takeAll() -> [(id: Int, response: LoopbackResponse)] {
    answers.withLock { answers in
      defer { answers = [] }
      return answers
    }
  }
}
