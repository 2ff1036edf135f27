#if HELIOGRAPH_CURL
import Foundation
import TestSupport
import Testing

@testable import Heliograph

/// The connections that new requests avoid, without a connection.
struct CurlSuspectsTests {
  private let now = SuspendingClock.now
  /// An instant after a silence that is long enough.
  private var late: SuspendingClock.Instant { now + .seconds(9) }

  private func origin(_ text: String) throws -> Origin? { Origin(try require(URL(string: text))) }

  @Test func onlyTheOriginOfASilentConnectionIsAvoided() throws {
    var suspects = CurlSuspects()
    let (one, other) = (try origin("https://a.example/x"), try origin("https://a.example:444/"))
    suspects.add(1, one, silentSince: now, at: late, .seconds(9)) { connection, instant in
      connection != 1 || instant != now
    }
    expect(suspects.isEmpty)
    expect(!suspects.contains(one))
    suspects.add(1, one, silentSince: now, at: late, .seconds(9)) { connection, instant in
      connection == 1 && instant == now
    }
    expect(!suspects.isEmpty)
    expect(suspects.contains(try origin("https://A.example:443/y?z")))
    expect(!suspects.contains(other))
    suspects.add(2, other, silentSince: now, at: late, .seconds(9)) { _, _ in true }
    expect(suspects.contains(one))
    expect(suspects.contains(other))
  }

  /// Its exchanges time out one after another, each after its own last activity.
  @Test func theFirstTimeoutDecides() throws {
    var suspects = CurlSuspects()
    let origin = try origin("https://a.example/")
    for second in 0..<3 {
      suspects.add(1, origin, silentSince: now + .seconds(second), at: late, .seconds(1)) { _, _ in true }
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
  func aShortSilenceProvesNothing(_ silence: Int, _ idleTimeout: Int, _ isSuspect: Bool) throws {
    var suspects = CurlSuspects()
    suspects.add(
      1, try origin("https://a.example/"), silentSince: now, at: now + .milliseconds(silence),
      .milliseconds(idleTimeout)
    ) { _, _ in true }
    expectEqual(suspects.isEmpty, !isSuspect)
  }

  /// An origin may have two, while one connection after the other dies.
  @Test func aConnectionThatIsNoLongerSilentIsForgotten() throws {
    var suspects = CurlSuspects()
    let origin = try origin("https://a.example/")
    for connection in 1...3 as ClosedRange<Int64> {
      suspects.add(connection, origin, silentSince: now, at: late, .seconds(9)) { _, _ in true }
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
