import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

/// Two requests one after the other: the second gets the response of the first only if nothing says that it must not.
///
/// Each pair has one policy here, another one by each way; `CacheAskerTableTests` has them all, over each transport.
struct CacheAskerTests {
  @Test("P4 P9", arguments: AskingApp.Way.allCases) func noResponseIsDeliveredToAnotherRequest(_ way: AskingApp.Way)
    async throws
  {
    let app = try AskingApp(nil)
    expect(AskedPair.all.count >= 200)
    let start = AskingApp.Way.allCases.firstIndex(of: way) ?? 0
    for (number, pair) in AskedPair.all.enumerated() {
      // The one before the last six differ by the same rules as others.
      try await app.check(pair, AskingApp.policies[(number + start) % 6], way)
    }
  }

  /// Over a socket, every third pair.
  @Test("P4 P9", arguments: TransportKind.present) func noResponseCrossesASocket(_ kind: TransportKind) async throws {
    let app = try AskingApp(kind)
    for (number, pair) in AskedPair.all.enumerated() where pair.isForWire && (number % 3 == 0 || pair.isShared) {
      try await app.check(pair, AskingApp.policies[number % 2], .memory)
    }
  }
}
