import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// How long connections are kept, and what the system does on silent ones.
@Suite(.enabled(if: CurlTransport.isAvailable)) struct CurlConnectionAgeTests {
  let server: LoopbackServer

  init() throws {
    server = try LoopbackServer()
    server.route("GET", "/a") { _ in .text("a") }
  }

  private func transport(_ adjust: (inout TransportSettings) -> Void = { _ in }) throws -> CurlTransport {
    var settings = TransportSettings()
    settings.proxy = .direct
    adjust(&settings)
    return try CurlTransport(settings)
  }

  /// Sends requests one after another, each on the thread that delivers the end of the one before.
  private func send(_ transport: CurlTransport, count: Int = 1) async {
    let exchanges = Array(repeating: transport.send(HTTPRequest(url: server.url("/a"))), count: count)
    let recorder = SignalRecorder(Signal.concat(exchanges))
    await recorder.waitForEnd()
    expect(recorder.isCompleted, "\(recorder.events)")
  }

  @Test("S1-34") func aConnectionThatWasUnusedForTooLongIsNotUsedAgain() async throws {
    let transport = try transport { $0.maximumConnectionIdleTime = .milliseconds(10) }
    // On a busy machine it may be too late for the second.
    await expectInARound {
      let count = server.log.acceptedCount
      await send(transport, count: 2)
      return server.log.acceptedCount <= count + 1
    }
    let count = server.log.acceptedCount
    // sleeps: libcurl counts whole seconds on the system's clock.
    try await Task.sleep(for: .milliseconds(2200))
    await send(transport)
    expectEqual(server.log.acceptedCount, count + 1)
  }

  @Test func aConnectionThatIsTooOldIsNotUsedAgain() async throws {
    for lifetime in [Duration.seconds(1), nil] {
      let (before, start) = (server.log.acceptedCount, ContinuousClock.now)
      let transport = try transport { $0.maximumConnectionLifetime = lifetime }
      for _ in 0..<13 {
        await send(transport)
        // sleeps: as above; never idle for long.
        try await Task.sleep(for: .milliseconds(200))
      }
      let count = server.log.acceptedCount - before
      // Each but the last has lasted for a second at least; on a busy machine there are more of them.
      let most = 1 + Int((ContinuousClock.now - start) / .seconds(1))
      expect(lifetime == nil ? count == 1 : count >= 2 && count <= most, "\(count)")
    }
  }

  @Test(arguments: [Duration.zero, .seconds(-5), .nanoseconds(1), .seconds(1_000_000_000_000)])
  func anyTimeIsTaken(_ time: Duration) async throws {
    await send(
      try transport {
        $0.maximumConnectionIdleTime = time
        $0.maximumConnectionLifetime = time
        $0.tcpKeepAlive = time
      })
  }

  #if canImport(Glibc)
  @Test func silentConnectionsAreProbed() async throws {
    for keepAlive in [TransportSettings().tcpKeepAlive, .milliseconds(6500), nil] {
      // A server of its own: connections of another transport may be left for a moment.
      let server = try LoopbackServer()
      let transport = try transport { $0.tcpKeepAlive = keepAlive }
      await SignalRecorder(transport.send(HTTPRequest(url: server.url("/a")))).waitForEnd()
      let found = try require(options(ofSocketTo: server.port))
      expectEqual(found.isOn, (keepAlive != nil))
      if let keepAlive {
        let isDefault = keepAlive == .seconds(60)
        expectEqual(found.idleTime, (isDefault ? 60 : 7))
        expectEqual(found.interval, (isDefault ? 60 : 7))
      }
      withExtendedLifetime(transport) {}
    }
  }

  private struct Options {
    let isOn: Bool
    let idleTime: Int32
    let interval: Int32
  }

  private func options(ofSocketTo port: UInt16) -> Options? {
    guard let client = ClientSocket(to: port)?.descriptor else { return nil }
    return Options(
      isOn: option(client, SOL_SOCKET, SO_KEEPALIVE) != 0,
      idleTime: option(client, Int32(IPPROTO_TCP), TCP_KEEPIDLE),
      interval: option(client, Int32(IPPROTO_TCP), TCP_KEEPINTVL))
  }

  private func option(_ descriptor: Int32, _ level: Int32, _ name: Int32) -> Int32 {
    var value: Int32 = -1
    var length = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(descriptor, level, name, &value, &length)
    return value
  }
  #endif
}
