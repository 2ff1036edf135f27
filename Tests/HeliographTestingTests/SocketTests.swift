import Foundation
import Heliograph
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
    case .failed: "failed"
    }
  }

  /// The system closes the listener of an app that it suspends, and reports it as ready from then on.
  @Test func aListenerThatHasFailedIsNotAskedAgainAtOnce() throws {
    let listener = try Socket.listening(on: 0)
    defer { listener.close() }
    expectEqual(name(listener.accept()), "none")
    expectEqual(shutdown(listener.descriptor, Int32(SHUT_RDWR)), 0)
    expectEqual(name(listener.accept()), "failed")
  }

  /// A server of an app that was suspended serves again, at the URL that it had.
  @Test func aListenerThatHasFailedIsReplaced() async throws {
    let listener = try Socket.listening(on: 0)
    let port = try listener.localPort()
    let wakeup = try Wakeup()
    let log = ServerLog(wakeup: wakeup, bodyByteLimit: 1_000, keepsEntries: true)
    let routes = RouteTable()
    routes.add("GET", "/", .synchronous { _ in .text("ok") })
    let end = Guarded(false)
    Thread.detachNewThread {
      EventLoop(listener: listener, routes: routes, serverLog: log, wakeup: wakeup).run()
      end.withLock { $0 = true }
    }
    let client = NetworkClient(baseURL: URL(string: "http://127.0.0.1:\(port)"))
    for _ in 1...2 {
      try await expectEqual(client.value(of: "/", as: String.self), "ok")
    }
    expectEqual(shutdown(listener.descriptor, Int32(SHUT_RDWR)), 0)
    // Refused until the loop has seen it.
    let second = NetworkClient(baseURL: URL(string: "http://127.0.0.1:\(port)")) {
      $0.retry = Retry(limit: 1_000, backoff: .constant(.milliseconds(10)))
    }
    try await expectEqual(second.value(of: "/", as: String.self), "ok")
    wakeup.requestStop()
    await until { end.withLock { $0 } }
  }

  /// A pause would delay the connections that follow it in the backlog.
  @Test func onlyALackOfResourcesPausesTheListener() {
    let codes = [ECONNABORTED, EPROTO, EINTR, EHOSTUNREACH, EAGAIN, EMFILE, ENFILE, ENOBUFS, ENOMEM]
    expectEqual(
      codes.map { name(Socket.acceptance(after: $0)) },
      ["aborted", "aborted", "aborted", "aborted", "none", "exhausted", "exhausted", "exhausted", "exhausted"])
  }
}
