#if HELIOGRAPH_CURL
import TestSupport
import Testing

@testable import Heliograph

/// The connections that are known to use HTTP/2.
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
}
#endif
