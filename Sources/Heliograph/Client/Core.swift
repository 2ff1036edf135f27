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
  private let carrier: RedirectingTransport
  private let reachability: any Reachability
  private let evidence: EvidenceCollector
  private let fence: Fence?
  /// The identity of all requests if it is not the current one, as in the client of a refresh.
  private let snapshot: IdentitySnapshot?

  init(_ configuration: NetworkClient.Configuration) {
    self.configuration = configuration
    reachability = configuration.chosenReachability
    carrier = configuration.makeCarrier()
    evidence = EvidenceCollector(reachability, configuration.clock)
    fence = Fence(configuration.builder.environments, configuration.account, cookies: configuration.cookies)
    snapshot = nil
  }

  /// Creates the core of a refresh's client: same connections, cookies and identity, but no recoveries.
  private init(refreshing core: Core, as snapshot: IdentitySnapshot?) {
    var configuration = core.configuration
    configuration.recoveries = []
    self.configuration = configuration
    carrier = core.carrier
    reachability = core.reachability
    evidence = core.evidence
    fence = core.fence
    self.snapshot = snapshot
  }

  /// Returns the signal of a request whose response is validated and read.
  func interpret<Result: Sendable>(
    _ request: any RequestConvertible, expectsOneValue: Bool = false, watch: Watch? = nil,
    _ read: @escaping @Sendable (Response<Data>, ResponseReader, Observer<Response<Result>, NetworkError>) -> Void
  ) -> Signal<Response<Result>, NetworkError> {
    begin(request, watch: watch) { [configuration] response, request, resolved in
      var reader = configuration.reader(for: resolved, request)
      reader.expectsOneValue = expectsOneValue
      return response.reading(on: configuration.processing) { [reader] response, observer in
        if response.statusCode != 304 { return read(response, reader, observer) }
        if response.isUnasked {
          observer.fail(reader.unaskedFailure(response))
        } else if reader.expectsOneValue {
          observer.fail(reader.unmodifiedFailure(response))
        } else {
          observer.complete()
        }
      }
    }
  }

  /// Returns the signal of a request, named after the request.
  func begin<Result: Sendable>(
    _ request: any RequestConvertible, watch: Watch? = nil, _ read: @escaping Read<Result>
  ) -> Signal<Response<Result>, NetworkError> {
    // A closure created where the result type is known avoids looking up its metadata for each request.
    Signal(RequestSource(request) { [self] in loop(request, watch, read) })
  }

  /// Returns the only loop: a failed request is built and sent again by its rules, and its result is reported.
  private func loop<Result: Sendable>(
    _ request: any RequestConvertible, _ watch: Watch?, _ read: @escaping Read<Result>
  ) -> Signal<Response<Result>, NetworkError> {
    let record = configuration.makeRecord()
    var described: Request?
    do throws(NetworkError) {
      let snapshot = self.snapshot ?? fence?.bind()
      let wanted = try request.asRequest()
      described = wanted
      let resolved = try configuration.builder.find(wanted)
      let context = RequestContext(
        id: record?.id ?? .next(), deadline: configuration.deadline(for: resolved),
        idempotencyKey: wanted.options.idempotencyKey?.makeText())
      let identity = snapshot.map { BoundIdentity($0, needsEnvironment: needsEnvironment(resolved)) }
      var ended =
        configuration.isTriedOnce(resolved)
        ? attempt(resolved, identity, context, record, watch, read)
        : tries(request, resolved, identity, context) { [self] in attempt($0, identity, $1, record, watch, read) }
      if let fence, let identity {
        ended = fence.guarding(ended, for: identity, needsEnvironment: identity.needsEnvironment)
      }
      return reported(context.deadline?.limiting(ended) ?? ended, wanted, resolved.service, record)
    } catch {
      return reported(.fail(error), described, nil, record)
    }
  }

  /// Returns the signal with the app's user-facing messages for errors, observed by the monitors.
  private func reported<Result>(
    _ signal: Signal<Response<Result>, NetworkError>, _ request: Request?, _ service: (any Service)?,
    _ record: RequestRecord?
  ) -> Signal<Response<Result>, NetworkError> {
    let presentation = request?.options.presentation
    // Read inline, because a call would copy the configuration.
    var messages = configuration.messages
    if let service { messages.merge(service.messages) }
    if let request { messages.merge(request.options.messages) }
    let isPlain = presentation == nil && messages.isEmpty
    let worded = isPlain ? signal : messages.wording(signal, presentation)
    return record?.watching(worded, request) ?? worded
  }

  /// Returns successive attempts, each of which resolves the request again: the token may have changed.
  private func tries<Result: Sendable>(
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
      retry, budget: configuration.retryBudget, until: context.deadline, on: configuration.clock)
    if !recoveries.isEmpty {
      let context = recoveryContext(for: identity)
      for recovery in recoveries { all = recovery.recovering(all, for: resolved.request.service, in: context) }
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

  /// Builds a request and sends it, unless its identity has changed.
  private func attempt<Result: Sendable>(
    _ resolved: ResolvedRequest, _ identity: BoundIdentity?, _ context: RequestContext, _ record: RequestRecord?,
    _ watch: Watch?, _ read: Read<Result>
  ) -> Signal<Response<Result>, NetworkError> {
    do throws(NetworkError) {
      if let fence, let identity {
        try fence.check(identity)
        // It may already be resolved for the next environment, before observers are notified.
        let isOther = resolved.environment != identity.snapshot.identity.environment
        if identity.needsEnvironment, isOther { throw identity.failure("environment") }
      }
      let status = reachability.status
      var request = try configuration.builder.build(resolved, for: context, json: configuration.json, at: status)
      if let identity { request = identity.bind(request) }
      let result = read(exchange(request, resolved, at: status, record, watch), request, resolved)
      return record?.watching(result, attempt: request) ?? result
    } catch {
      return .fail(error)
    }
  }

  /// Returns whether a change of environment fails a request: one to a service, and every request of a refresh.
  private func needsEnvironment(_ resolved: ResolvedRequest) -> Bool {
    configuration.builder.environments != nil && (resolved.service != nil || snapshot != nil)
  }

  /// Returns the error of a cancelled task with the app's own message: it is made where no request is known.
  func worded(_ error: NetworkError, for request: some RequestConvertible) -> NetworkError {
    var messages = configuration.messages
    if let request = try? request.asRequest() {
      if let service = try? configuration.builder.find(request).service { messages.merge(service.messages) }
      messages.merge(request.options.messages)
    }
    return messages[error.domain, error.code].map { error.saying($0) } ?? error
  }

  /// Removes the cookies of the current account.
  func clearCookies() {
    if let fence { fence.clearCookies() } else { configuration.cookies?.removeAll() }
  }

  /// Returns one exchange with the server as a single response.
  private func exchange(
    _ request: HTTPRequest, _ resolved: ResolvedRequest, at status: ReachabilityStatus, _ record: RequestRecord?,
    _ watch: Watch?
  ) -> Signal<Response<Data>, NetworkError> {
    let response = Exchange.gather(request, evidence, at: status, start(request, resolved, at: status, record, watch))
    guard let record else { return response }
    return response.on(value: { record.complete($0) })
  }

  /// Returns the closure that starts the exchange: offline gate, middleware, transport.
  private func start(
    _ request: HTTPRequest, _ resolved: ResolvedRequest, at status: ReachabilityStatus, _ record: RequestRecord?,
    _ watch: Watch?
  ) -> Exchange.Start {
    if let refusal = OfflineGate.refusal(of: request, at: status) {
      return { exchange in
        exchange.receive(.failed(refusal))
        return nil
      }
    }
    let middleware = configuration.middleware(for: resolved)
    // No signal in between if there is no stage in between.
    if middleware.isEmpty, watch == nil, record == nil {
      return { [self] exchange in carrier.start(request, isBuilt: true) { exchange.receive($0) } }
    }
    let recorded: any Transport = record.map { RecordingTransport(next: carrier, record: $0) } ?? carrier
    return { [configuration] exchange in
      // Weak: the upstream of an exchange must not retain it.
      let noting = NotingTransport(next: recorded) { [weak exchange] in exchange?.note($0) }
      var events = MiddlewareTransport(noting, middleware) { adapted, former throws(NetworkError) in
        try configuration.builder.check(adapted.url, movedFrom: former.url, resolved)
      }.send(request)
      if let watch { events = events.on(value: { watch($0, request) }) }
      return events.subscribe { exchange.receive($0) }
    }
  }
}

/// The source of a request's signal.
private final class RequestSource<Result: Sendable>: NamedSource {
  private let request: any RequestConvertible
  private let make: @Sendable () -> Signal<Response<Result>, NetworkError>

  init(_ request: any RequestConvertible, _ make: @escaping @Sendable () -> Signal<Response<Result>, NetworkError>) {
    self.request = request
    self.make = make
  }

  var name: String { request.signalName }

  func makeSignal() -> Signal<Response<Result>, NetworkError> { make() }
}

extension RequestConvertible {
  /// The method and redacted path, or the type if no request can be created.
  var signalName: String { (try? asRequest().description) ?? "\(Self.self)" }
}

/// A transport that reports the request adapted by middleware.
private struct NotingTransport: Transport {
  let next: any Transport
  let note: @Sendable (HTTPRequest) -> Void

  func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    note(request)
    return next.send(request)
  }
}
