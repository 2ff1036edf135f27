import Foundation
import Heliograph
import HeliographTesting
import Signals
import TestSupport
import Testing

/// Starting, stopping and waiting.
struct LoopbackLifetimeTests {
  /// Whether nobody listens at a port: the server of another test does if it is given one that is free again.
  private func isClosed(_ port: UInt16) -> Bool {
    do { _ = try RawClient(port: port) } catch { return error is RawClient.Failure }
    return false
  }

  @Test func closesEverythingWhenItStops() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/") { _ in .never }
    let clients = try (0..<5).map { _ in try RawClient(port: server.port) }
    for client in clients { try client.send("GET / HTTP/1.1\r\nHost: t\r\n\r\n") }
    await expect(server.wait { $0.acceptedCount == 5 })
    server.stop()
    for client in clients {
      // A request that was not read yet turns the close into an abort.
      do { try await expect(client.bytesToEnd().isEmpty) } catch is RawClient.Failure {}
    }
    expectEqual(server.log.openConnectionCount, 0)
    expect(server.log.connections.allSatisfy { $0.isClosedByClient == false })
    server.stop()
  }

  @Test func freesItsPortWhenItStops() async throws {
    try await expectInARound {
      let first = try LoopbackServer()
      let client = try RawClient(port: first.port)
      try await expectEqual(client.get("/").status, 404)
      #expect(throws: LoopbackServerError.self) { try LoopbackServer(port: first.port) }
      first.stop()
      // The server of another test may be given the port.
      guard isClosed(first.port), let second = try? LoopbackServer(port: first.port) else { return false }
      expectEqual(second.port, first.port)
      try await expectEqual(RawClient(port: second.port).get("/").status, 404)
      return true
    }
  }

  @Test func namesTheCallThatFailed() throws {
    let server = try LoopbackServer()
    let error = #expect(throws: LoopbackServerError.self) { try LoopbackServer(port: server.port) }
    expectEqual(error?.operation, "bind")
    expectEqual(error?.description.hasPrefix("bind failed with errno "), true)
  }

  @Test func stopsWhenTheLastReferenceGoes() async throws {
    try await expectInARound {
      var server: LoopbackServer? = try LoopbackServer()
      let port = try require(server).port
      let client = try RawClient(port: port)
      try await expectEqual(client.get("/").status, 404)
      server = nil
      try await expect(client.bytesToEnd().isEmpty)
      return isClosed(port)
    }
  }

  @Test func stopsFromWithinARoute() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/stop") { [weak server] _ in
      server?.stop()
      return .status(204)
    }
    let client = try RawClient(port: server.port)
    try await expectEqual(client.get("/stop").status, 204)
    try await expect(client.bytesToEnd().isEmpty)
    server.stop()
    expectEqual(server.log.openConnectionCount, 0)
  }

  @Test func stopsOnceForSeveralCallers() async throws {
    try await expectInARound {
      let server = try LoopbackServer()
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<8 { group.addTask { server.stop() } }
      }
      return isClosed(server.port)
    }
  }

  @Test func waitsForWhatIsAlreadyTrue() async throws {
    let server = try LoopbackServer()
    await expect(server.wait(for: .zero) { $0.requests.isEmpty })
    server.stop()
    await expect(server.wait { $0.requests.isEmpty })
    await expectEqual(server.wait { !$0.requests.isEmpty }, false)
  }

  @Test func givesUpWaitingAfterTheTimeout() async throws {
    let server = try LoopbackServer()
    let start = ContinuousClock.now
    await expectEqual(server.wait(for: .milliseconds(30)) { $0.acceptedCount > 0 }, false)
    expect(ContinuousClock.now - start >= .milliseconds(30))
  }

  @Test func stopsWaitingWhenItsTaskIsCancelled() async throws {
    let server = try LoopbackServer()
    let asked = Guarded(false)
    let task = Task {
      await server.wait { log in
        asked.withLock { $0 = true }
        return log.acceptedCount > 0
      }
    }
    await until { asked.withLock({ $0 }) }
    task.cancel()
    await expectEqual(task.value, false)
  }

  @Test func wakesSeveralWaiters() async throws {
    let server = try LoopbackServer()
    let port = server.port
    let held = await withTaskGroup(of: Bool.self) { group in
      for count in 1...5 { group.addTask { await server.wait { $0.acceptedCount >= count } } }
      group.addTask {
        let clients = (0..<5).compactMap { _ in try? RawClient(port: port) }
        return await server.wait { $0.acceptedCount == 5 } && clients.count == 5
      }
      return await group.reduce(true) { $0 && $1 }
    }
    expect(held)
  }

  @Test func answersWaitersWhenItStops() async throws {
    let server = try LoopbackServer()
    let client = try RawClient(port: server.port)
    async let closed = server.wait { $0.acceptedCount == 1 && $0.openConnectionCount == 0 }
    async let never = server.wait { $0.acceptedCount == 99 }
    try await expectEqual(client.get("/").status, 404)
    server.stop()
    await expect(closed)
    await expectEqual(never, false)
  }
}
