import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals

/// A feature of a client or of its requests, of which a case has one or two.
enum ClientFeature: String, CaseIterable, Sendable {
  // Identities, and the stages of the client.
  case account, environments, cookies, recovery, onUnauthorized, retryBudget, circuitBreaker, concurrencyLimit
  case monitors, presenter, tracing, digest, connectivity
  // The settings of a request.
  case retry, coalescing, middleware, stages, totalTimeout, idleTimeout, redirect, upload
  // The lane in which the request waits.
  case serialLane, latestLane, joiningLane
  // The policies of the cache.
  case httpCache, cacheThenNetwork, networkThenCache, staleWhileRevalidate
  // The form in which the request is sent. Default: a transformed signal.
  case awaited, call, pager, batch, chain, stream, lines, file

  /// The caching policy; `nil` for other features.
  var cachePolicy: CachePolicy? {
    switch self {
    case .httpCache, .staleWhileRevalidate: .http
    case .cacheThenNetwork: .cacheThenNetwork
    case .networkThenCache: .networkThenCache
    default: nil
    }
  }

  /// The policy of the lane; `nil` for other features.
  var lanePolicy: Lane.Policy? {
    switch self {
    case .serialLane: .serial
    case .latestLane: .latestWins()
    case .joiningLane: .exclusive(.join)
    default: nil
    }
  }

  var isForm: Bool {
    switch self {
    case .awaited, .call, .pager, .batch, .chain, .stream, .lines, .file: true
    default: false
    }
  }

  /// Whether a request can have both features.
  func allows(_ other: ClientFeature) -> Bool {
    !(isForm && other.isForm || lanePolicy != nil && other.lanePolicy != nil
      || cachePolicy != nil && other.cachePolicy != nil)
  }
}

/// How a request ends.
enum RequestEnd: String, CaseIterable, Sendable {
  case success, status, failure
  /// Disposed during its first exchange, or while it waits.
  case disposalAtFirst
  /// Disposed during its last exchange.
  case disposal
  case ownersDeinit
  case identityChange

  /// Whether the request is in flight when it is ended from outside.
  var isInFlight: Bool {
    switch self {
    case .success, .status, .failure: false
    default: true
    }
  }
}

/// Objects that must be deallocated, by name.
final class Leftovers: Sendable {
  /// An object for a closure to capture.
  final class Token: Sendable {}

  private struct Watched: Sendable {
    let name: String
    weak var object: (any AnyObject & Sendable)?
  }

  private let watched = Guarded<[Watched]>([])

  /// The names of the objects that are alive.
  var names: [String] { watched.withLock { $0.filter { $0.object != nil }.map(\.name) } }

  func watch(_ name: String, _ object: any AnyObject & Sendable) {
    watched.withLock { $0.append(Watched(name: name, object: object)) }
  }

  func token(_ name: String) -> Token {
    let token = Token()
    watch(name, token)
    return token
  }
}

/// A stage of every kind that retains a token and changes nothing.
struct TokenStage: Middleware, RequestFilter, Signer, Validator, Monitor {
  let token: Leftovers.Token

  func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
    next(request).on(terminate: { [token] in withExtendedLifetime(token) {} })
  }

  func filter(_ draft: inout RequestDraft) {}
  func sign(_ draft: inout RequestDraft) {}
  func validate(_ response: Response<Data>) {}
  func observe(_ event: MonitorEvent) {}
}

/// A request of the app that retains a token.
struct TokenRequest: RequestConvertible {
  let request: Request
  let token: Leftovers.Token

  func asRequest() -> Request { request }
}
