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
    case .aborted: "aborted"
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

  /// A pause would delay the connections that follow it in the backlog.
  @Test func onlyALackOfResourcesPausesTheListener() {
    let codes = [ECONNABORTED, EPROTO, EINTR, EHOSTUNREACH, EAGAIN, EMFILE, ENFILE, ENOBUFS, ENOMEM]
    expectEqual(
      codes.map { name(Socket.acceptance(after: $0)) },
      ["aborted", "aborted", "aborted", "aborted", "none", "exhausted", "exhausted", "exhausted", "exhausted"])
  }
}
