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
        if response.statusCode != 304 { return read(response, reader, observer) }
        if response.isUnasked { observer.fail(reader.unaskedFailure(response)) } else { observer.complete() }
      }
    }
  }

  /// The signal of a request, under the request's name.
  func begin<Result: Sendable>(
    _ request: any RequestConvertible, watch: Watch? = nil, _ read: @escaping Read<Result>
  ) -> Signal<Response<Result>, NetworkError> {
    Signal(RequestSource(core: self, request: request, watch: watch, read: read))
  }

  /// The only loop: a request that fails is built and sent again, as its rules say; whatever it ends with is reported.
  fileprivate func loop<Result: Sendable>(
    _ request: any RequestConvertible, _ watch: Watch?, _ read: @escaping Read<Result>
  ) -> Signal<Response<Result>, NetworkError> {
    var presentation: PresentationStyle?
    do throws(NetworkError) {
      let generation = fence?.generation
      let wanted = try request.asRequest()
      presentation = wanted.options.presentation
      let wish = try configuration.builder.find(wanted)
      let (retry, recoveries) = (configuration.retry(for: wish), configuration.recoveries(for: wish))
      let isOnce = retry.limit <= 0 && recoveries.isEmpty
      let ended =
        isOnce
        ? attempt(wish, wish.environment, generation, watch, read)
        : tries(request, wish, retry, recoveries) { [self] in
          attempt($0, wish.environment, generation, watch, read)
        }
      if !configuration.cares(about: presentation) { return ended }
      return ended.mapError { [configuration, presentation] in configuration.report($0, presentation) }
    } catch {
      return .fail(configuration.report(error, presentation))
    }
  }

  /// One try after another, each of which looks anew at what is wanted: a token may be another by then.
  private func tries<Result: Sendable>(
    _ request: any RequestConvertible, _ wish: ServiceRequest, _ retry: Retry, _ recoveries: [Recovery],
    _ attempt: @escaping @Sendable (ServiceRequest) -> Signal<Response<Result>, NetworkError>
  ) -> Signal<Response<Result>, NetworkError> {
    let log = TryLog()
    let one = Signal<Response<Result>, NetworkError>.deferred { [configuration] in
      do throws(NetworkError) {
        return attempt(try configuration.builder.find(try request.asRequest()))
      } catch {
        return .fail(error)
      }
    }
    let noted = one.mapError { log.added($0) }
    var all = noted.retrying(retry, budget: configuration.retryBudget, on: configuration.clock)
    for recovery in recoveries { all = recovery.recovering(all, for: wish.request.service) }
    return all.map { log.noted(on: $0) }
  }

  /// Builds a request and exchanges it for a response, which stays within the world that it was wanted in.
  private func attempt<Result: Sendable>(
    _ wish: ServiceRequest, _ environment: EnvironmentStore.State, _ generation: Int?, _ watch: Watch?,
    _ read: Read<Result>
  ) -> Signal<Response<Result>, NetworkError> {
    do throws(NetworkError) {
      let status = reachability.status
      let request = try configuration.builder.build(wish, at: status)
      let result = read(exchange(request, wish, at: status, watch), request, wish)
      guard let fence, let generation else { return result }
      let isInEnvironment = wish.service != nil && configuration.builder.environments != nil
      return fence.guarding(result, request, since: generation, in: isInEnvironment ? environment : nil)
    } catch {
      return .fail(error)
    }
  }

  /// One exchange over the wire and back, as one response.
  private func exchange(
    _ request: HTTPRequest, _ wish: ServiceRequest, at status: ReachabilityStatus, _ watch: Watch?
  ) -> Signal<Response<Data>, NetworkError> {
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
      return { exchange in
        exchange.receive(.failed(refusal))
        return nil
      }
    }
    let middleware = configuration.middleware(for: wish)
    // Without a signal in between, where nothing is in between.
    if middleware.isEmpty, watch == nil {
      return { [carrier] exchange in carrier.start(request) { exchange.receive($0) } }
    }
    return { [carrier] exchange in
      let noting = NotingTransport(next: carrier) { exchange.note($0) }
      var events = MiddlewareTransport(noting, middleware).send(request)
      if let watch { events = events.on(value: { watch($0, request) }) }
      return events.subscribe { exchange.receive($0) }
    }
  }
}

/// The source of a request's signal.
private final class RequestSource<Result: Sendable>: NamedSource {
  let core: Core
  let request: any RequestConvertible
  let watch: Core.Watch?
  let read: Core.Read<Result>

  init(core: Core, request: any RequestConvertible, watch: Core.Watch?, read: @escaping Core.Read<Result>) {
    self.core = core
    self.request = request
    self.watch = watch
    self.read = read
  }

  var name: String { request.signalName }

  func makeSignal() -> Signal<Response<Result>, NetworkError> { core.loop(request, watch, read) }
}

extension RequestConvertible {
  /// Method and redacted path, or the type where it cannot be made into a request.
  var signalName: String { (try? asRequest().description) ?? "\(Self.self)" }
}

/// Tells which request middleware has made of another.
private struct NotingTransport: Transport {
  let next: RedirectingTransport
  let note: @Sendable (HTTPRequest) -> Void

  func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    note(request)
    return next.send(request)
  }
}
