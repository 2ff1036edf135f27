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
      var presentation: PresentationStyle?
      do throws(NetworkError) {
        let generation = fence?.generation
        let wanted = try request.asRequest()
        presentation = wanted.options.presentation
        let wish = try configuration.builder.find(wanted)
        let context = RequestContext(
          deadline: configuration.deadline(for: wish), idempotencyKey: wanted.options.idempotencyKey?.makeText())
        let (retry, recoveries) = (configuration.retry(for: wish), configuration.recoveries(for: wish))
        let isOnce = retry.limit <= 0 && recoveries.isEmpty
        let ended =
          isOnce
          ? attempt(wish, wish.environment, generation, context, watch, read)
          : tries(request, wish, retry, recoveries, context) { [self] in
            attempt($0, wish.environment, generation, $1, watch, read)
          }
        let limited = context.deadline?.limiting(ended) ?? ended
        if !configuration.cares(about: presentation) { return limited }
        return limited.mapError { [configuration, presentation] in configuration.report($0, presentation) }
      } catch {
        return .fail(configuration.report(error, presentation))
      }
    }
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
    _ watch: Watch?, _ read: Read<Result>
  ) -> Signal<Response<Result>, NetworkError> {
    do throws(NetworkError) {
      let request = try configuration.builder.build(wish, for: context)
      let result = read(exchange(request, wish, watch), request, wish)
      guard let fence, let generation else { return result }
      let isInEnvironment = wish.service != nil && configuration.builder.environments != nil
      return fence.guarding(result, request, since: generation, in: isInEnvironment ? environment : nil)
    } catch {
      return .fail(error)
    }
  }

  /// One exchange over the wire and back, as one response.
  private func exchange(
    _ request: HTTPRequest, _ wish: ServiceRequest, _ watch: Watch?
  ) -> Signal<Response<Data>, NetworkError> {
    let status = reachability.status
    let response = Exchange.gather(request, witness, at: status, start(request, wish, at: status, watch))
    if configuration.monitors.isEmpty { return response }
    return response.on(
      start: { [configuration] in configuration.tell(.started(request)) },
      value: { [configuration] in
        configuration.tell(.responded(request, $0.head, bodyByteCount: $0.value.count))
      })
  }

  /// What starts the exchange: gate, middleware, carrier.
  private func start(
    _ request: HTTPRequest, _ wish: ServiceRequest, at status: ReachabilityStatus, _ watch: Watch?
  ) -> Exchange.Start {
    if let refusal = OfflineGate.refusal(of: request, at: status) {
      return { receive in
        receive(.failed(refusal))
        return nil
      }
    }
    let middleware = configuration.middleware(for: wish)
    // Without a signal in between, where nothing is in between.
    if middleware.isEmpty, watch == nil { return { [carrier] in carrier.start(request, $0) } }
    let events = MiddlewareTransport(carrier, middleware).send(request)
    guard let watch else { return { events.subscribe($0) } }
    return { events.on(value: { watch($0, request) }).subscribe($0) }
  }
}
