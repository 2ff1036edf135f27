import Foundation
import Signals

/// The part of a client that its signals retain: the configuration behind one reference, and the order of the stages.
final class Core: Sendable {
  /// A closure that observes the transport events of a request's exchange.
  typealias Watch = @Sendable (TransportEvent, HTTPRequest) -> Void

  /// A closure that transforms the received response to the delivered one.
  typealias Read<Result: Sendable> =
    @Sendable (Signal<Response<Data>, NetworkError>, HTTPRequest, ResolvedRequest) ->
    Signal<Response<Result>, NetworkError>

  let configuration: NetworkClient.Configuration
  /// The calls in flight.
  let calls = ActiveCalls()
  let carrier: RedirectingTransport
  let sharedExchanges: SharedExchanges
  private let reachability: any Reachability
  let evidence: EvidenceCollector
  /// The calls of the closure for rejected credentials; `nil` without one, and in the client of a refresh.
  let rejections: Rejections?
  private let fence: Fence?
  /// The literals before values with slashes that monitors have been told about.
  let slashes: SlashNotices
  /// The cookies of a client without identities.
  private let jar: (any CookieJar)?
  /// The identity of all requests if it is not the current one, as in the client of a refresh.
  private let snapshot: IdentitySnapshot?
  /// Whether its requests belong to a refresh.
  private let isRefreshing: Bool

  init(_ configuration: NetworkClient.Configuration) {
    self.configuration = configuration
    reachability = configuration.chosenReachability
    carrier = configuration.makeCarrier()
    sharedExchanges = SharedExchanges()
    slashes = SlashNotices()
    rejections = configuration.onUnauthorized.map { Rejections($0) }
    evidence = EvidenceCollector(reachability, configuration.scheduler)
    fence = Fence(configuration.builder.environments, configuration.account, cookies: configuration.cookies)
    jar = fence == nil ? configuration.cookies.map { CookieStore($0).jar } : nil
    snapshot = nil
    isRefreshing = false
  }

  /// Returns the closure that returns the cookies of a request; `nil` if the client has none.
  var cookie: (@Sendable (HTTPRequest) -> String?)? {
    configuration.cookies == nil ? nil : { @Sendable [jar] in ($0.binding.identity?.jar ?? jar)?.field(for: $0) }
  }

  /// Creates the core of a refresh's client: same connections, cookies and identity, but no recoveries.
  private convenience init(refreshing core: Core, as snapshot: IdentitySnapshot?) {
    var configuration = core.configuration
    configuration.recoveries = []
    self.init(core, configuration, as: snapshot, isRefreshing: true)
  }

  /// Creates a core with the connections and cookies of another one.
  private init(
    _ core: Core, _ configuration: NetworkClient.Configuration, as snapshot: IdentitySnapshot?, isRefreshing: Bool
  ) {
    self.configuration = configuration
    carrier = core.carrier
    sharedExchanges = core.sharedExchanges
    slashes = core.slashes
    rejections = isRefreshing ? nil : core.rejections
    reachability = core.reachability
    evidence = core.evidence
    fence = core.fence
    jar = core.jar
    self.snapshot = snapshot
    self.isRefreshing = isRefreshing
  }

  /// The identity of all requests of a bound core.
  var identity: Identity? { snapshot?.identity }

  /// Returns a core whose requests all belong to the current identity: they fail once it has changed.
  func bound() -> Core {
    guard snapshot == nil, let fence else { return self }
    return Core(self, configuration, as: fence.bind(), isRefreshing: false)
  }

  /// Returns a signal that fails as soon as the identity of a bound core changes, for the time between its requests.
  func guarding<Value>(
    _ signal: Signal<Value, NetworkError>, for request: any RequestConvertible
  ) -> Signal<Value, NetworkError> {
    guard let fence, let snapshot else { return signal }
    let resolved = try? configuration.builder.find(try request.asRequest())
    let identity = BoundIdentity(snapshot, needsEnvironment: resolved.map(needsEnvironment) ?? false)
    return fence.guarding(signal, for: identity, needsEnvironment: identity.needsEnvironment)
      .mapError { [self] in worded($0, for: request) }
  }

  /// Returns the signal of a request whose response is validated and read.
  ///
  /// A 304 to a conditional request completes it, unless one value is expected and `allowsNotModified` is `false`.
  /// `note` receives each response before it is read, and `nil` when reading has failed; with an `id` only those of the
  /// request, not those of a refresh of its stored response.
  func interpret<Result: Sendable>(
    _ request: any RequestConvertible, id: RequestID? = nil, expectsOneValue: Bool = false,
    allowsNotModified: Bool = false, watch: Watch? = nil, note: (@Sendable (Response<Data>?) -> Void)? = nil,
    _ read: @escaping @Sendable (Response<Data>, ResponseReader, Observer<Response<Result>, NetworkError>) -> Void
  ) -> Signal<Response<Result>, NetworkError> {
    begin(request, id: id, expectsOneValue: expectsOneValue, watch: watch) {
      [configuration] response, request, resolved in
      var reader = configuration.reader(for: resolved, request)
      reader.expectsOneValue = expectsOneValue
      let note = id == nil || request.id == id ? note : nil
      let isNoted = note.map { _ in CurrentValue(false) }
      let result = response.reading(on: configuration.processing) { [reader] response, observer in
        note?(response)
        isNoted?.value = true
        if response.statusCode != 304 { return read(response, reader, observer) }
        if response.isUnasked {
          observer.fail(reader.unaskedFailure(response))
        } else if reader.expectsOneValue, !allowsNotModified {
          observer.fail(reader.unmodifiedFailure(response))
        } else {
          observer.complete()
        }
      }
      guard let note, let isNoted else { return result }
      return result.on(failure: { _ in if isNoted.value { note(nil) } })
    }
  }

  /// Returns the signal of a request, named after the request.
  func begin<Result: Sendable>(
    _ request: any RequestConvertible, id: RequestID? = nil, expectsOneValue: Bool = false, isStreamed: Bool = false,
    watch: Watch? = nil, _ read: @escaping Read<Result>
  ) -> Signal<Response<Result>, NetworkError> {
    // A closure created where the result type is known avoids looking up its metadata for each request.
    Signal(RequestSource(request) { [self] in loop(request, id, expectsOneValue, isStreamed, watch, read) })
  }

  /// Returns the only loop: a failed request is built and sent again by its rules, and its result is reported.
  private func loop<Result: Sendable>(
    _ request: any RequestConvertible, _ id: RequestID?, _ expectsOneValue: Bool, _ isStreamed: Bool, _ watch: Watch?,
    _ read: @escaping Read<Result>
  ) -> Signal<Response<Result>, NetworkError> {
    let record = configuration.makeRecord(id, isStreamed: isStreamed)
    var described: Request?
    do throws(NetworkError) {
      let snapshot = self.snapshot ?? fence?.bind()
      let wanted = try request.asRequest()
      described = wanted
      if let literal = wanted.path.slashedAfter { slashes.note(literal, to: configuration.monitors) }
      let resolved = try configuration.builder.find(wanted)
      let context = RequestContext(
        id: record?.id ?? id ?? .next(), deadline: configuration.deadline(for: resolved),
        idempotencyKey: wanted.options.idempotencyKey?.makeText())
      let identity = snapshot.map { BoundIdentity($0, needsEnvironment: needsEnvironment(resolved)) }
      let scope = AttemptScope(identity: identity, record: record, watch: watch, isStreamed: isStreamed)
      let policy = try cachePolicy(for: resolved, isStreamed: isStreamed)
      var ended: Signal<Response<Result>, NetworkError>
      if policy.isActive {
        ended = cached(policy, expectsOneValue, read) { [self] policy, read in
          policy.mode == .onlyIfCached || configuration.isTriedOnce(resolved)
            ? attempt(resolved, context.following(policy), scope, policy, read)
            : attempts(request, resolved, identity, context) { [self] in attempt($0, $1, scope, policy, read) }
        }
      } else if configuration.isTriedOnce(resolved) {
        ended = attempt(resolved, context, scope, nil, read)
      } else {
        ended = attempts(request, resolved, identity, context) { [self] in attempt($0, $1, scope, nil, read) }
      }
      if let fence, let identity {
        ended = fence.guarding(ended, for: identity, needsEnvironment: identity.needsEnvironment)
      }
      return reported(context.deadline?.limiting(ended) ?? ended, wanted, resolved.service, record)
    } catch {
      return reported(.fail(error), described, nil, record)
    }
  }

  /// Returns successive attempts, each of which resolves the request again: the token may have changed.
  private func attempts<Result: Sendable>(
    _ request: any RequestConvertible, _ resolved: ResolvedRequest, _ identity: BoundIdentity?,
    _ context: RequestContext,
    _ attempt: @escaping @Sendable (ResolvedRequest, RequestContext) -> Signal<Response<Result>, NetworkError>
  ) -> Signal<Response<Result>, NetworkError> {
    let (retry, recoveries) = (configuration.retry(for: resolved), configuration.recoveries(for: resolved))
    let log = AttemptLog()
    let one = Signal<Response<Result>, NetworkError>.deferred { [configuration] in
      do throws(NetworkError) {
        var context = context
        context.attempt = log.nextNumber
        return attempt(try configuration.builder.find(try request.asRequest()), context)
      } catch {
        return .fail(error)
      }
    }
    let noted = one.mapError { error in
      // A recovery, unless the request is retried.
      context.deadline?.activity = .refresh
      return log.added(error)
    }
    var all = noted.retrying(
      retry, budget: configuration.retryBudget, until: context.deadline, on: configuration.scheduler)
    if !recoveries.isEmpty {
      var context = recoveryContext(for: identity)
      for (index, recovery) in recoveries.enumerated() {
        context.former = recoveries[..<index]
        all = recovery.recovering(all, for: resolved.request.service, in: context)
      }
    }
    return all.map { log.noted(on: $0) }
  }

  /// Returns the context of a recovery: a refresh belongs to the identity of the request that begins it.
  private func recoveryContext(for identity: BoundIdentity?) -> Recovery.Context {
    var context = Recovery.Context { [self] in NetworkClient(Core(refreshing: self, as: identity?.snapshot)) }
    if configuration.builder.hasOrigins { context.owns = { [configuration] in configuration.builder.owns($0) } }
    if let fence, let identity {
      context.identity = identity.snapshot.identity
      context.guarding = { fence.guarding($0, for: identity, needsEnvironment: true) }
    }
    return context
  }

  /// Builds a request and sends it, after a wait for a network if there is none and the request waits.
  private func attempt<Result: Sendable>(
    _ resolved: ResolvedRequest, _ context: RequestContext, _ scope: AttemptScope, _ policy: CachePolicy?,
    _ read: @escaping Read<Result>
  ) -> Signal<Response<Result>, NetworkError> {
    let status = reachability.status
    let attempt = attempt(resolved, context, scope, policy, at: status, read)
    // The transport is not asked to wait: its own status may differ from the one that refuses requests.
    guard status == .unreachable, configuration.waitsForConnectivity(resolved) else { return attempt }
    return attempt.following { [self] error, hasSent in
      guard !hasSent, error.code == .unreachable else { return .fail(error) }
      context.deadline?.activity = .connectivity
      if let request = error.request { scope.record?.wait(request) }
      let online = Signal<Never, NetworkError> { [reachability] observer in
        reachability.changes.filter { $0 != .unreachable }.take(1).subscribe(onValue: { _ in observer.complete() })
      }
      return online.then(.deferred { [self] in self.attempt(resolved, context, scope, policy, read) })
    }
  }

  /// Builds a request and sends it, unless its identity has changed.
  private func attempt<Result: Sendable>(
    _ resolved: ResolvedRequest, _ context: RequestContext, _ scope: AttemptScope, _ policy: CachePolicy?,
    at status: ReachabilityStatus, _ read: @escaping Read<Result>
  ) -> Signal<Response<Result>, NetworkError> {
    do throws(NetworkError) {
      if let fence, let identity = scope.identity {
        try fence.check(identity)
        // It may already be resolved for the next environment, before observers are notified.
        let isOther = resolved.environment != identity.snapshot.identity.environment
        if identity.needsEnvironment, isOther { throw identity.failure("environment") }
      }
      let request = try build(resolved, for: context, at: status, scope)
      if policy != nil || configuration.cache.isUsed && !request.method.isSafe {
        return caching(request, resolved, at: status, scope, policy ?? .none, read)
      }
      let result = read(exchange(request, resolved, at: status, scope), request, resolved)
      return scope.record?.watching(result, attempt: request) ?? result
    } catch {
      return .fail(error)
    }
  }

  /// Returns the request of an attempt.
  func build(
    _ resolved: ResolvedRequest, for context: RequestContext, at status: ReachabilityStatus, _ scope: AttemptScope
  ) throws(NetworkError) -> HTTPRequest {
    var request = try configuration.builder.build(resolved, for: context, json: configuration.json, at: status)
    if let identity = scope.identity { request = identity.bind(request) }
    if scope.isStreamed { request.context.isStreamed = true }
    return request
  }

  /// Returns whether a change of environment fails a request: one to a service, and every request of a refresh.
  private func needsEnvironment(_ resolved: ResolvedRequest) -> Bool {
    configuration.builder.environments != nil && (resolved.service != nil || isRefreshing)
  }

  /// Returns the error of a cancelled task with the app's own message: it is made where no request is known.
  func worded(_ error: NetworkError, for request: some RequestConvertible) -> NetworkError {
    let described = try? request.asRequest()
    let service = described.flatMap { try? configuration.builder.find($0).service }
    return messages(for: described, service).wording(error, described?.options.presentation)
  }

  /// Removes the cookies of the current account.
  func clearCookies() {
    if let fence { fence.clearCookies() } else { configuration.cookies?.removeAll() }
  }
}
