#if HELIOGRAPH_CURL
import Foundation
import TestSupport
import Testing

@testable import Heliograph

/// The connections that new requests avoid, without a connection.
struct CurlSuspectsTests {
  private let now = SuspendingClock.now

  private func origin(_ text: String) throws -> Origin? { Origin(try require(URL(string: text))) }

  @Test func onlyTheOriginOfASilentConnectionIsAvoided() throws {
    var suspects = CurlSuspects()
    let (one, other) = (try origin("https://a.example/x"), try origin("https://a.example:444/"))
    suspects.add(1, one, silentSince: now) { connection, instant in
      connection != 1 || instant != now
    }
    expect(suspects.isEmpty)
    expect(!suspects.contains(one))
    suspects.add(1, one, silentSince: now) { connection, instant in
      connection == 1 && instant == now
    }
    expect(!suspects.isEmpty)
    expect(suspects.contains(try origin("https://A.example:443/y?z")))
    expect(!suspects.contains(other))
    suspects.add(2, other, silentSince: now) { _, _ in true }
    expect(suspects.contains(one))
    expect(suspects.contains(other))
  }

  /// Its exchanges time out one after another, each after its own last activity.
  @Test func theFirstTimeoutDecides() throws {
    var suspects = CurlSuspects()
    let origin = try origin("https://a.example/")
    for second in 0..<3 {
      suspects.add(1, origin, silentSince: now + .seconds(second)) { _, _ in true }
    }
    var asked: [SuspendingClock.Instant] = []
    suspects.update { _, instant in
      asked.append(instant)
      return true
    }
    expectEqual(asked, [now])
    expect(suspects.contains(origin))
  }

  /// A request that was sent just before its total timeout proves nothing.
  @Test(arguments: [(499, 60_000, false), (500, 60_000, true), (99, 100, false), (100, 100, true)])
  func aShortSilenceProvesNothing(_ silence: Int, _ idleTimeout: Int, _ isLong: Bool) {
    expectEqual(CurlSuspects.isLong(.milliseconds(silence), .milliseconds(idleTimeout)), isLong)
  }

  /// An origin may have two, while one connection after the other dies.
  @Test func aConnectionThatIsNoLongerSilentIsForgotten() throws {
    var suspects = CurlSuspects()
    let origin = try origin("https://a.example/")
    for connection in 1...3 as ClosedRange<Int64> {
      suspects.add(connection, origin, silentSince: now) { _, _ in true }
    }
    suspects.update { connection, _ in connection == 2 }
    expect(suspects.contains(origin))
    suspects.update { connection, _ in connection != 2 }
    expect(!suspects.contains(origin))
    expect(suspects.isEmpty)
    suspects.update { _, _ in
      expect(false)
      return true
    }
  }
}
#endif
