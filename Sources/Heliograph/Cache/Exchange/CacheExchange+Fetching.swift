import Foundation
import Signals

extension CacheExchange {
  /// Sends the request to the server.
  ///
  /// - Parameters:
  ///   - found: The stored response to validate, to complete or to fall back on; `nil` if there is none of use.
  ///   - reason: The reason why the stored response is not delivered.
  func fetch(_ found: FoundResponse?, _ reason: CacheMissReason) {
    // The network part of a policy looks nothing up.
    if policy.mode != .refresh && policy.mode != .revalidate { report(miss: reason) }
    var outgoing = request
    outgoing.cachePolicy = .none
    let log = SendLog(onRedirect: transport.invalidation(by: request))
    let goal = found.map { validationFields(for: $0) }
    if let fields = goal?.fields { outgoing.headers.merge(fields) }
    let (now, invalidations) = (cache.now(), cache.invalidationCount)
    log.start = (invalidations, now)
    let number = state.withLock { state in
      state.number += 1
      state.found = found
      state.goal = goal?.goal ?? .replace
      state.isShared = false
      // Of an exchange before this one.
      (state.confirmation, state.recorder, state.metrics) = (nil, nil, nil)
      state.log = log
      state.invalidations = invalidations
      state.sentAt = now
      return state.number
    }
    let exchange = ExchangeContext(attempt, log, scope, observer.pressure) { [self] in receive($0, number) }
    transport.next.start(outgoing, in: exchange)
  }

  /// Returns what the exchange is to achieve for a stored response, and the header fields for it (RFC 9111 §4.3.1).
  private func validationFields(for found: FoundResponse) -> (goal: State.Goal, fields: HTTPHeaders?) {
    let response = found.response
    if request.headers.isConditional || response.redirectCount > 0 { return (.replace, nil) }
    if let range = response.range {
      // The rest of a response whose beginning is stored (RFC 9111 §3.4).
      guard range.first == 0, request.method == .get, request.headers["Range"] == nil,
        let tag = response.head.headers["ETag"], EntityTag(tag)?.isWeak == false
      else { return (.replace, nil) }
      return (.complete, ["Range": "bytes=\(range.last + 1)-", "If-Range": tag])
    }
    if request.headers["Range"] != nil { return (.replace, nil) }
    let fields = response.head.conditionalFields
    return fields.isEmpty ? (.replace, nil) : (.validate, fields)
  }

  private func receive(_ event: Event<TransportEvent, NetworkError>, _ number: Int) {
    guard state.withLock({ $0.number == number }) else { return }
    switch event {
    case .value(.head(let head)):
      transport.invalidation(by: request)?(head)
      receive(head)
    case .value(.body(let piece)):
      let (isConfirmed, recorder) = state.withLock { ($0.confirmation != nil, $0.recorder) }
      if isConfirmed { return }
      recorder?.add(piece)
      observer.send(.body(piece))
    case .value(.metrics(let metrics)):
      let isConfirmed = state.withLock { state in
        state.metrics = metrics
        return state.confirmation != nil
      }
      if !isConfirmed { observer.send(.metrics(metrics)) }
    case .value(let event):
      if event == .source(.shared) { state.withLock { $0.isShared = true } }
      observer.send(event)
    case .failed(let error):
      let (found, hasDelivered) = state.withLock { ($0.found, $0.hasDelivered) }
      if !hasDelivered, let found, mayServeStale(found, after: error) {
        return reading(found) { [self] in serve(found, .cache(age: found.age(at: cache.now()))) }
      }
      observer.fail(error)
    case .completed: finish()
    }
  }

  private func receive(_ head: HTTPResponse) {
    // A shared exchange is as old as the request that began it.
    let start = state.withLock { $0.log }?.start
    let (found, goal) = state.withLock { state in
      if let start { (state.invalidations, state.sentAt) = start }
      return (state.found, state.goal)
    }
    if let found {
      if head.statusCode == 304, goal == .validate {
        // Redirects have led to another resource, whose validator says nothing of the stored response.
        let ignored = context?.ignoredParameters ?? []
        if head.url.cacheAddress(ignoring: ignored) != found.response.url.cacheAddress(ignoring: ignored) {
          return restart(.needsValidation)
        }
        if !found.response.head.isConfirmed(by: received(head)) { return restart(.needsValidation) }
        return state.withLock { $0.confirmation = head }
      }
      if CachedHead.isServerError(head.statusCode), mayServeStale(found, after: nil) {
        cancelFetch()
        return reading(found) { [self] in serve(found, .cache(age: found.age(at: cache.now()))) }
      }
      // In answer to a range, transports deliver a coded body as it is.
      if goal == .complete, head.statusCode != 200 || received(head).isCoded {
        if complete(found, with: head) { return }
        return restart(.expired)
      }
    }
    let (isShared, log) = state.withLock { state in
      state.hasDelivered = true
      return (state.isShared, state.log)
    }
    // Without a cache of its own, the request that began it does not tell.
    if !isShared || log?.start != nil { record(head, isShared: isShared) }
    observer.send(.head(head))
  }

  /// Sends the request once more, without a condition.
  private func restart(_ reason: CacheMissReason) {
    cancelFetch()
    fetch(nil, reason)
  }

  private func cancelFetch() {
    state.withLock { $0.number += 1 }
    scope.clear()
  }

  /// Ends the exchange: the response is stored, or handed to its reader, before its end is delivered.
  private func finish() {
    let (found, confirmation, recorder) = state.withLock { ($0.found, $0.confirmation, $0.recorder.take()) }
    if let found, let confirmation {
      return reading(found) { [self] in serve(confirm(found, confirmation), .revalidated) }
    }
    if let candidate = recorder?.finish() {
      if let decision = attempt?.decision {
        decision.offer(candidate, isStored: false)
      } else {
        candidate.commit()
      }
    }
    observer.complete()
  }

  /// Updates the stored response with the fields of a 304 (RFC 9111 §4.3.4).
  private func confirm(_ found: FoundResponse, _ head: HTTPResponse) -> FoundResponse {
    cache.counters.change { $0.revalidationCount += 1 }
    observe(.revalidated)
    var response = found.response
    response.head = response.head.updated(by: received(head))
    // A change since then has made the stored response invalid, whatever the server said before.
    let invalidations = state.withLock { $0.invalidations }
    if cache.isInvalidated(key, since: invalidations) {
      return FoundResponse(name: found.name, response: response, body: found.body)
    }
    if isDisplaced(response, by: head.headers) {
      cache.remove(found.name)
      return FoundResponse(name: found.name, response: response, body: found.body)
    }
    let updated = cache.writing(found.name, of: key, since: invalidations) { cache.update(found, with: response) }
    return updated ?? FoundResponse(name: found.name, response: response, body: found.body)
  }

  /// Returns a head with the times of this exchange.
  func received(_ head: HTTPResponse) -> CachedHead {
    let now = cache.now()
    return CachedHead(
      statusCode: head.statusCode, headers: head.headers, requestedAt: state.withLock { $0.sentAt } ?? now,
      receivedAt: now)
  }
}
