import Foundation
import TestSupport
import Testing

@testable import HeliographTesting

/// What the server's listener says about connections.
struct SocketTests {
  private func name(_ acceptance: Socket.Acceptance) -> String {
    switch acceptance {
    case .socket: "socket"
    case .none: "none"
    case .exhausted: "exhausted"
    }
  }

  /// The system closes the listener of an app that it suspends, and reports it as ready from then on.
  @Test func aListenerThatHasFailedIsNotAskedAgainAtOnce() throws {
    let listener = try Socket.listening(on: 0)
    defer { listener.close() }
    expectEqual(name(listener.accept()), "none")
    expectEqual(shutdown(listener.descriptor, Int32(SHUT_RDWR)), 0)
    expectEqual(name(listener.accept()), "exhausted")
  }
}
