import Foundation
import Signals

/// The driver of a ``CachePlan``: carries out its actions for one request.
///
/// Events are serial: those of the lookup, then those of the exchange that it started, or of reading a file. Once the
/// scope is disposed, nothing is delivered or stored.
final class CacheExchange: Sendable {
  private struct ServerExchange: Sendable {
    let number: Int
    let log: SendLog
    /// The number of invalidations, and the time, at the start of the exchange.
    let start: (invalidations: Int, at: Date)
  }

  private let transport: CachingTransport
  private let key: CacheKey
  private let request: HTTPRequest
  /// Receives the events; its scope cancels the exchange with the server.
  private let context: ExchangeContext
  private let plan: Guarded<CachePlan>

  private var cache: ResponseCache { transport.cache }
  /// The attempt to which the request belongs; `nil` outside of a client.
  private var attempt: AttemptContext? { context.attempt }
  private var isDisposed: Bool { context.scope.isDisposed }

  init(_ transport: CachingTransport, _ request: HTTPRequest, _ key: CacheKey, _ context: ExchangeContext) {
    self.transport = transport
    self.request = request
    self.key = key
    self.context = context
    plan = Guarded(CachePlan(request))
  }

  func begin() {
    let lookup = cache.find(key, request, readsDisk: false)
    guard case .onDisk = lookup else { return handle(lookup, at: .start) }
    schedule { [self] in handle(cache.find(key, request, readsDisk: true), at: .scheduler) }
  }

  /// Runs work on the scheduler of files, unless the exchange is disposed meanwhile.
  private func schedule(_ work: @escaping @Sendable () -> Void) {
    transport.scheduler.schedule { [self] in if !isDisposed { work() } }
  }

  // MARK: Inputs

  private func handle(_ lookup: CacheLookup, at thread: DeliveryThread) {
    let input: CachePlan.Input =
      switch lookup {
      case .found(let found): .found(found, credentials: request.credentialsDigest(), at: cache.now())
      case .missing(let reason): .missing(reason)
      case .onDisk: .missing(.absent)
      }
    let action = plan.withLock { $0.react(to: input) }
    // A response on disk was looked up on the scheduler, so its file may be read on this thread.
    if case .serve(let delivery) = action { serve(delivery, at: thread) } else { perform(action) }
  }

  private func handle(_ event: Event<TransportEvent, NetworkError>, of exchange: ServerExchange) {
    if isDisposed { return }
    let input: CachePlan.Input
    switch event {
    case .value(.head(let head)): return handle(head, of: exchange)
    case .value(.body(let piece)): input = .body(byteCount: piece.count)
    case .value(.metrics(let metrics)): input = .metrics(metrics)
    case .value(.source), .value(.sent), .value(.received): input = .progress
    case .failed(let error):
      input = .failed(error, at: cache.now(), isOutdated: isOutdated(since: exchange.start.invalidations))
    case .completed: input = .completed
    }
    switch plan.withLock({ $0.react(to: input, of: exchange.number) }) {
    case .deliver(let recording):
      if let recording {
        if case .value(.body(let piece)) = event {
          recording.add(piece)
        } else {
          // A complete response is stored or offered before its completion is delivered.
          recording.finish(for: attempt?.decision)
        }
      }
      context.receive(event)
    case let action: perform(action)
    }
  }

  private func handle(_ head: HTTPResponse, of exchange: ServerExchange) {
    transport.invalidation(by: request)?(head)
    let (log, content) = (exchange.log, exchange.log.content)
    let receipt = CachePlan.Receipt(
      start: content.start ?? exchange.start, redirects: content.redirects, sent: content.sent,
      isOfMiddleware: attempt != nil && !log.hasResponse, hasOtherCookies: content.hasOtherCookies,
      isAuthenticated: head.isAuthenticated || content.redirects.contains(where: \.isAuthenticated),
      receivedAt: cache.now(),
      isOutdated: CachedHead.isServerError(head.statusCode) && isOutdated(since: exchange.start.invalidations))
    switch plan.withLock({ $0.react(to: .head(head, receipt), of: exchange.number) }) {
    case .begin(let head, let beginning, let storage):
      store(storage, beginning, receipt, log)
      context.receive(.value(.head(head)))
      if let beginning { context.receive(.value(.body(beginning))) }
    case let action: perform(action)
    }
  }

  /// Whether the found response was invalidated or removed after the number of invalidations was `count`.
  private func isOutdated(since count: Int) -> Bool {
    guard let found = plan.withLock({ $0.found }) else { return false }
    // Invalidations of others may count as well.
    let isPerhapsRemoved = cache.isInvalidated(key, since: count)
    return isPerhapsRemoved && !cache.finds(found, key, request) || cache.isOutdated(found, of: key, for: request)
  }

  // MARK: Actions

  private func perform(_ action: CachePlan.Action) {
    switch action {
    case .ignore, .deliver, .begin: break
    case .serve(let delivery):
      context.scope.clear()
      // Reading a file, or writing a new head to it, must not block the transport's other exchanges.
      if delivery.usesFiles(of: cache) {
        schedule { [self] in serve(delivery, at: .scheduler) }
      } else {
        serve(delivery, at: .transport)
      }
    case .update(let found, let received, let receipt):
      let finish: @Sendable () -> Void = { [self] in
        _ = update(found, by: received, receipt)
        context.receive(.completed)
      }
      if cache.disk == nil { finish() } else { schedule(finish) }
    case .send(let fields, let reason, let number):
      if let reason { report(reason) }
      send(fields, number)
    case .refuse(let reason):
      report(reason)
      context.receive(.value(.source(.cache(age: .zero))))
      context.receive(.value(.head(HTTPResponse(statusCode: 504, url: request.url))))
      context.receive(.completed)
    case .fail(let reason):
      report(reason)
      let error = NetworkError(.notCached, reason: "no cached response: \(reason)", request: request)
      context.receive(.failed(error))
    case .failIncomplete:
      // Otherwise each request would fail so.
      if let found = plan.withLock({ $0.found }) {
        cache.remove(found.name, unlessNewerThan: found.response.head.requestedAt)
      }
      let reason = "the rest of the stored response is incomplete"
      context.receive(.failed(NetworkError(.connectionLost, reason: reason, request: request)))
    }
  }

  private func report(_ reason: CacheMissReason) {
    cache.counters.update { $0.countMiss(reason) }
    observe(.miss(reason))
  }

  private func observe(_ event: CacheEvent) { attempt?.recorder?.recordCache(event, of: request) }

  private func send(_ fields: HTTPHeaders?, _ number: Int) {
    let scope = Disposable()
    // Cancels the previous exchange.
    context.scope.clear()
    context.scope.hold(scope)
    var outgoing = request
    if number > 1, let attempt {
      do throws(NetworkError) {
        outgoing = try attempt.resigned(request)
      } catch {
        return context.receive(.failed(error))
      }
      let isOther =
        CacheKey(outgoing, method: request.cachePolicy.isHTTP ? .get : nil) != key
        || outgoing.credentialsDigest() != request.credentialsDigest()
      // The response is stored for the request as sent, but not under another one's key.
      plan.withLock { [outgoing] in
        $0.request = outgoing
        if isOther { $0.isOtherRequest = true }
      }
    }
    outgoing.cachePolicy = .none
    let log = SendLog(onRedirect: transport.invalidation(by: request))
    if let fields { outgoing.headers.merge(fields) }
    let exchange = ServerExchange(number: number, log: log, start: (cache.invalidationCount, cache.now()))
    log.start = exchange.start
    transport.next.start(
      outgoing,
      in: ExchangeContext(attempt: attempt, log: log, scope: scope, pressure: context.pressure) { [self] in
        handle($0, of: exchange)
      })
  }

  // MARK: Storing

  private func store(_ storage: CachePlan.Storage, _ beginning: Data?, _ receipt: CachePlan.Receipt, _ log: SendLog) {
    switch storage {
    case .drop(let problem, let name):
      if let problem, attempt?.recorder != nil, cache.claimWarning("\(key.name.api) \(problem)") {
        observe(.notStored(problem))
      }
      if let name { cache.remove(name, unlessNewerThan: receipt.start.at) }
    case .update(let found, let received): plan.withLock { $0.pending = (found, received, receipt) }
    case .record(var draft):
      let sent = receipt.sent?.headers
      let location = cache.location(of: key, for: request, draft.response.head.headers, sent: sent)
      draft.response.key = location.key.text
      draft.response.credentials = request.credentialsDigest(sent: sent)
      let recording = Recording(draft, at: location, in: cache, log.storage, of: request, attempt?.recorder)
      if let beginning { recording.add(beginning) }
      plan.withLock { $0.recording = recording }
    }
  }

  /// Updates a stored response by a newer head and returns it (RFC 9111 §3.2).
  private func update(_ found: FoundResponse, by received: CachedHead, _ receipt: CachePlan.Receipt) -> FoundResponse {
    var response = found.response
    response.head = response.head.updated(by: received)
    // The fields of a response to other credentials are delivered to their owner only.
    let isOthers = plan.withLock { $0.senderRefusal(receipt) } != nil
    // An invalidation since the start outdates the stored response, even if the server has confirmed it.
    let stored = cache.writing(found.name, of: key, since: receipt.start.invalidations) { () -> FoundResponse? in
      let location = cache.location(of: key, for: request, response.head.headers, sent: receipt.sent?.headers)
      let hasSameKey = VaryFields(response: response.head.headers) != nil && location.key.text == response.key
      let isStorable = hasSameKey && !received.cacheControl.forbidsStorage
      if isStorable || !request.cachePolicy.isHTTP {
        if isOthers { return nil }
        response.isHTTP = response.isHTTP && isStorable
        return cache.update(found, with: response)
      }
      cache.remove(found.name, unlessNewerThan: receipt.start.at)
      return nil
    }
    return (stored ?? nil) ?? FoundResponse(name: found.name, response: response, body: found.body)
  }

  // MARK: Serving

  /// Delivers a stored response, on `thread`.
  private func serve(_ delivery: CachePlan.Delivery, at thread: DeliveryThread) {
    var found = delivery.found
    if let (head, receipt) = delivery.confirmation {
      cache.counters.update { $0.revalidationCount += 1 }
      observe(.revalidated)
      found = update(found, by: head, receipt)
    }
    if delivery.needsRefresh { refresh(found.name) }
    let (head, bytes) = found.reply(to: request, from: delivery.source)
    // The first piece is read before the head is sent: until then the response may be a miss.
    let first = bytes.isEmpty || !found.body.isIntact ? nil : found.body.piece(of: bytes)
    if !bytes.isEmpty, first == nil {
      return perform(plan.withLock { $0.react(to: .missing(.corrupt)) })
    }
    if case .cache(let age) = delivery.source {
      cache.counters.update { $0.hitCount += 1 }
      observe(.hit(age: age))
    }
    // A cache-only request removes nothing: a reader of another type may accept the response.
    let isCacheOnly = request.cachePolicy.mode == .onlyIfCached
    attempt?.decision?.offer(
      isCacheOnly ? nil : CacheHitCandidate(cache: cache, found: found), isStored: !isCacheOnly, at: thread)
    context.receive(.value(.source(delivery.source)))
    context.receive(.value(.head(head)))
    deliver(found.body, bytes, delivery.metrics, first)
  }

  /// Delivers a body, and pauses while the consumer is above the high-water mark.
  private func deliver(_ body: StoredBody, _ bytes: Range<Int>, _ metrics: Metrics?, _ first: Data? = nil) {
    var (bytes, first) = (bytes, first)
    while !isDisposed {
      if bytes.isEmpty {
        if let metrics { context.receive(.value(.metrics(metrics))) }
        return context.receive(.completed)
      }
      guard let piece = first.take() ?? body.piece(of: bytes) else {
        let error = NetworkError(.connectionLost, reason: "cannot read the stored body", request: request)
        return context.receive(.failed(error))
      }
      context.receive(.value(.body(piece)))
      bytes = bytes.lowerBound + piece.count..<bytes.upperBound
      if let pressure = context.pressure, pressure.isHigh {
        let rest = bytes
        return pressure.whenLow { [self] in schedule { self.deliver(body, rest, metrics) } }
      }
    }
  }

  /// Starts a request that replaces the stored response, unless one is in flight.
  private func refresh(_ name: EntryName) {
    // The client reads the response, so that nothing invalid is stored.
    if let run = attempt?.run { cache.refresh(name) { run.refreshStored($0) } }
  }
}
