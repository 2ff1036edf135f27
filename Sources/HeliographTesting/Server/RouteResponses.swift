import Signals

/// A queue of the responses that tasks of routes have computed for the loop.
final class RouteResponses: Sendable {
  private let responses = Guarded<[(id: Int, response: LoopbackResponse)]>([])
  private let wakeup: Wakeup

  init(wakeup: Wakeup) {
    self.wakeup = wakeup
  }

  func add(_ response: LoopbackResponse, on connection: Int) {
    responses.withLock { $0.append((connection, response)) }
    wakeup.signal()
  }

  func takeAll() -> [(id: Int, response: LoopbackResponse)] {
    responses.withLock { responses in
      defer { responses = [] }
      return responses
    }
  }
}
