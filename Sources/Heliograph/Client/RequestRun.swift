import Foundation
import Signals

/// One subscription of a request: its state, and the path of its attempts.
///
/// `RequestRun+Cache` has the steps of a cache policy, `RequestRun+Attempts` repeats attempts, `RequestRun+Sending`
/// builds and sends one and has its response read, and `RequestRun+Reporting` reports. The value that a reader
/// decodes is a ``ReadValue`` in the response.
final class RequestRun: Sendable {
  typealias Results = Signal<Response<Data>, NetworkError>

  let source: RequestSource
  /// The request as it was when the run began.
  let resolved: ResolvedRequest
  /// The identity of the request until it terminates; `nil` in a client without identities.
  let identity: BoundIdentity?
  /// The record for monitors; `nil` without monitors.
  let record: RequestRecord?
  /// The context shared by the requests of all attempts.
  let context: RequestContext
  let policy: CachePolicy
  let recoveries: [Recovery]
  let state = Guarded(RunState())

  var client: ClientScope { source.client }
  var parts: ClientParts { source.client.parts }
  var request: Request { resolved.request }
  var deadline: Deadline? { context.deadline }

  /// Returns the results of a new run.
  static func results(of source: RequestSource) -> Results {
    let parts = source.client.parts
    let record = parts.makeRecord(source.traits)
    var described: Request?
    do throws(NetworkError) {
      let identity = source.client.identity ?? parts.fence?.bind()
      let request = try source.makeRequest()
      described = request
      return try RequestRun(source, request, identity, record).signal()
    } catch {
      return source.client.watched(source.client.worded(.fail(error), described, nil), described, record)
    }
  }

  private init(
    _ source: RequestSource, _ request: Request, _ identity: IdentitySnapshot?, _ record: RequestRecord?
  ) throws(NetworkError) {
    let parts = source.client.parts
    self.source = source
    self.record = record
    if let literal = request.path.slashedAfter { parts.slashes.report(literal, to: parts.configuration.monitors) }
    let resolved = try parts.find(request)
    self.resolved = resolved
    self.identity = identity.map { BoundIdentity($0, needsEnvironment: source.client.needsEnvironment(resolved)) }
    recoveries = source.client.isRefreshing || !request.options.allowsRecovery ? [] : parts.configuration.recoveries
    policy = try parts.cachePolicy(for: resolved, isStreamed: source.traits.isStreamed)
    record?.limitRetries(to: parts.retry(for: resolved).limit)
    var context = RequestContext(
      id: record?.id ?? source.traits.id ?? .next(), deadline: parts.deadline(for: resolved),
      idempotencyKey: request.options.idempotencyKey?.makeText())
    context.isStreamed = source.traits.isStreamed
    context.isObserved = record != nil
    context.binding = RequestBinding(identity: self.identity, jar: identity?.jar ?? parts.jar)
    self.context = context
  }

  /// Returns the whole path of the request, in the order of the diagram in `Docs/Architecture.md`.
  ///
  /// An attempt is built, sent through the chain of ``ClientParts``, gathered and read. The steps are inlined: a
  /// signal that a step only passes on is not copied.
  func signal() -> Results {
    let limited = limited(fenced(steps()))
    return client.watched(client.worded(limited, request, resolved.service), request, record)
  }

  /// Returns the results of one step of the cache policy.
  @inline(__always)
  func run(_ step: CacheStep) -> Results {
    isTriedOnce(step) ? attempt(step, resolved, 1) : recovered(retried(attempts(step)))
  }

  /// Returns the results until the identity changes, then its failure.
  @inline(__always)
  private func fenced(_ results: Results) -> Results {
    guard let fence = parts.fence, let identity else { return results }
    return fence.guarding(results, for: identity, needsEnvironment: identity.needsEnvironment)
  }

  /// Returns the results until the total timeout.
  @inline(__always)
  private func limited(_ results: Results) -> Results { deadline?.limiting(results) ?? results }
}

/// The mutable state of a run.
struct RunState: Sendable {
  /// The failed attempts, for the metrics of the result.
  var failed: [Metrics.Attempt] = []
  /// Whether an attempt has begun; each further one resolves the request again.
  var hasBegun = false
  /// The body of the stored response, to compare with the network's.
  var storedBody: Data?
  /// Whether a request was sent.
  private var hasSent = false

  /// Returns whether no request was sent before.
  mutating func claimFirstSend() -> Bool {
    defer { hasSent = true }
    return !hasSent
  }
}
