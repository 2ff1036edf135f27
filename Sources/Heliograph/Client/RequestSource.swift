public import Foundation
public import Signals

/// The source of a request's signal: each subscription is a run.
@usableFromInline
final class RequestSource: NamedSource {
  typealias Read = @Sendable (BuiltAttempt) -> RequestRun.Results

  let client: ClientScope
  @usableFromInline let request: any RequestConvertible
  let traits: RequestTraits
  let read: Read

  /// Creates the source of a request; `read` turns an attempt's exchange into its result.
  init(
    _ client: ClientScope, _ request: any RequestConvertible, _ traits: RequestTraits = RequestTraits(),
    _ read: @escaping Read
  ) {
    self.client = client
    self.request = request
    self.traits = traits
    self.read = read
  }

  @usableFromInline var name: String { request.signalName }

  var signal: RequestRun.Results { Signal(self) }

  /// Returns the results, typed by the values that their reader decodes.
  @inlinable
  func results<Result: Sendable>(as type: Result.Type) -> Signal<Response<Result>, NetworkError> {
    // The closure is specialized in the caller's module: in a generic function it would look up the metadata of twenty
    // types for each request.
    Signal(DerivedSource(request) { [self] in makeSignal().compactMap { $0.typed(as: Result.self) } })
  }

  @usableFromInline
  func makeSignal() -> Signal<Response<Data>, NetworkError> {
    let parts = client.parts
    let record = parts.monitors.map {
      RequestRecord(
        traits.id ?? .next(), $0, parts.configuration.scheduler, isStreamed: traits.isStreamed,
        isOfRefresh: client.isRefreshing)
    }
    var described: Request?
    do throws(NetworkError) {
      let identity = client.identity ?? parts.fence?.takeSnapshot()
      let request = try makeRequest()
      described = request
      if record != nil, let literal = request.path.literalBeforeSlash {
        parts.reportSlash(after: literal)
      }
      let resolved = try parts.configuration.builder.resolve(request, in: identity?.identity.environment)
      return RequestRun(self, resolved, identity, record).signal()
    } catch {
      return client.reported(.fail(error), described, nil, record)
    }
  }

  /// Returns the request of the next attempt.
  func makeRequest() throws(NetworkError) -> Request {
    var next = try request.asRequest()
    traits.adjust?(&next)
    return next
  }
}

/// The source of a signal that is derived from a request and has its name.
@usableFromInline
final class DerivedSource<Value: Sendable>: NamedSource {
  private let request: any RequestConvertible
  private let make: @Sendable () -> Signal<Value, NetworkError>

  @usableFromInline
  init(_ request: any RequestConvertible, _ make: @escaping @Sendable () -> Signal<Value, NetworkError>) {
    self.request = request
    self.make = make
  }

  @usableFromInline var name: String { request.signalName }

  @usableFromInline
  func makeSignal() -> Signal<Value, NetworkError> { make() }
}

extension Signal where Failure == NetworkError {
  func named(after request: any RequestConvertible) -> Signal { Signal(DerivedSource(request) { self }) }
}

/// The caller's expectations of a request, besides its result.
struct RequestTraits: Sendable {
  typealias Watch = @Sendable (TransportEvent, HTTPRequest) -> Void

  /// The identifier of the request; `nil` for a new one per subscription.
  var id: RequestID?
  /// Whether one response is expected, so that no preliminary cached one is delivered.
  var expectsOneValue = false
  /// Whether successful bodies are delivered in pieces.
  var isStreamed = false
  var watch: Watch?
  /// Changes the request of each attempt, such as to the remaining range of a file.
  var adjust: (@Sendable (inout Request) -> Void)?
}

struct BuiltAttempt: Sendable {
  let request: HTTPRequest
  let resolved: ResolvedRequest
  let client: ClientParts
  let context: AttemptContext

  /// The reader that validates and decodes the response, with the stages of the request, its service and the client.
  var reader: ResponseReader {
    var reader: ResponseReader
    // Neither the request nor its service has stages or a JSON coder of its own.
    if resolved.request.options.explicitStages == nil && resolved.request.options.json == nil
      && resolved.ofService({ $0.stages.isEmpty && $0.json == nil }) ?? true
    {
      reader = ResponseReader(client.stages, request: request)
    } else {
      var stages = client.configuration.stages
      if let ofService = resolved.ofService({ $0.stages }) { stages = stages.replaced(by: ofService) }
      if let own = resolved.request.options.explicitStages { stages = stages.replaced(by: own.value) }
      let json = resolved.request.options.json ?? resolved.ofService { $0.json } ?? client.configuration.json
      reader = ResponseReader(stages: stages, request: request, json: json)
    }
    reader.decision = context.decision
    return reader
  }

  /// The response as received, or the pieces of a streamed one, which is never stored.
  var response: RequestRun.Results {
    let results = Exchange.results(of: request, context, over: client.chain, client.evidence, nil)
    if context.decision == nil { return results }
    var reader = reader
    // Without an envelope there is nothing to judge, and a hit of the cache needs no further stage.
    if reader.wrapper == nil { return results }
    reader.deliversBody = true
    // Not `on`, which delivers a last value and its completion as two events.
    return results.map { [reader] response in
      reader.withholdFailure(response)
      return response
    }
  }
}

extension RequestConvertible {
  /// The method and redacted path, or the type if no request can be created.
  var signalName: String { (try? asRequest().description) ?? "\(Self.self)" }
}
