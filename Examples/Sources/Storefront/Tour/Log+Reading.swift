import Foundation
import HeliographTesting

extension LoopbackServer {
  /// The log once it fulfils a condition, or as it is after 5 seconds.
  func log(once condition: @escaping @Sendable (LoopbackLog) -> Bool) async -> LoopbackLog {
    _ = await wait(until: condition)
    return log
  }
}

extension LoopbackLog {
  /// The connection that a request came on.
  func connection(of request: LoopbackRequest) -> Connection { connections[request.connection] }

  /// Whether the client has closed the connections of all these requests.
  func hasClientClosed(_ requests: [LoopbackRequest]) -> Bool {
    requests.allSatisfy { connection(of: $0).isClosedByClient == true }
  }
}

extension Duration {
  /// Such as `3.1 ms`.
  var inMilliseconds: String { String(format: "%.1f ms", self / .milliseconds(1)) }
}

extension [Duration] {
  /// Such as `3.1 ms, 0.4 ms`.
  var inMilliseconds: String { isEmpty ? "never" : map(\.inMilliseconds).joined(separator: ", ") }
}
