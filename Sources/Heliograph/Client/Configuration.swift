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
    package var builder: RequestBuilder
    /// The transport that sends requests; redirects are followed by the client.
    ///
    /// Default: on Linux a ``CurlTransport`` if libcurl was found, otherwise a ``URLSessionTransport``. If the process
    /// has no file descriptors for a `CurlTransport` at first, requests fail with
    /// ``NetworkError/Code/invalidTransport`` until it has.
    public var transport: any Transport
    /// The maximum number of redirects followed for one request; 0 rejects every redirect.
    ///
    /// Default: 10.
    public var redirectLimit = 10
    /// The redirect policy of requests that set none.
    ///
    /// The rules are the same over every transport:
    ///
    /// | status | the next request |
    /// |---|---|
    /// | 301, 302 | `POST` becomes `GET` without a body, other methods are unchanged (RFC 9110 §15.4.2, §15.4.3) |
    /// | 303 | `GET` without a body; `HEAD` is unchanged (RFC 9110 §15.4.4) |
    /// | 307, 308 | the same method and body (RFC 9110 §15.4.8, §15.4.9) |
    ///
    /// A request to another ``Origin`` carries only these header fields: `Accept` and `Accept-…`, `User-Agent`,
    /// `Range`, conditions such as `If-Match`, `Last-Event-ID`, `Prefer`, `Depth`, `Overwrite`, and `Content-…` while
    /// there is a body. All others, and secret ones, are dropped for the rest of the chain. Within the origin all
    /// fields remain, except for those of an ``HMACSigner``. The body is sent to another origin only if
    /// ``HTTPRequest/sendsBodyAcrossOrigins`` is `true`; otherwise the redirect fails. The same setting decides about
    /// `Idempotency-Key`. A `POST` that has lost its key is not sent again, and its redirect chain is not retried.
    ///
    /// A redirect is refused if it leads from https to http, to plain http that the request does not allow, to a URL
    /// with user information, or to a URL that is not HTTP. An initial request over plain http is refused as well,
    /// unless it allows plain http. A 3xx without a `Location`, or with an empty one, is delivered like any other
    /// response.
    ///
    /// The body of a redirect is read for at most 250 ms and up to 64 KiB, so that its connection can be reused. The
    /// redirect is followed even if its body is incomplete.
    ///
    /// Default: ``RedirectPolicy/follow``.
    public var redirects = RedirectPolicy.follow
    /// The middleware of all requests, which runs before the middleware of their service.
    ///
    /// It is skipped for requests to origins that are not the client's own; see ``Middleware/runsForAllOrigins``.
    /// Default: none.
    public var middleware: [any Middleware] = []
    /// The signed-in account.
    ///
    /// When its value changes, requests in flight fail with ``NetworkError/Code/contextChanged``, one after another on
    /// the thread of the change: their handlers must not block. Set it to `nil` to sign out.
    ///
    /// Account and environment are the *identity* of a request. The identity is read when the request is subscribed
    /// to, or when its ``Call`` or ``Pager`` enters a ``Lane``. Cookies, token refreshes, retries and queued requests
    /// belong to it. When the identity changes, its pending refreshes, retries and requests fail, and none of them is
    /// sent or delivered afterwards. A ``Call``, a ``Pager`` and the async functions of the client check the identity
    /// again on delivery. Exceptions: a result already scheduled on another thread (`subscribeOnMain`,
    /// `load(into:on:)`, a ``Batch``) is still delivered, and so is the rejection of credentials, because the app may
    /// have signed out because of it. At sign-out, replace the objects that show an account's data instead of clearing
    /// them.
    ///
    /// | change | cookies |
    /// |---|---|
    /// | `nil` to an account: sign-in | the session's cookies, such as those of the log-in, become the account's |
    /// | an account to `nil`: sign-out | removed |
    /// | an account to another one | removed |
    ///
    /// To keep tokens consistent, set the new account or `nil` first, and replace the token afterwards. Subscribers of
    /// the account are called in between: a request that they send at once has the former token. Create clients before
    /// you subscribe, or observe on `.main`: earlier subscribers are called before the former requests fail. Default:
    /// `nil`, no accounts.
    public var account: CurrentValue<String?>?
    /// The cookie storage: it stores the cookies of responses and supplies those of requests.
    ///
    /// Pass `.shared` for the system's storage, which is persistent. With ``account`` the storage belongs to the
    /// current account and is emptied when the account changes, so it must not contain other cookies. With environments
    /// it belongs to the environment in which the client is created; other environments have their own cookies, in
    /// memory. A persistent storage still contains the cookies of the account that was signed in when the app ended:
    /// create the client with that account, or call ``NetworkClient/clearCookies()``. No cookies are added to a request
    /// that has its own `Cookie` field. Default: `nil`, no cookies.
    ///
    /// On Linux a `Secure` cookie ends with the process, also in a persistent storage, because Foundation would restore
    /// it without `Secure`. Foundation writes the whole file, which takes some milliseconds, for each cookie that is
    /// stored or removed: on the transport's thread, or on the one that changes the account or calls `clearCookies()`.
    ///
    /// The rules are those of RFC 6265bis:
    ///
    /// | rule | limit |
    /// |---|---|
    /// | cookies per host | 50, and 50 with `Domain`; cookies without `Secure` are evicted first, of them those set longest ago |
    /// | `Set-Cookie` fields per response | 50; the rest are dropped |
    /// | cookies of all hosts | 3,050; then they are evicted in the same order until 3,000 remain |
    /// | name and value of a cookie | 4 KiB; a longer cookie is dropped |
    /// | a `Cookie` field | 8 KiB; cookies that do not fit are not sent: first those without `Secure`, then with `Domain` |
    /// | age | 400 days |
    /// | a value that is not UTF-8 | read as ISO-8859-1 and sent back as UTF-8, so with other bytes |
    /// | `Secure` | set and sent over https and to this machine only; other http neither replaces nor removes such a cookie |
    /// | `__Secure-`, `__Host-`, `__Http-` | a cookie without the attributes that its prefix requires is dropped |
    /// | `Domain` | the host itself or a parent domain that is not a public suffix, such as `com` or `co.uk` |
    /// | `SameSite` | see below; a cookie with `SameSite=None` and without `Secure` is dropped |
    ///
    /// A request of the app itself is same-site, so all cookies are sent. After a redirect from another site (another
    /// scheme or registered domain) `Strict` cookies are not sent. `Lax` cookies, and cookies without `SameSite`, are
    /// then sent with safe methods only. Of cookies with paths of equal length, the one that was set last comes last,
    /// even if it replaced one: Foundation keeps no earlier creation time.
    public var cookies: HTTPCookieStorage?
    /// The store of responses, for requests with a ``CachePolicy``.
    ///
    /// A stored response needs neither a network nor a token: the cache comes before the offline check and the
    /// middleware. It sees requests before middleware changes them, so header fields that middleware adds do not select
    /// a variant (`Vary`). A response is not stored if middleware has changed method, URL, `Host` or body, or has added
    /// credentials in a client without ``account``.
    ///
    /// Default: an in-memory cache of the client's own, shared by copies of the configuration.
    public var cache = ResponseCache()
    /// The concurrency limit: the maximum number of exchanges of the client in flight at once.
    ///
    /// The rest wait in a queue, ordered by ``HTTPRequest/priority`` and then by subscription. The time in the queue
    /// counts towards the total timeout, but not towards the idle timeout. Each request of a redirect chain is queued
    /// separately. Requests of a ``Recovery`` do not wait and are not counted. A request waits after it was signed; see
    /// ``Signer/sign(_:)``. Default: `nil`, only the transport's limit applies; see
    /// ``TransportSettings/concurrencyLimit``.
    public var concurrencyLimit: Int?
    /// The source of the network status.
    ///
    /// If the source refuses requests (``Reachability/refusesRequests``), they fail at once with
    /// ``NetworkError/Code/unreachable`` while there is no network, except to this machine (`localhost`, `127.0.0.0/8`,
    /// `::1`); one that waits for a slot when the network is lost fails in its transport. On Apple's platforms the
    /// system's status may be stale, so it refuses no requests: without a network, the transport fails them within
    /// milliseconds. While the status is unknown, all requests are sent. Use ``Reachability/unwatched`` for requests
    /// through a proxy on this machine, or to hosts that only a separate routing table reaches.
    ///
    /// Default: `nil`. On Apple's platforms that is the system's status (``Reachability/system``) if the transport uses
    /// the network. On Linux it is ``Reachability/unwatched``: set `.system` if the routing table describes all routes.
    public var reachability: (any Reachability)?
    /// Whether requests without a network wait for one instead of failing with ``NetworkError/Code/unreachable``.
    ///
    /// A waiting request is built and sent as soon as ``reachability`` reports another status, over any transport.
    /// A request that fails in the transport with ``NetworkError/Code/unreachable`` waits as well, if it is idempotent
    /// or nothing of it was sent; it is sent again when the status changes, or at the latest after a delay that grows
    /// from 1 to 30 seconds, anew from each change. If the status is always unknown, as by default on Linux, only these
    /// requests wait; a ``CurlTransport`` fails with other codes without a network, so set ``reachability`` to
    /// `.system` with it.
    ///
    /// The ``totalTimeout`` bounds the wait: set one. A stored response that the cache policy allows is delivered at
    /// once, and a request that has delivered one does not wait, nor does the refresh of a stale one in the background.
    /// A connection that is lost later fails as usual. The requests of a ``Recovery`` do not wait: the requests that
    /// need the refresh do.
    /// Monitors receive ``MonitorEvent/waiting(_:)``. Default: `false`.
    public var waitsForConnectivity = false
    /// The default rules for retries.
    ///
    /// Default: never.
    public var retry = Retry.never
    /// The limit on retries across all requests.
    ///
    /// Default: see ``RetryBudget``; copies of the configuration share it. `nil` means no limit.
    public var retryBudget: RetryBudget? = RetryBudget()
    /// The recoveries that repair common failures, such as expired tokens, and replay the failed requests.
    ///
    /// If several match a failure, the first of them applies. Default: none.
    public var recoveries: [Recovery] = []
    /// The closure for credentials rejected with a 401: sign out here.
    ///
    /// It is called with the server's error when a request fails with the status 401 after all ``recoveries``, or
    /// because the refresh that it waited for failed with a 401; with ``NetworkError/Code/recoveryRefused`` when a
    /// request with a 401 has reached the ``Recovery/limit`` although the last refresh succeeded. It runs on the thread
    /// that delivered the failure, after the delivery, also to all other requests that waited for the same refresh.
    /// Requests that started before it returned do not call it again. A 401 from another origin is ignored, and so are
    /// one from a server that has not seen the credentials, because a redirect removed them, that of a request that
    /// could not be sent again after a successful refresh, that of a request of an account or environment that has
    /// changed meanwhile, and that of a request whose ``RequestOptions/allowsRecovery`` is `false`, such as a log-in
    /// with a wrong password. For a refresh rejected with another status, such as 400, sign out in the recovery's
    /// `onFailure`. Default: `nil`.
    public var onUnauthorized: (@Sendable (NetworkError) -> Void)?
    /// The clock for total timeouts, delays and per-host state; transports measure idle timeouts themselves.
    ///
    /// Default: `.global`.
    public var scheduler: any SignalScheduler = .global
    /// The default rules for JSON in bodies, parameters and responses.
    ///
    /// Default: see ``JSONCoding``; dates are ISO 8601.
    public var json = JSONCoding()
    /// The default stages that validate and read responses.
    ///
    /// Default: see ``Stages``.
    public var stages = Stages()
    /// The app's own user-facing messages for errors, by code.
    ///
    /// ```swift
    /// configuration.messages[.status(503)] = "We are under maintenance."
    /// ```
    /// A request's messages take precedence over those of its service, and these over those of the client. All of
    /// them take precedence over a server's message, and that over the built-in messages. Blank messages are ignored.
    /// If the server reports a failure by a status and a code of its own, the message for that code takes precedence
    /// over the one for the status of the same request, service or client. The code of the error is unchanged. Default:
    /// none.
    public var messages: [NetworkError.Code: String] = [:]
    /// The scheduler on which responses are validated and decoded and results are delivered.
    ///
    /// Signals build the first attempt of a request on the subscriber's thread, and later ones on any. Async functions
    /// such as `send(_:as:)` build them off the caller's actor, unless this is `.immediate`; with the default scheduler
    /// they also decode cached bodies of up to 16 KiB there, in the caller's task.
    ///
    /// Default: `.global`, the system's concurrent queue; never the main thread or a thread of the transport.
    public var processing: any SignalScheduler = .global
    /// Returns the trace context of an attempt, which is sent as `traceparent` and `tracestate`; `nil` sends none.
    ///
    /// ```swift
    /// configuration.traceContext = { TraceContext(of: $0) }
    /// ```
    /// It is called when an attempt is sent, after the cache and all middleware; once for requests that share an
    /// exchange. It is not called if the URL has none of the client's own origins (``owns(_:)``), or if the request
    /// already has a field `traceparent` or `tracestate`, which is sent unchanged. A redirect to another origin drops
    /// both fields for the rest of the chain. The cache ignores them in `Vary`, and signatures do not cover them.
    /// Called on any thread; it must not block. Default: `nil`, no traces.
    public var traceContext: (@Sendable (HTTPRequest) -> TraceContext?)?
    /// The monitors that observe the requests: for logging, metrics and tracing.
    ///
    /// Default: none.
    public var monitors: [any Monitor] = []

    /// Creates a configuration; all other settings are properties.
    ///
    /// - Parameters:
    ///   - baseURL: The base URL of relative paths. Default: none, so a request without a service needs an absolute
    ///     URL.
    ///   - headers: The default header fields of requests to the client's own origins. Default: none.
    ///   - idleTimeout: The maximum time without a byte sent or received. Default: 60 seconds.
    ///   - retry: The default rules for retries. Default: never.
    ///   - middleware: The middleware of all requests. Default: none.
    ///   - recoveries: The recoveries. Default: none.
    ///   - monitors: The monitors. Default: none.
    ///   - services: The services that requests can name. Default: those of ``ServiceRegistry/shared``.
    ///   - environments: The store of the current environment; when its value changes, requests in flight to services
    ///     fail with ``NetworkError/Code/contextChanged``. Default: none; services then use
    ///     ``ServiceEnvironment/release``.
    ///   - transport: The transport that sends requests. Default: the platform's preferred transport, with its own
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
      guard CurlTransport.isAvailable else {
        return (URLSessionTransport(), "requests go over URLSession, because \(CurlLibrary.unavailabilityReason)")
      }
      do throws(NetworkError) {
        return (try CurlTransport(), nil)
      } catch {
        return (LateCurlTransport(), "requests fail until a CurlTransport can be created: \(error.reason)")
      }
      #else
      return (URLSessionTransport(), nil)
      #endif
    }
  }
}

extension NetworkClient.Configuration: _Summarized {
  /// The base URL and the main settings on one line, without header fields and other possible secrets.
  public var description: String {
    let base = baseURL.map { $0.redacted } ?? "no base URL"
    return
      "NetworkClient.Configuration(\(base), idleTimeout: \(idleTimeout), retry: \(retry), transport: \(type(of: transport)))"
  }
}
