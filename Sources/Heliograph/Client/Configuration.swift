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
    /// The transport that carries requests; redirects are followed around it.
    ///
    /// Default: on Linux a ``CurlTransport`` where there is a libcurl, else a ``URLSessionTransport``.
    public var transport: any Transport
    /// The maximum number of redirects that are followed for one request; 0 refuses every one.
    ///
    /// Default: 10.
    public var redirectLimit = 10
    /// What is done with redirects, unless a request says otherwise.
    ///
    /// Default: ``RedirectPolicy/follow``.
    public var redirects = RedirectPolicy.follow
    /// Changes requests on the way out, before the middleware of their service does, and sees what comes back.
    ///
    /// To origins that are not the client's own go only requests without it; see ``MiddlewareOrigins``. Default: none.
    public var middleware: [any Middleware] = []
    /// The signed-in account.
    ///
    /// When its value changes, requests in flight fail with ``NetworkError/Code/contextChanged``. Set it to `nil` to sign out.
    ///
    /// Account and environment are the *identity* of a request. It is taken when the request is subscribed to, and cookies, token
    /// refreshes, retries and waiting requests belong to it: when it is left, they end, and nothing of them is sent or delivered
    /// afterwards. (A result that was handed to another thread before, such as by `subscribeOnMain`, may still arrive there.)
    ///
    /// | change | cookies |
    /// |---|---|
    /// | `nil` to an account: sign-in | the session's cookies become the account's, such as those of the log-in |
    /// | an account to `nil`: sign-out | are removed |
    /// | an account to another one | are removed |
    ///
    /// Keep tokens in step: set `nil` or the new account first, and replace the token after it. Default: `nil`, no accounts.
    public var account: CurrentValue<String?>?
    /// The storage of cookies: those of each response are stored there, and those for its address sent with each request.
    ///
    /// Pass `.shared` for the system's, which keeps them on disk. With ``account`` the storage is that of the present account and
    /// is emptied when the account is left, so it must hold nothing else that is needed. With environments it is for the
    /// environment in which the client is made; any other has its own cookies, in memory. A storage on disk still has the cookies of
    /// the account that was signed in when the app ended: make the client with that account, or call
    /// ``NetworkClient/clearCookies()``. See ``CookieTransport`` for the rules. Default: `nil`, no cookies.
    public var cookies: HTTPCookieStorage?
    /// How many exchanges of the client may be in flight at once; the others wait, those of a higher ``HTTPRequest/priority``
    /// in front, and those of the same one in the order of their subscriptions.
    ///
    /// Default: `nil`, as many as the transport lets; see ``TransportSettings/activeLimit``.
    public var activeLimit: Int?
    /// The total time-out of requests, unless a service or a request says otherwise; see ``RequestOptions/totalTimeout``.
    ///
    /// It is timed by ``clock``. Default: `nil`, no limit.
    public var totalTimeout: Duration?
    /// Who tells whether there is a network: without one, requests fail at once with ``NetworkError/Code/unreachable``.
    ///
    /// Default: `nil`. On Apple's platforms that is the system's (``Reachability/system``) if the transport uses the network;
    /// on Linux it is ``Reachability/unwatched``: set `.system` where the routing table is all there is.
    public var reachability: (any Reachability)?
    /// How often requests are sent again when they fail, unless a service or a request says otherwise.
    ///
    /// Default: never.
    public var retry = Retry.never
    /// How many retries all requests together may make.
    ///
    /// Default: see ``RetryBudget``; copies of the configuration share it. `nil` means no limit.
    public var retryBudget: RetryBudget? = RetryBudget()
    /// Repair what makes requests fail, such as expired tokens, and let them be sent again.
    ///
    /// The first is nearest to the request. Default: none.
    public var recoveries: [Recovery] = []
    /// Whose clock times delays and what is remembered of hosts.
    ///
    /// Default: `.global`.
    public var clock: any SignalScheduler = .global
    /// The rules for JSON: of bodies, of parameters and of responses, unless a service or a request has its own.
    ///
    /// Default: see ``JSONCoding``; dates are ISO 8601.
    public var json = JSONCoding()
    /// How responses are judged and read, unless a service or a request says otherwise.
    ///
    /// Default: see ``Stages``.
    public var stages = Stages()
    /// The app's own user-facing messages for errors, unless a service or a request has its own.
    ///
    /// Default: none.
    public var messages = ErrorMessages()
    /// Where responses are validated and decoded, and where results are delivered.
    ///
    /// Default: `.global`, the system's concurrent queue; never the main thread or a transport's.
    public var processing: any SignalScheduler = .global
    /// Observe the requests: for logging, metrics and tracing.
    ///
    /// Default: none.
    public var monitors: [any Monitor] = []

    /// Makes a configuration; set its properties for all that has no parameter here.
    ///
    /// - Parameters:
    ///   - baseURL: what relative paths are below. Default: none, so without a service only absolute addresses work.
    ///   - headers: header fields of every request that does not set them itself. Default: none.
    ///   - idleTimeout: The maximum time in which no byte is sent or received. Default: 60 seconds.
    ///   - services: what requests may name. Default: what ``ServiceRegistry/shared`` knows.
    ///   - environments: says which environment is current; when that changes, requests to services that are in flight
    ///     fail with ``NetworkError/Code/contextChanged``. Default: none; services are then asked for ``ServiceEnvironment/release``.
    ///   - transport: carries requests. Default: the platform's best, with connections of its own.
    public init(
      baseURL: URL? = nil, headers: HTTPHeaders = [:], idleTimeout: Duration = .seconds(60),
      services: [any Service]? = nil, environments: EnvironmentStore? = nil, transport: (any Transport)? = nil
    ) {
      builder = RequestBuilder(baseURL: baseURL, headers: headers, idleTimeout: idleTimeout)
      if let services { builder.services = ServiceRegistry(services) }
      builder.environments = environments
      (self.transport, notice) = transport.map { ($0, nil) } ?? Self.bestTransport()
    }

    /// Why the default transport is not the one that it should be.
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
