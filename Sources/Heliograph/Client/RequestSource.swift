import Foundation
import Signals

/// The source of a request's signal, with its name for logs.
final class RequestSource<Result: Sendable>: NamedSource {
  private let request: any RequestConvertible
  private let make: @Sendable () -> Signal<Response<Result>, NetworkError>

  init(_ request: any RequestConvertible, _ make: @escaping @Sendable () -> Signal<Response<Result>, NetworkError>) {
    self.request = request
    self.make = make
  }

  var name: String { request.signalName }

  func makeSignal() -> Signal<Response<Result>, NetworkError> { make() }
}

/// What the caller of a request expects of it, besides its result.
struct RequestTraits: Sendable {
  /// A closure that observes the transport events of an exchange.
  typealias Watch = @Sendable (TransportEvent, HTTPRequest) -> Void

  /// The identifier of the request; `nil` for a new one with each subscription.
  var id: RequestID?
  /// Whether one response is expected, so that a cached one does not precede that of the network.
  var expectsOneValue = false
  /// Whether successful bodies are delivered in pieces.
  var isStreamed = false
  var watch: Watch?
}

/// The request of one attempt, for the reader of its response.
struct BuiltAttempt: Sendable {
  let request: HTTPRequest
  let resolved: ResolvedRequest
  let client: ClientParts
  /// The decision whether the response is stored; `nil` without a cache.
  let decision: StoreDecision?

  /// The reader that validates and decodes the response.
  var reader: ResponseReader {
    var reader = client.reader(for: resolved, request)
    reader.decision = decision
    return reader
  }
}

extension RequestConvertible {
  /// The method and redacted path, or the type if no request can be created.
  var signalName: String { (try? asRequest().description) ?? "\(Self.self)" }
}
