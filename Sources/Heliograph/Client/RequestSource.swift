import Foundation
import Signals

/// The source of a request's signal: each subscription is a run of its own.
final class RequestSource<Result: Sendable>: NamedSource {
  /// A closure that turns the exchange of an attempt into its result.
  typealias Read =
    @Sendable (Signal<Response<Data>, NetworkError>, BuiltAttempt) -> Signal<Response<Result>, NetworkError>

  let client: ClientScope
  let request: any RequestConvertible
  let traits: RequestTraits
  let read: Read

  init(_ client: ClientScope, _ request: any RequestConvertible, _ traits: RequestTraits, _ read: @escaping Read) {
    self.client = client
    self.request = request
    self.traits = traits
    self.read = read
  }

  var name: String { request.signalName }

  func makeSignal() -> Signal<Response<Result>, NetworkError> {
    let parts = client.parts
    let record = parts.configuration.makeRecord(traits.id, isStreamed: traits.isStreamed)
    var wanted: Request?
    do throws(NetworkError) {
      let identity = client.identity ?? parts.fence?.bind()
      let described = try request.asRequest()
      wanted = described
      return try RequestRun(self, described, identity, record).signal()
    } catch {
      return client.watched(client.worded(.fail(error), wanted, nil), wanted, record)
    }
  }
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
    var reader = client.configuration.reader(for: resolved, request)
    reader.decision = decision
    return reader
  }
}

extension RequestConvertible {
  /// The method and redacted path, or the type if no request can be created.
  var signalName: String { (try? asRequest().description) ?? "\(Self.self)" }
}
