import Foundation
import Signals

/// What the signals of a client keep of it, one reference where the configuration is some twenty; and the order of the stages.
final class Core: Sendable {
  /// Watches what a transport reports of the exchange of a request.
  typealias Watch = @Sendable (TransportEvent, HTTPRequest) -> Void

  let configuration: NetworkClient.Configuration
  private let carrier: any Transport
  private let fence: Fence?

  init(_ configuration: NetworkClient.Configuration) {
    self.configuration = configuration
    carrier = configuration.makeCarrier()
    fence = Fence(configuration.builder.environments, configuration.account)
  }

  /// The way of every request whose answer is looked into.
  func interpret<Result: Sendable>(
    _ request: some RequestConvertible, watch: Watch? = nil,
    _ read: @escaping @Sendable (Response<Data>, ResponseReader) -> Signal<Response<Result>, NetworkError>
  ) -> Signal<Response<Result>, NetworkError> {
    begin(request, watch: watch) { [configuration] response, request, wish in
      let reader = configuration.reader(for: wish)
      return configuration.processed(response)
        .flatMap { $0.statusCode == 304 ? .empty : read($0, reader) }
        .mapError { configuration.report($0.blaming(request)) }
    }
  }

  /// Builds a request and exchanges it for a response, which stays within the world that it was built for.
  func begin<Result: Sendable>(
    _ request: some RequestConvertible, watch: Watch? = nil,
    _ stages:
      @escaping @Sendable (Signal<Response<Data>, NetworkError>, HTTPRequest, ServiceRequest)
      -> Signal<Result, NetworkError>
  ) -> Signal<Result, NetworkError> {
    .deferred { [self] in
      do throws(NetworkError) {
        let generation = fence?.generation
        let wish = try configuration.builder.find(try request.asRequest())
        let request = try configuration.builder.build(wish)
        let carrier = configuration.carrier(carrier, for: wish)
        let result = stages(configuration.exchange(request, over: carrier, watch), request, wish)
        guard let fence, let generation else { return result }
        let environment = wish.service == nil || configuration.builder.environments == nil ? nil : wish.environment
        return fence.guarding(result, request, since: generation, in: environment) { [configuration] in
          configuration.report($0)
        }
      } catch {
        return .fail(configuration.report(error))
      }
    }
  }
}
