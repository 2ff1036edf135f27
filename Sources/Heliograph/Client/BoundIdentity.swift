import Signals

/// The identity that a request began with, and what is bound to it until the request terminates.
final class BoundIdentity: Sendable {
  /// How often account and environment had changed.
  struct Generation: Sendable {
    var account = 0
    var environment = 0
  }

  let identity: Identity
  let generation: Generation
  /// Whether a change of environment ends the request although no service of an environment is asked.
  let isWhole: Bool
  private let jar: (any CookieJar)?
  private let latest = Guarded<HTTPRequest?>(nil)

  init(_ identity: Identity, _ generation: Generation, _ jar: (any CookieJar)?, isWhole: Bool = false) {
    self.identity = identity
    self.generation = generation
    self.jar = jar
    self.isWhole = isWhole
  }

  /// The same identity for another request, such as one that refreshes a token; any change ends it.
  func whole() -> BoundIdentity { BoundIdentity(identity, generation, jar, isWhole: true) }

  /// The request of an attempt, with the cookies of the identity.
  func bind(_ request: HTTPRequest) -> HTTPRequest {
    var request = request
    if let jar { request.cookies.jar = jar }
    latest.withLock { $0 = request }
    return request
  }

  /// What a request fails with once the identity has changed, of which the environment counts for some only; `nil` if it has not.
  func failure(at now: Generation, needsEnvironment: Bool) -> NetworkError? {
    if now.account != generation.account { return failure("account") }
    return needsEnvironment && now.environment != generation.environment ? failure("environment") : nil
  }

  func failure(_ what: String) -> NetworkError {
    NetworkError(
      .client, .worldChanged, reason: "the \(what) has changed while the request was in flight",
      request: latest.withLock { $0 })
  }
}
