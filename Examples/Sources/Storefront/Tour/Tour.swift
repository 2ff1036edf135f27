import Heliograph
import HeliographTesting

/// A walk through the shop: each step does what an app does, and then asks the server's log whether it is true.
@MainActor
struct Tour {
  let api: ShopAPI
  /// The shop, if it is ours to look into.
  let shop: ShopServer?
  let report = Report()

  /// - Returns: whether every step has shown what it claims.
  func run() async -> Bool {
    let steps: [Step] = [
      .searchAsYouType, .signIn, .twoAtOnce, .fourErrors, .elements, .redirect, .release,
      .environments, .legacy, .signature, .expiredToken, .endedSession, .attributions, .dialog, .retry,
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

/// The server is somebody else's.
struct LogIsElsewhere: Error {}

extension Tour {
  static let credentials = Credentials(email: "ada@example.com", password: "correct horse")

  /// The shop whose log proves what a step claims.
  func ownShop() throws -> ShopServer {
    guard let shop else { throw LogIsElsewhere() }
    return shop
  }

  /// Waits until a view model has come to a state, 5 seconds at most.
  ///
  /// - Parameter condition: reads the model's observable properties.
  /// - Returns: whether it has.
  @discardableResult
  func wait(until condition: @escaping @MainActor @Sendable () -> Bool) async -> Bool {
    await Signal.observing(condition).filter { $0 }.take(until: .timer(after: .seconds(5))).first() ?? false
  }
}
