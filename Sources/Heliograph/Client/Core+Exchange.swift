import Foundation
import Signals

extension Core {
  /// Returns one exchange as a single response, or as the pieces of one.
  func exchange(
    _ request: HTTPRequest, _ resolved: ResolvedRequest, at status: ReachabilityStatus, _ scope: AttemptScope
  ) -> Signal<Response<Data>, NetworkError> {
    let start = start(request, resolved, at: status, scope)
    let response = Exchange.gather(request, evidence, at: status, isStreamed: scope.isStreamed, start)
    return scope.record?.watching(exchange: response) ?? response
  }

  /// Returns the closure that starts the exchange: cache, offline gate, coalescing, middleware, transport.
  private func start(
    _ request: HTTPRequest, _ resolved: ResolvedRequest, at status: ReachabilityStatus, _ scope: AttemptScope
  ) -> Exchange.Start {
    let (record, watch) = (scope.record, scope.watch)
    let isCached = request.context.cache != nil
    if !isCached, let refusal = OfflineGate.refusal(of: request, at: status) {
      return { exchange, _ in exchange.receive(.failed(refusal)) }
    }
    let middleware = configuration.middleware(for: resolved)
    let isShared = resolved.request.options.isCoalesced && !scope.isStreamed
    let sharing = isShared ? sharingScope(of: request, resolved, scope) : nil
    // No signal in between if there is no stage in between.
    if !isCached, middleware.isEmpty, watch == nil, record == nil, sharing == nil {
      return { [self] exchange, handle in
        let receive = sharedExchanges.counting(request) { exchange.receive($0) }
        carrier.start(request, isBuilt: true, in: handle, under: exchange.pressure, receive)
      }
    }
    let recorded: any Transport = record.map { RecordingTransport(next: carrier, record: $0) } ?? carrier
    return { [configuration, sharedExchanges] exchange, handle in
      // Weak: the upstream of an exchange must not retain it.
      let noting = NotingTransport(next: recorded) { [weak exchange] in exchange?.note($0) }
      var transport: any Transport = MiddlewareTransport(noting, middleware) {
        adapted, former throws(NetworkError) in
        try configuration.builder.check(adapted.url, movedFrom: former.url, resolved)
      }
      if let sharing { transport = CoalescingTransport(transport, sharedExchanges, sharing) }
      if isCached {
        let gate = OfflineGate(transport, reachability: KnownReachability(status: status))
        transport = CachingTransport(gate, cache: configuration.cache, scheduler: configuration.processing)
      }
      var events = transport.send(request)
      // The size of a body is that of the request as sent, after all middleware.
      if let watch { events = events.on(value: { [weak exchange] in watch($0, exchange?.adapted ?? request) }) }
      let receive = sharedExchanges.counting(request) { exchange.receive($0) }
      events.subscribe(in: handle, under: exchange.pressure, receive)
    }
  }
}
