import Heliograph
import HeliographTesting

/// A tour through the shop: each step does what an app does, and then compares it with the log of the server.
@MainActor
struct Tour {
  let client: NetworkClient
  /// The shop, if this program has started it.
  let shop: ShopServer?
  let report = Report()

  /// - Returns: Whether all claims of all steps hold.
  func run() async -> Bool {
    let steps: [Step] = [
      .searchAsYouType, .signIn, .twoAtOnce, .fourErrors, .elements, .redirect, .release,
      .environments, .legacy, .signature, .expiredToken, .endedSession, .attributions, .dialog, .retry,
      .timeToLive, .cacheThenNetwork, .offlineReading,
      .endlessList, .doubleSubmit, .ownerReleased, .batch, .chain, .coalescing, .cancelByID,
    ]
    for step in steps { await take(step) }
    return report.conclude()
  }

  private func take(_ step: Step) async {
    report.begin(step.title)
    // Each step reads the log from its own beginning.
    shop?.front.forgetRequests()
    shop?.files.forgetRequests()
    do {
      try await step.show(self)
    } catch is LogIsElsewhere {
      report.skip("needs the server's own log")
    } catch {
      report.check(false, "nothing unexpected happens", "\(error)")
    }
  }
}

/// The program has not started the server, so there is no log.
struct LogIsElsewhere: Error {}

extension Tour {
  static let credentials = Credentials(email: "ada@example.com", password: "correct horse")

  /// An engine of the shop's products, for one screen.
  var products: ProductEngine { ProductEngine(client: client) }
  /// An engine of the shop's customers, for one screen.
  var customers: CustomerEngine { CustomerEngine(client: client) }

  /// The shop whose log proves the claims of a step.
  func ownShop() throws -> ShopServer {
    guard let shop else { throw LogIsElsewhere() }
    return shop
  }

  /// Waits for a state of a view model, 5 seconds at most.
  ///
  /// - Parameter condition: Reads the observable properties of the model.
  /// - Returns: Whether the condition became true.
  @discardableResult
  func wait(until condition: @escaping @MainActor @Sendable () -> Bool) async -> Bool {
    await Signal.observing(condition).filter { $0 }.take(until: .timer(after: .seconds(5))).first() ?? false
  }
}
