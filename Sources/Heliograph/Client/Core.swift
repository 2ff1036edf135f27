import Foundation
import Signals

/// What the signals of a client keep of it, one reference where the configuration is some twenty; and the order of the stages.
final class Core: Sendable {
  /// Watches what a transport reports of the exchange of a request.
  typealias Watch = @Sendable (TransportEvent, HTTPRequest) -> Void

  /// Makes what comes of a response into what is delivered.
  typealias Read<Result: Sendable> =
    @Sendable (Signal<Response<Data>, NetworkError>, HTTPRequest, ServiceRequest) ->
    Signal<Response<Result>, NetworkError>

  let configuration: NetworkClient.Configuration
  private let carrier: RedirectingTransport
  private let reachability: any Reachability
  private let witness: Witness
  private let fence: Fence?

  init(_ configuration: NetworkClient.Configuration) {
    self.configuration = configuration
    reachability = configuration.chosenReachability
    carrier = configuration.makeCarrier()
    witness = Witness(reachability, configuration.clock)
    fence = Fence(configuration.builder.environments, configuration.account)
  }

  /// The way of every request whose answer is looked into.
  func interpret<Result: Sendable>(
    _ request: any RequestConvertible, watch: Watch? = nil,
    _ read: @escaping @Sendable (Response<Data>, ResponseReader, Observer<Response<Result>, NetworkError>) -> Void
  ) -> Signal<Response<Result>, NetworkError> {
    begin(request, watch: watch) { [configuration] response, request, wish in
      let reader = configuration.reader(for: wish, request)
      return response.reading(on: configuration.processing) { response, observer in
        if response.statusCode == 304 { observer.complete() } else { read(response, reader, observer) }
      }
    }
  }

  /// The only loop: a request that fails is built and sent again, as its rules say; whatever it ends with is reported.
  func begin<Result: Sendable>(
    _ request: any RequestConvertible, watch: Watch? = nil, _ read: @escaping Read<Result>
  ) -> Signal<Response<Result>, NetworkError> {
    .deferred { [self] in
      let record = configuration.makeRecord()
      var described: Request?
      do throws(NetworkError) {
        let generation = fence?.generation
        let wanted = try request.asRequest()
        described = wanted
        let wish = try configuration.builder.find(wanted)
        let context = RequestContext(
          id: record?.id ?? .next(), deadline: configuration.deadline(for: wish),
          idempotencyKey: wanted.options.idempotencyKey?.makeText())
        let (retry, recoveries) = (configuration.retry(for: wish), configuration.recoveries(for: wish))
        let isOnce = retry.limit <= 0 && recoveries.isEmpty
        let ended =
          isOnce
          ? attempt(wish, wish.environment, generation, context, record, watch, read)
          : tries(request, wish, retry, recoveries, context) { [self] in
            attempt($0, wish.environment, generation, $1, record, watch, read)
          }
        return reported(context.deadline?.limiting(ended) ?? ended, wanted, record)
      } catch {
        return reported(.fail(error), described, record)
      }
    }
  }

  /// The signal of a request with errors in the app's own words, of which monitors are told.
  private func reported<Result>(
    _ signal: Signal<Response<Result>, NetworkError>, _ request: Request?, _ record: RequestRecord?
  ) -> Signal<Response<Result>, NetworkError> {
    let worded = configuration.worded(signal, request?.options.presentation)
    return record?.watching(worded, request) ?? worded
  }

  /// One try after another, each of which looks anew at what is wanted: a token may be another by then.
  private func tries<Result: Sendable>(
    _ request: any RequestConvertible, _ wish: ServiceRequest, _ retry: Retry, _ recoveries: [Recovery],
    _ context: RequestContext,
    _ attempt: @escaping @Sendable (ServiceRequest, RequestContext) -> Signal<Response<Result>, NetworkError>
  ) -> Signal<Response<Result>, NetworkError> {
    let log = TryLog()
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
      // A recovery, unless it is retried.
      context.deadline?.activity = .refresh
      return log.added(error)
    }
    var all = noted.retrying(
      retry, budget: configuration.retryBudget, until: context.deadline, on: configuration.clock)
    for recovery in recoveries { all = recovery.recovering(all, for: wish.request.service) }
    return all.map { log.noted(on: $0) }
  }

  /// Builds a request and exchanges it for a response, which stays within the world that it was wanted in.
  private func attempt<Result: Sendable>(
    _ wish: ServiceRequest, _ environment: EnvironmentStore.State, _ generation: Int?, _ context: RequestContext,
    _ record: RequestRecord?, _ watch: Watch?, _ read: Read<Result>
  ) -> Signal<Response<Result>, NetworkError> {
    do throws(NetworkError) {
      let request = try configuration.builder.build(wish, for: context)
      var result = read(exchange(request, wish, record, watch), request, wish)
      if let record { result = record.watching(result, attempt: request) }
      guard let fence, let generation else { return result }
      let isInEnvironment = wish.service != nil && configuration.builder.environments != nil
      return fence.guarding(result, request, since: generation, in: isInEnvironment ? environment : nil)
    } catch {
      return .fail(error)
    }
  }

  /// One exchange over the wire and back, as one response.
  private func exchange(
    _ request: HTTPRequest, _ wish: ServiceRequest, _ record: RequestRecord?, _ watch: Watch?
  ) -> Signal<Response<Data>, NetworkError> {
    let status = reachability.status
    let response = Exchange.gather(request, witness, at: status, start(request, wish, at: status, record, watch))
    guard let record else { return response }
    return response.on(value: { record.complete($0) })
  }

  /// What starts the exchange: gate, middleware, carrier.
  private func start(
    _ request: HTTPRequest, _ wish: ServiceRequest, at status: ReachabilityStatus, _ record: RequestRecord?,
    _ watch: Watch?
  ) -> Exchange.Start {
    if let refusal = OfflineGate.refusal(of: request, at: status) {
      return { receive in
        receive(.failed(refusal))
        return nil
      }
    }
    let middleware = configuration.middleware(for: wish)
    // Without a signal in between, where nothing is in between.
    if middleware.isEmpty, watch == nil, record == nil { return { [carrier] in carrier.start(request, $0) } }
    let next: any Transport = record.map { RecordingTransport(next: carrier, record: $0) } ?? carrier
    let events = MiddlewareTransport(next, middleware) { [configuration] adapted, former throws(NetworkError) in
      try configuration.builder.check(adapted.url, movedFrom: former.url, wish)
    }.send(request)
    guard let watch else { return { events.subscribe($0) } }
    return { events.on(value: { watch($0, request) }).subscribe($0) }
  }
}
