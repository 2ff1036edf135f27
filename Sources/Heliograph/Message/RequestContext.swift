import Synchronization

/// The values that all attempts of one subscription share, apart from the number of the attempt; a request carries them
/// to the transport.
package struct RequestContext: Sendable {
  package let id: RequestID
  /// The number of the attempt; the first one is 1.
  package var attempt = 1
  /// The deadline of all attempts together; `nil` without a total timeout.
  package var deadline: Deadline?
  package var idempotencyKey: String?
  /// The context of cache keys; `nil` for a safe request without a cache policy whose key ignores no parameters.
  package var cache: CacheContext?
  /// The request before signing, used to compare requests for coalescing; `nil` if it is not signed.
  package var unsigned: HTTPRequest?
  /// The app's header fields before signing; `nil` if the request is not signed.
  package var unsignedFields: HTTPHeaders?
  /// The names of the header fields with the signature of an ``HMACSigner``, which no redirect receives.
  package var signatureFields: [String] = []
  /// Whether the body of a successful response is delivered in pieces.
  package var isStreamed = false
  /// Whether the request belongs to a token refresh, so that it does not wait behind requests that need the token.
  var isOfRefresh = false
  /// Whether the request has credentials that are valid once, so that its transport must not send it again.
  var isSentOnce = false
  /// Whether the request is sent on a new connection, because a keep-alive connection was closed before.
  var needsNewConnection = false
  /// Whether monitors observe the request, so that its ``provenance`` is recorded.
  var isObserved = false
  /// The sources of URL and header fields; `nil` if no monitor observes the request.
  var provenance: CopyOnWrite<RequestProvenance>?
  var binding = RequestBinding()

  @inline(__always)
  package init(id: RequestID = .next(), deadline: Deadline? = nil, idempotencyKey: String? = nil) {
    self.id = id
    self.deadline = deadline
    self.idempotencyKey = idempotencyKey
  }
}

/// The identity with which a request began, as transports see it.
protocol RequestIdentity: AnyObject, Sendable {
  /// Returns the component that has changed: the account, or the environment if it matters; `nil` if neither has.
  ///
  /// After a change the request must end, and nothing more of it is sent.
  func changedComponent(needsEnvironment: Bool) -> String?
  /// The account and the environment as text, equal in every process.
  var text: String { get }
  /// Whether the client has accounts, whether or not a user is signed in.
  var hasAccounts: Bool { get }
}

/// The cookies of one identity, independent of later changes of the client's cookies.
protocol CookieJar: AnyObject, Sendable {
  /// Returns the value of the `Cookie` field for a request; `nil` if there is no cookie for it.
  func field(for request: HTTPRequest) -> String?
  /// Stores the cookies that a response to a request sets.
  func save(_ fields: [String], of request: HTTPRequest)
}

/// The identity of a request, and whether the request is cross-site.
struct RequestBinding: Sendable {
  /// The identity; `nil` if the client has neither accounts nor environments.
  ///
  /// It must not retain the request, which retains it.
  var identity: (any RequestIdentity)?
  /// The cookies of the identity or of the client; `nil` if the client has none.
  var jar: (any CookieJar)?
  /// Whether a change of environment ends the request.
  var needsEnvironment = false
  /// Whether a redirect from another site has led to this request (RFC 6265bis §5.2).
  var isCrossSite = false
}

extension HTTPRequest {
  /// Whether the identity has changed since the request began.
  ///
  /// A stage about to send the request then drops it silently; the fence reports the failure.
  package var isStale: Bool {
    let binding = binding
    return binding.identity?.changedComponent(needsEnvironment: binding.needsEnvironment) != nil
  }

  /// The identity of the request for use in keys; `nil` without one.
  package var identityText: String? { binding.identity?.text }

  /// Whether the client of the request has accounts, whether or not a user is signed in.
  package var hasAccounts: Bool { binding.identity?.hasAccounts ?? false }
}

/// The values that distinguish cache keys besides the request itself.
package final class CacheContext: Sendable {
  /// The account as text; stored responses are not shared between accounts.
  package let account: String?
  /// The environment as text; stored responses are not shared between environments.
  package let environment: String?
  package let service: String?
  package let ignoredParameters: Set<String>
  /// The parameters that the service's `HMACSigner` adds to a query, which the key of a signed request ignores, too.
  package let signatureParameters: Set<String>
  /// Whether the service has a signer, so that its requests have two keys: signed and unsigned.
  package let hasSigner: Bool
  /// Whether that signer signs the request.
  package let isSigned: Bool
  /// Whether the client has accounts, whether or not a user is signed in.
  package let hasAccounts: Bool
  /// The client's maximum number of redirects; `nil` outside of a client.
  package let redirectLimit: Int?

  package init(
    account: String? = nil, environment: String? = nil, service: String? = nil, ignoredParameters: Set<String> = [],
    signatureParameters: Set<String> = [], hasSigner: Bool = false, isSigned: Bool = false, hasAccounts: Bool = false,
    redirectLimit: Int? = nil
  ) {
    self.account = account
    self.environment = environment
    self.service = service
    self.ignoredParameters = isSigned ? ignoredParameters.union(signatureParameters) : ignoredParameters
    self.signatureParameters = signatureParameters
    self.hasSigner = hasSigner
    self.isSigned = isSigned && hasSigner
    self.hasAccounts = hasAccounts
    self.redirectLimit = redirectLimit
  }

  /// The contexts of the requests whose responses an unsafe request invalidates, signed or not.
  package var invalidated: [CacheContext] {
    if !hasSigner { return [self] }
    return [false, true].map { isSigned in
      CacheContext(
        account: account, environment: environment, service: service,
        ignoredParameters: ignoredParameters.union(signatureParameters), signatureParameters: signatureParameters,
        hasSigner: true, isSigned: isSigned, hasAccounts: hasAccounts)
    }
  }
}

/// The identity of a request, unique in the process.
///
/// All attempts and redirects of one subscription share one identity. Middleware reads it from ``HTTPRequest/id``, and
/// monitors identify the request by it.
public struct RequestID: Sendable, Hashable {
  /// The number, counted from 1 in the process.
  public let rawValue: UInt64

  private static let last = Atomic<UInt64>(0)

  package static func next() -> RequestID {
    RequestID(rawValue: last.add(1, ordering: .relaxed).newValue)
  }
}

extension RequestID: CustomStringConvertible {
  /// The number as text.
  public var description: String { String(rawValue) }
}
