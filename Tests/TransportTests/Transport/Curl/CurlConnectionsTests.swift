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

  /// The port of a closed connection may be that of another one by the time its descriptor is used again.
  @Test func aDescriptorThatIsUsedAgainLeavesTheSocketAtItsFormerPortAlone() throws {
    var sockets = CurlSockets()
    let (first, port) = try LoopbackSocket.listen()
    let (third, otherPort) = try LoopbackSocket.listen()
    sockets.record([first], Int32(port))
    // Another descriptor at the port; the first then gets another port.
    let second = dup(first)
    expectEqual(dup2(third, first), first)
    sockets.record([second], Int32(port))
    sockets.record([first], Int32(otherPort))
    expect(!sockets.hasInput(Int32(port)))
    let client = try LoopbackSocket.make()
    expect(LoopbackSocket.connect(client, to: port))
    expect(sockets.hasInput(Int32(port)))
    expect(!sockets.hasInput(Int32(otherPort)))
    for descriptor in [first, second, third, client] { close(descriptor) }
  }
}
#endif
