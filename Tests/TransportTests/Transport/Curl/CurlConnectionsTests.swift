#if HELIOGRAPH_CURL
import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

/// The connections that are known to use HTTP/2, and the sockets of all.
struct CurlConnectionsTests {
  /// A server may close each connection after a few requests, so there may be many.
  @Test func aConnectionInUseIsNotForgottenAmongManyOthers() {
    var connections = CurlConnections()
    for number in 1...20_000 as ClosedRange<Int64> {
      connections.record(number)
      expect(connections.isMultiplexing(number))
      // Those whose last response was a moment ago may still have requests in flight.
      expect(connections.isMultiplexing(max(1, number - 64)))
    }
    expect(!connections.isMultiplexing(1))
  }

  /// Exchanges record their input when they end, in any order.
  @Test func theLatestInputOfAConnectionIsRemembered() {
    var connections = CurlConnections()
    let now = SuspendingClock.now
    expectNil(connections.lastInput(on: 1))
    connections.record(1)
    expect(connections.isMultiplexing(1))
    expectNil(connections.lastInput(on: 1))
    for (instant, last) in [(now, now), (now - .seconds(1), now), (now + .seconds(1), now + .seconds(1))] {
      connections.record(1, inputAt: instant)
      expectEqual(connections.lastInput(on: 1), last)
    }
    for number in 2...1500 as ClosedRange<Int64> { connections.record(number, inputAt: now) }
    connections.record(1)
    expectEqual(connections.lastInput(on: 1), now + .seconds(1))
  }

  /// libcurl reads them at the start of an exchange only, and may need them again an hour later.
  @Test func theAddressesOfAHostDoNotExpire() throws {
    var addresses = CurlAddresses()
    func entries(_ url: String, _ answer: [String]?) throws -> [String] {
      try addresses.entries(for: require(URL(string: url))) { _, _ in answer }
    }
    try expectEqual(entries("http://shop.test/", ["10.0.0.1", "::1"]), ["shop.test:80:10.0.0.1,[::1]"])
    try expectEqual(entries("http://shop.test/", ["10.0.0.2"]), ["shop.test:80:10.0.0.2"])
    try expectEqual(entries("http://SHOP.test/", nil), ["-shop.test:80"])
    try expectEqual(entries("http://shop.test/", nil), [])
    // As they do not expire, there is a limit.
    for number in 1...10_000 { _ = try entries("https://a\(number).test/", ["10.0.0.1"]) }
    let last = try entries("https://b.test/", ["10.0.0.1"])
    expectEqual(last.count, 2)
    expect(last.first?.hasPrefix("-a") == true)
    expectEqual(last.last, "b.test:443:10.0.0.1")
  }

  @Test(arguments: ["127.0.0.1", "127.1", "10.1", "0x7f.1", "[::1]", "2130706433"])
  func anAddressIsNotResolved(_ host: String) throws {
    var addresses = CurlAddresses()
    let entries = try addresses.entries(for: require(URL(string: "http://\(host)/"))) { host, _ in
      expect(false, "\(host) is no name")
      return []
    }
    expectEqual(entries, [])
  }

  private func at(_ port: UInt16, to remotePort: UInt16 = 0) -> CurlEndpoints {
    CurlEndpoints(local: "127.0.0.1", localPort: Int32(port), remote: "127.0.0.1", remotePort: Int32(remotePort))
  }

  private func hasEvent(_ descriptor: Int32, _ events: Int16 = Int16(POLLIN)) -> Bool {
    var entry = pollfd(fd: descriptor, events: events, revents: 0)
    return poll(&entry, 1, 0) > 0
  }

  /// A system may give one local port to connections to different peers.
  @Test func connectionsToTwoPeersMayHaveOneLocalPort() async throws {
    let listeners = [try LoopbackSocket.listen(), try LoopbackSocket.listen()]
    let clients = [try LoopbackSocket.make(), try LoopbackSocket.make()]
    var sockets = CurlSockets()
    var local: UInt16 = 0
    var accepted: [Int32] = []
    for (client, listener) in zip(clients, listeners) {
      local = try require(LoopbackSocket.bindShared(client, to: local))
      expect(LoopbackSocket.connect(client, to: listener.port))
      sockets.record(clients, at(local, to: listener.port))
      accepted.append(accept(listener.descriptor, nil, nil))
    }
    let (recorded, connections) = (sockets, listeners.map { [local] in at(local, to: $0.port) })
    LoopbackSocket.write(Data("a".utf8), to: accepted[0])
    await until { hasEvent(clients[0]) }
    expect(recorded.hasInput(connections[0]))
    expect(!recorded.hasInput(connections[1]))
    close(accepted[1])
    await until { hasEvent(clients[1]) }
    expect(recorded.isClosed(connections[1]))
    expect(!recorded.isClosed(connections[0]))
    // With unread input on the other side the close is a reset, after which the socket has no peer.
    LoopbackSocket.write(Data("a".utf8), to: clients[0])
    close(accepted[0])
    await until { hasEvent(clients[0], 0) }
    expect(recorded.isClosed(connections[0]))
    for descriptor in clients + listeners.map(\.descriptor) { close(descriptor) }
  }

  /// The port of a closed connection may be that of another one by the time its descriptor is used again.
  @Test func aDescriptorThatIsUsedAgainLeavesTheSocketAtItsFormerPortAlone() throws {
    var sockets = CurlSockets()
    let (first, port) = try LoopbackSocket.listen()
    let (third, otherPort) = try LoopbackSocket.listen()
    sockets.record([first], at(port))
    // Another descriptor at the port; the first then gets another port.
    let second = dup(first)
    expectEqual(dup2(third, first), first)
    sockets.record([second], at(port))
    sockets.record([first], at(otherPort))
    expect(!sockets.hasInput(at(port)))
    let client = try LoopbackSocket.make()
    expect(LoopbackSocket.connect(client, to: port))
    expect(sockets.hasInput(at(port)))
    expect(!sockets.hasInput(at(otherPort)))
    for descriptor in [first, second, third, client] { close(descriptor) }
  }
}
#endif
