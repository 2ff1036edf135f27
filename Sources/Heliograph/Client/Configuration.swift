public import Foundation
public import Signals

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension NetworkClient {
  /// The settings of a client, each with a default.
  ///
  /// ```swift
  /// let client = NetworkClient(baseURL: url) {
  ///   $0.headers["Accept-Language"] = "en"
  ///   $0.idleTimeout = .seconds(20)
  ///   $0.retry = Retry(limit: 2)
  /// }
  /// ```
  public struct Configuration: Sendable {
    /// The settings of built requests.
    package var builder: RequestBuilder
    /// The transport that sends requests; redirects are followed by the client.
    ///
    /// Default: on Linux a ``CurlTransport`` where there is a libcurl, else a ``URLSessionTransport``.
    public var transport: any Transport
    /// The maximum number of redirects followed for one request; 0 rejects every redirect.
    ///
    /// Default: 10.
    public var redirectLimit = 10
    /// The redirect policy of requests that set none.
    ///
    /// Default: ``RedirectPolicy/follow``.
    public var redirects = RedirectPolicy.follow
    /// The middleware of all requests, which runs before the middleware of their service.
    ///
    /// It is skipped for requests to origins that are not the client's own; see ``MiddlewareOrigins``. Default: none.
    public var middleware: [any Middleware] = []
    /// The signed-in account.
    ///
    /// When its value changes, requests in flight fail with ``NetworkError/Code/contextChanged``. Set it to `nil` to sign
    /// out.
    ///
    /// Account and environment are the *identity* of a request. The identity is read when the request is subscribed to.
    /// Cookies, token refreshes, retries and queued requests belong to it. When the identity changes, they fail, and
    /// nothing of them is sent or delivered afterwards. (A result that has already been scheduled on another thread, for
    /// example by `subscribeOnMain`, may still be delivered there.)
    ///
    /// | change | cookies |
    /// |---|---|
    /// | `nil` to an account: sign-in | the session's cookies, such as those of the log-in, become the account's |
    /// | an account to `nil`: sign-out | removed |
    /// | an account to another one | removed |
    ///
    /// Keep tokens consistent: set `nil` or the new account first, and replace the token afterwards. Default: `nil`, no
    /// accounts.
    public var account: CurrentValue<String?>?
    /// The cookie storage, which stores the cookies of each response and supplies those of each request.
    ///
    /// Pass `.shared` for the system's storage, which is persistent. With ``account`` the storage belongs to the current
    /// account and is emptied when the account changes, so it must contain nothing else of value. With environments it
    /// belongs to the environment in which the client is created; other environments have their own cookies, in memory. A
    /// persistent storage still contains the cookies of the account that was signed in when the app ended: create the
    /// client with that account, or call ``NetworkClient/clearCookies()``. See ``CookieTransport`` for the rules.
    /// Default: `nil`, no cookies.
    public var cookies: HTTPCookieStorage?
    /// The store of responses, for requests with a ``CachePolicy``.
    ///
    /// Default: a cache of the client's own in memory. Copies of the configuration share it.
    public var cache = ResponseCache()
    /// The concurrency limit: the maximum number of exchanges of the client in flight at once.
    ///
    /// The rest wait in a queue, ordered by ``HTTPRequest/priority`` and then by subscription. Default: `nil`, only the
    /// limit of the transport; see ``TransportSettings/concurrencyLimit``.
    public var concurrencyLimit: Int?
    /// The default total timeout of requests; see ``RequestOptions/totalTimeout``.
    ///
    /// It is measured with ``clock``. Default: `nil`, no limit.
    public var totalTimeout: Duration?
    /// The source of the network status; requests without a network fail at once with ``NetworkError/Code/unreachable``.
    ///
    /// Default: `nil`. On Apple's platforms that is the system's status (``Reachability/system``) if the transport uses
    /// the network. On Linux it is ``Reachability/unwatched``: set `.system` if the routing table describes all routes.
    public var reachability: (any Reachability)?
    /// The default rules for retries.
    ///
    /// Default: never.
    public var retry = Retry.never
    /// The limit for the retries of all requests together.
    ///
    /// Default: see ``RetryBudget``; copies of the configuration share it. `nil` means no limit.
    public var retryBudget: RetryBudget? = RetryBudget()
    /// The recoveries that repair common failures, such as expired tokens, and replay the failed requests.
    ///
    /// The first one is innermost. Default: none.
    public var recoveries: [Recovery] = []
    /// The clock of timeouts, delays and per-host state.
    ///
    /// Default: `.global`.
    public var clock: any SignalScheduler = .global
    /// The default rules for JSON of bodies, parameters and responses.
    ///
    /// Default: see ``JSONCoding``; dates are ISO 8601.
    public var json = JSONCoding()
    /// The default stages that validate and read responses.
    ///
    /// Default: see ``Stages``.
    public var stages = Stages()
    /// The default user-facing messages for errors, defined by the app.
    ///
    /// Default: none.
    public var messages = ErrorMessages()
    /// The scheduler on which responses are validated and decoded and results are delivered.
    ///
    /// Requests are built off the caller's actor by async functions such as ``NetworkClient/send(_:as:)-(RequestConvertible,_)``, unless this
    /// is `.immediate`, and on the subscriber's thread by signals.
    ///
    /// Default: `.global`, the system's concurrent queue; never the main thread or a transport's.
    public var processing: any SignalScheduler = .global
    /// The monitors that observe the requests: for logging, metrics and tracing.
    ///
    /// Default: none.
    public var monitors: [any Monitor] = []

    /// Creates a configuration; set the properties for everything without a parameter here.
    ///
    /// - Parameters:
    ///   - baseURL: the base URL of relative paths. Default: none, so a request without a service needs an absolute URL.
    ///   - headers: the default header fields of every request. Default: none.
    ///   - idleTimeout: the maximum time without a byte sent or received. Default: 60 seconds.
    ///   - retry: the default rules for retries. Default: never.
    ///   - middleware: the middleware of all requests. Default: none.
    ///   - recoveries: the recoveries. Default: none.
    ///   - monitors: the monitors. Default: none.
    ///   - services: the services that requests can name. Default: those of ``ServiceRegistry/shared``.
    ///   - environments: the store of the current environment; when its value changes, requests in flight to services
    ///     fail with ``NetworkError/Code/contextChanged``. Default: none; services then use
    ///     ``ServiceEnvironment/release``.
    ///   - transport: the transport that sends requests. Default: the platform's preferred transport, with its own
    ///     connections.
    public init(
      baseURL: URL? = nil, headers: HTTPHeaders = [:], idleTimeout: Duration = .seconds(60), retry: Retry = .never,
      middleware: [any Middleware] = [], recoveries: [Recovery] = [], monitors: [any Monitor] = [],
      services: [any Service]? = nil, environments: EnvironmentStore? = nil, transport: (any Transport)? = nil
    ) {
      builder = RequestBuilder(baseURL: baseURL, headers: headers, idleTimeout: idleTimeout)
      (self.retry, self.middleware, self.recoveries, self.monitors) = (retry, middleware, recoveries, monitors)
      if let services { builder.services = ServiceRegistry(services) }
      builder.environments = environments
      (self.transport, notice) = transport.map { ($0, nil) } ?? Self.bestTransport()
    }

    /// The reason why the default transport is not the preferred one.
    let notice: String?

    private static func bestTransport() -> (any Transport, notice: String?) {
      #if os(Linux)
      do throws(NetworkError) {
        return (try CurlTransport(), nil)
      } catch {
        return (URLSessionTransport(), "requests go over URLSession, because \(error.reason)")
      }
      #else
      return (URLSessionTransport(), nil)
      #endif
    }
  }
}
