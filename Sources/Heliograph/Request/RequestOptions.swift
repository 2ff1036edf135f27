public import Foundation

/// The settings of a single request that override those of its service and client.
public struct RequestOptions: Sendable {
  /// The idle timeout: the maximum time without a byte sent or received; see ``HTTPRequest/idleTimeout``.
  ///
  /// Default: `nil`, the service's setting, or else the client's, applies.
  public var idleTimeout: Duration?
  /// The total timeout: the maximum time from subscription to completion.
  ///
  /// It covers everything done for the request: middleware, token refreshes, queues, redirects, every retry with its
  /// delay, and reading the response. When it elapses, the request fails with a `network` error with the code
  /// ``NetworkError/Code/timedOut``, whose reason names the phase in which the request was waiting. If the process was
  /// suspended meanwhile, the request gets up to five more seconds for a response that has arrived. Default: `nil`, the
  /// service's setting, or else the client's, applies.
  public var totalTimeout: Duration?
  /// The address of the service to send the request to; without a service, only a custom one has an effect.
  ///
  /// Default: the main one.
  public var address = AddressKind.main
  /// The names of the service's common parameters to add, in this order; `[]` for none.
  ///
  /// A name that the service does not have, or any without a service, fails the request with
  /// ``NetworkError/Code/unknownCommonParameters``. Default: `nil`, those that the service adds by default.
  public var common: [CommonParameters.Name]?
  /// The location of the parameters: the query or the body.
  ///
  /// Default: `nil`, the service's setting applies, or for a request without a service the client's.
  public var placement: ParameterPlacement?
  /// Whether the request is signed: by its ``signer``, or else by that of its service.
  ///
  /// The service's signer signs only requests to the service's URLs and to trusted origins. Default: `true`.
  public var isSigned = true
  /// Whether the request may be repeated when it is unknown whether the server received it.
  ///
  /// Default: `nil`: `true` with an ``idempotencyKey``, else by the method and the preconditions, as in
  /// ``HTTPRequest/isIdempotent``.
  public var isIdempotent: Bool?
  /// The middleware of this request, which runs after the client's and the service's.
  ///
  /// Default: none.
  public var middleware: [any Middleware] = []

  /// The stages that validate and read the response.
  ///
  /// Stages that are not set are inherited from the service, or else from the client. Default: none set.
  public var stages: Stages {
    get { explicitStages?.value ?? Stages() }
    set { explicitStages = CopyOnWrite(newValue) }
  }
  /// The stages, if any are set; in a box, because options are copied more often than they have any.
  private(set) var explicitStages: CopyOnWrite<Stages>?
  /// The rules for JSON of the body, the parameters and the response.
  ///
  /// Default: `nil`, the service's rules, or else the client's, apply.
  public var json: JSONCoding?
  /// The app's own user-facing messages for errors of this request.
  ///
  /// They take precedence over the service's messages, which take precedence over the client's. Neither these nor the
  /// service's apply to a `server` or `api` error of a token refresh, whose statuses and codes are those of another
  /// request. Default: none.
  public var messages: [NetworkError.Code: String] = [:]
  /// The cache policy.
  ///
  /// Default: ``CachePolicy/default``, the service's policy, or else the client's, applies.
  public var cache = CachePolicy.default
  /// The rules for retries.
  ///
  /// Default: `nil`, the service's rules, or else the client's, apply.
  public var retry: Retry?
  /// A key by which the server recognizes all attempts of one request, so that a `POST` may be retried.
  ///
  /// The key is sent as `Idempotency-Key`, unless the request already has that field. An ``HMACSigner`` does not sign
  /// it. A redirect to another origin keeps it only with ``sendsBodyAcrossOrigins``; a `POST` that was redirected
  /// without its key is not retried. Default: `nil`, no key.
  public var idempotencyKey: IdempotencyKey?
  /// The rules by which the parameters of this request are serialized.
  ///
  /// Default: `nil`, the service's rules apply, or for a request without a service the client's.
  public var parameterRules: ParameterRules?
  /// The filters that change this request before it is signed, instead of the client's and the service's filters.
  ///
  /// Default: `nil`, the client's filters followed by the service's; `[]` for none.
  public var filters: [any RequestFilter]?
  /// The signer of this request, in place of the service's signer.
  ///
  /// It is used only if ``isSigned`` is `true`. It signs the URL that the request names, whatever its origin. It signs
  /// no redirect, and the link to a next page only within the origin of the first page. Default: `nil`, the service's
  /// signer applies.
  public var signer: (any Signer)?
  /// Whether the client's recoveries apply to this request.
  ///
  /// A token refresh need not set it, because the client passed to it has no recoveries. Default: `true`.
  public var allowsRecovery = true
  /// Whether the request waits for a network; see ``NetworkClient/Configuration/waitsForConnectivity``.
  ///
  /// Default: `nil`, the service's setting, or else the client's, applies.
  public var waitsForConnectivity: Bool?
  /// The costs that a network may have for this request: cellular, expensive or constrained.
  ///
  /// If every available network has other costs, the request fails with ``NetworkError/Code/unreachable``, or waits if
  /// ``waitsForConnectivity`` is `true`. The option has no effect on Linux, where costs are unknown, and over
  /// `CurlTransport`. Default: `nil`, the service's setting, or else the client's, applies.
  public var allowedCosts: NetworkCosts?
  /// The style in which an error presenter shows a failure of this request.
  ///
  /// Default: `nil`, the presenter's own rules apply.
  public var presentation: PresentationStyle?
  /// The priority in lanes and in the queues for connections and concurrency limits; that of a token refresh is high.
  ///
  /// Default: ``RequestPriority/normal``.
  public var priority = RequestPriority.normal
  /// The redirect policy.
  ///
  /// Default: `nil`, ``NetworkClient/Configuration/redirects`` applies.
  public var redirects: RedirectPolicy?
  /// Whether a redirect may send the body to another origin, including any password in it, and the idempotency key.
  ///
  /// If `false`, such a redirect of a body fails with ``NetworkError/Code/redirectRefused``. Default: `false`.
  public var sendsBodyAcrossOrigins = false
  /// The maximum size of the response, head and body.
  ///
  /// Default: `nil`, ``NetworkClient/Configuration/limits`` applies.
  public var limits: ResponseLimits?
  /// Whether the request shares the exchange of an identical one that is in flight.
  ///
  /// Requests are identical if both have this option and they are equal in method, URL, header fields, body, idle
  /// timeout, limits, ``redirects``, ``sendsBodyAcrossOrigins``, ``allowedCosts`` and ``isIdempotent``, both with a
  /// cache policy or both without, for the same service, the same identity and the same cookies; the additions of a
  /// signer and the service's ignored parameters are not compared. One exchange then serves all of them, with the
  /// priority of the first. Each request validates and decodes the response separately, and has its own total timeout
  /// and retries. Cancelling one does not affect the others; the exchange is cancelled with the last one.
  /// ``Response/source`` is ``ResponseSource/shared`` for all but the first, and the response is stored in the cache
  /// once.
  ///
  /// Requests with an unsafe method, with ``middleware`` or a ``signer`` of their own, or with a file or a stream as
  /// the body are never shared, nor are those whose response is read in pieces or written to a file, nor refreshes of
  /// stored responses in the background, whose priority is low. Once
  /// 1 MiB of a body has been received, or any unsafe request of the client has been answered or has failed, the
  /// exchange accepts no further requests. Additions by middleware are not compared either: if users sign in, set
  /// ``NetworkClient/Configuration/account``. Default: `false`.
  public var isCoalesced = false
  /// The minimum time between two progress values of an upload or a download in the same direction.
  ///
  /// The first and the last value are always sent; `.zero` sends one for each piece. Values within the interval are
  /// dropped, so that a fast transfer does not flood the main thread. The interval is measured with
  /// ``NetworkClient/Configuration/scheduler``. Default: 100 milliseconds.
  public var progressInterval = Duration.milliseconds(100)

  /// Creates options with all defaults.
  public init() {}

  /// Options for background requests, such as a prefetch or the refresh of a visible list.
  ///
  /// Failures are not presented (``PresentationStyle/silent``); subscribers still receive them. The priority is
  /// ``RequestPriority/low``.
  public static let background = with {
    $0.presentation = .silent
    $0.priority = .low
  }

  /// Returns options configured by a closure.
  ///
  /// ```swift
  /// let request = Request(.get, "/news", options: .with { $0.address = .cdn })
  /// ```
  /// - Parameter set: Sets the properties.
  /// - Returns: The options.
  public static func with(_ set: (inout RequestOptions) -> Void) -> RequestOptions {
    var options = RequestOptions()
    set(&options)
    return options
  }
}

extension RequestOptions: _Summarized {
  /// A summary of the options that are set, on one line; of those that may be long or secret, only the names.
  public var description: String {
    var texts: [String] = []
    if let idleTimeout { texts.append("idleTimeout: \(idleTimeout)") }
    if let totalTimeout { texts.append("totalTimeout: \(totalTimeout)") }
    if address != .main { texts.append("address: \(address)") }
    if let common { texts.append("common: \(common.map(\.rawValue))") }
    if let placement { texts.append("placement: \(placement)") }
    if let isIdempotent { texts.append("isIdempotent: \(isIdempotent)") }
    if cache != .default { texts.append("cache: \(cache)") }
    if let retry { texts.append("retry: \(retry)") }
    if priority != .normal { texts.append("priority: \(priority)") }
    if !middleware.isEmpty { texts.append("middleware: \(middleware.count)") }
    if isCoalesced { texts.append("isCoalesced: true") }
    if progressInterval != RequestOptions().progressInterval { texts.append("progressInterval: \(progressInterval)") }
    if !isSigned { texts.append("isSigned: false") }
    if !allowsRecovery { texts.append("allowsRecovery: false") }
    if let waitsForConnectivity { texts.append("waitsForConnectivity: \(waitsForConnectivity)") }
    if let presentation { texts.append("presentation: \(presentation)") }
    if sendsBodyAcrossOrigins { texts.append("sendsBodyAcrossOrigins: true") }
    let others = [
      ("stages", explicitStages != nil), ("json", json != nil), ("messages", !messages.isEmpty),
      ("idempotencyKey", idempotencyKey != nil), ("parameterRules", parameterRules != nil), ("filters", filters != nil),
      ("signer", signer != nil), ("allowedCosts", allowedCosts != nil), ("redirects", redirects != nil),
      ("limits", limits != nil),
    ]
    texts += others.filter(\.1).map(\.0)
    return "RequestOptions(\(texts.joined(separator: ", ")))"
  }
}

/// The address of a service that a request is sent to.
public enum AddressKind: Sendable, Hashable {
  /// The main address.
  case main
  /// The secondary address; the main one if the service has no secondary address.
  case secondary
  /// The address of the service's content delivery network; the main one if the service has none.
  case cdn
  /// A URL given by the request. The service's header fields, parameters and signature are sent to it only if its
  /// origin is that of one of the service's URLs or in ``NetworkClient/Configuration/trustedOrigins``.
  case custom(URL)
}

extension AddressKind: _Summarized {
  /// The kind of address, with the redacted URL of a custom one.
  public var description: String {
    switch self {
    case .main: "main"
    case .secondary: "secondary"
    case .cdn: "cdn"
    case .custom(let url): "custom(\(url.redacted))"
    }
  }
}
