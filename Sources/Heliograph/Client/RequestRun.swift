import Foundation
import Signals

/// One subscription of a request: what belongs to it, and the way of its attempts.
///
/// Its parts: `RequestRun+Cache` has the steps of a cache policy, `RequestRun+Attempts` repeats attempts,
/// `RequestRun+Sending` builds and sends one and has its response read, and `RequestRun+Reporting` reports.
final class RequestRun<Result: Sendable>: Sendable {
  typealias Results = Signal<Response<Result>, NetworkError>
  /// A closure that turns the exchange of an attempt into its results.
  typealias Read = @Sendable (Signal<Response<Data>, NetworkError>, BuiltAttempt) -> Results

  let client: ClientScope
  /// The request as the caller gave it, and as it was when the run began.
  let source: any RequestConvertible
  let request: Request
  let resolved: ResolvedRequest
  let traits: RequestTraits
  let read: Read
  /// The identity that the request keeps until it terminates; `nil` in a client without identities.
  let identity: BoundIdentity?
  /// The record for monitors; `nil` without monitors.
  let record: RequestRecord?
  /// What the requests of all attempts have in common.
  let context: RequestContext
  let policy: CachePolicy
  let recoveries: [Recovery]
  let state = Guarded(RunState())

  var parts: ClientParts { client.parts }
  var deadline: Deadline? { context.deadline }

  /// Returns the results of a new run.
  static func results(
    of source: any RequestConvertible, in client: ClientScope, _ traits: RequestTraits, _ read: @escaping Read
  ) -> Results {
    let record = client.parts.makeRecord(traits)
    var request: Request?
    do throws(NetworkError) {
      let identity = client.identity ?? client.parts.fence?.bind()
      let described = try source.asRequest()
      request = described
      return try RequestRun(source, described, in: client, identity, record, traits, read).signal()
    } catch {
      return client.watched(client.worded(.fail(error), request, nil), request, record)
    }
  }

  private init(
    _ source: any RequestConvertible, _ request: Request, in client: ClientScope, _ identity: IdentitySnapshot?,
    _ record: RequestRecord?, _ traits: RequestTraits, _ read: @escaping Read
  ) throws(NetworkError) {
    let parts = client.parts
    self.client = client
    self.source = source
    self.request = request
    self.record = record
    self.traits = traits
    self.read = read
    if let literal = request.path.slashedAfter { parts.slashes.report(literal, to: parts.configuration.monitors) }
    resolved = try parts.configuration.builder.find(request)
    let needsEnvironment = client.needsEnvironment(resolved)
    self.identity = identity.map { BoundIdentity($0, needsEnvironment: needsEnvironment) }
    recoveries = client.isRefreshing || !request.options.allowsRecovery ? [] : parts.configuration.recoveries
    var context = RequestContext(
      id: record?.id ?? traits.id ?? .next(), deadline: parts.deadline(for: resolved),
      idempotencyKey: request.options.idempotencyKey?.makeText())
    context.isStreamed = traits.isStreamed
    context.binding = RequestBinding(identity: self.identity, jar: identity?.jar ?? parts.jar)
    self.context = context
    policy = try parts.cachePolicy(for: resolved, isStreamed: traits.isStreamed)
  }

  /// The whole way of the request, in the order of the diagram in `Docs/Architecture.md`.
  ///
  /// An attempt is built, sent through the chain of ``ClientParts``, gathered and read.
  func signal() -> Results {
    let results = steps { [self] step in
      isTriedOnce(step) ? attempt(step, resolved, 1) : recovered(retried(attempts(step)))
    }
    return watched(worded(limited(fenced(results))))
  }

  /// Returns the results until the identity changes, and then its failure.
  private func fenced(_ results: Results) -> Results {
    guard let fence = parts.fence, let identity else { return results }
    return fence.guarding(results, for: identity, needsEnvironment: identity.needsEnvironment)
  }

  /// Returns the results until the total timeout.
  private func limited(_ results: Results) -> Results { deadline?.limiting(results) ?? results }

  /// Returns the results with the app's user-facing messages for errors.
  private func worded(_ results: Results) -> Results { client.worded(results, request, resolved.service) }

  /// Returns the results, observed by the monitors.
  private func watched(_ results: Results) -> Results { client.watched(results, request, record) }
}

/// What changes in a run.
struct RunState: Sendable {
  /// The failed attempts, for the metrics of the result.
  var failed: [Metrics.Attempt] = []
  /// Whether an attempt has begun: each further one resolves the request again.
  var hasBegun = false
  /// The body of the stored response, with which that of the network is compared.
  var storedBody: Data?
}
