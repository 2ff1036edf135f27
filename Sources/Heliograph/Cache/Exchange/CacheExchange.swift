import Foundation
import Signals

/// One request through the cache: the look-up, the exchange with the server, and the storing of its response.
final class CacheExchange: Disposing {
  struct State {
    /// What the exchange with the server is to achieve for the stored response.
    enum Goal { case replace, validate, complete }

    var isTerminated = false
    /// The number of the exchange with the server; events of an earlier one are dropped.
    var number = 0
    /// The response to revalidate or to fall back on.
    var found: FoundResponse?
    var sentAt: Date?
    /// The head of a 304 that confirms the stored response.
    var confirmation: HTTPResponse?
    var hasDelivered = false
    /// Whether the exchange with the server is that of another request.
    var isShared = false
    var metrics: Metrics?
    var log: SendLog?
    /// The number of invalidations when the exchange with the server began.
    var invalidations = 0
    var recorder: ResponseRecorder?
    var goal = Goal.replace
  }

  let transport: CachingTransport
  let request: HTTPRequest
  let key: CacheKey
  /// The attempt to which the request belongs; `nil` outside of a client.
  let attempt: AttemptContext?
  let observer: Observer<TransportEvent, NetworkError>
  let state = Guarded(State())
  /// The scope of the exchange with the server.
  let scope = Disposable()

  var cache: ResponseCache { transport.cache }
  var context: CacheContext? { request.context.cache }
  var policy: CachePolicy { request.cachePolicy }

  init(
    _ transport: CachingTransport, _ request: HTTPRequest, _ key: CacheKey, _ attempt: AttemptContext?,
    _ observer: Observer<TransportEvent, NetworkError>
  ) {
    self.transport = transport
    self.request = request
    self.key = key
    self.attempt = attempt
    self.observer = observer
  }

  var isDisposed: Bool { state.withLock { $0.isTerminated } }

  /// Cancels the exchange; nothing of it is stored.
  func dispose() {
    let before = state.withLock { state in
      let before = state
      state = State()
      state.isTerminated = true
      state.number = before.number + 1
      return before
    }
    withExtendedLifetime(before) {}
    scope.dispose()
  }

  /// Looks the response up and decides what to do.
  func begin() {
    let lookup = cache.find(key, request, readsDisk: false)
    guard case .onDisk = lookup else { return decide(lookup) }
    transport.scheduler.schedule { [self] in
      if !isDisposed { decide(cache.find(key, request, readsDisk: true)) }
    }
  }

  private func decide(_ lookup: CacheLookup) {
    switch lookup {
    case .onDisk: miss(.absent)
    case .missing(let reason): miss(reason)
    case .found(let found):
      let stored = found.response.version
      if found.response.credentials != request.credentialsDigest() { return miss(.otherAccount) }
      if found.response.redirectCount > request.storedRedirectLimit { return miss(.absent) }
      if stored != policy.version { return miss(.version(stored: stored, wanted: policy.version)) }
      // A 404 that HTTP has stored is nothing for the policies of an app.
      let isSuccess = (200..<300).contains(found.response.head.statusCode)
      if !policy.isHTTP && !isSuccess { return miss(.absent) }
      switch policy.mode {
      case .http: followRules(found)
      case .revalidate: fetch(found.response.isHTTP ? found : nil, .requested)
      case .timeToLive(let duration, _):
        let age = cache.now().timeIntervalSince(found.response.head.receivedAt)
        // After the clock was set back the age is unknown.
        if found.response.range == nil, age >= 0, age < duration / .seconds(1) {
          serve(found, .cache(age: .seconds(age)))
        } else {
          fetch(found, .expired)
        }
      case .onlyIfCached where found.response.range == nil: serve(found, .cache(age: found.age(at: cache.now())))
      case .onlyIfCached: miss(.absent)
      case .reload: fetch(nil, .requested)
      default: fetch(found, .requested)
      }
    }
  }

  /// Continues without a stored response.
  func miss(_ reason: CacheMissReason) {
    if policy.mode == .onlyIfCached {
      report(miss: reason)
      return observer.fail(.notCached("the cache has no response: \(reason)", request))
    }
    if policy.isHTTP { return fetchIfAllowed(nil, reason) }
    fetch(nil, policy.mode == .reload ? .requested : reason)
  }

  /// Sends the request, unless it has `only-if-cached`.
  func fetchIfAllowed(_ found: FoundResponse?, _ reason: CacheMissReason) {
    CacheControl(request.headers).onlyIfCached ? refuse(reason) : fetch(found, reason)
  }

  /// Answers a request with `only-if-cached` as HTTP demands (RFC 9111 §5.2.1.7).
  func refuse(_ reason: CacheMissReason) {
    report(miss: reason)
    observer.send(.source(.cache(age: .zero)))
    observer.send(.head(HTTPResponse(statusCode: 504, url: request.url)))
    observer.complete()
  }

  func observe(_ event: CacheEvent) { attempt?.run?.observe(event, of: request) }

  func report(miss reason: CacheMissReason) {
    cache.counters.change { $0.misses[reason, default: 0] += 1 }
    observe(.miss(reason))
  }
}

extension FoundResponse {
  /// Returns the age of the response, with that at other caches.
  func age(at now: Date) -> Duration { response.head.age(at: now) }
}
