import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

/// Every pair of requests with every policy: from memory, from disk, after a restart and in flight, over a stub and over
/// sockets by each transport.
struct CacheAskerTableTests {
  static let kinds: [TransportKind?] = [nil] + TransportKind.present

  @Test(arguments: kinds, AskingApp.Way.allCases)
  func noResponseIsDeliveredToAnotherRequest(_ kind: TransportKind?, _ way: AskingApp.Way) async throws {
    let app = try AskingApp(kind)
    for pair in AskedPair.all where kind == nil || pair.isForWire {
      for policy in AskingApp.policies { try await app.check(pair, policy, way) }
    }
  }
}
