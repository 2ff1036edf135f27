/// The sources of a request's URL and header fields, recorded while it is built if monitors observe it.
struct RequestProvenance: Sendable {
  enum Base: Sendable {
    case absolute
    /// The request's options have a base URL.
    case options
    case client
    /// The environment has one address for all services.
    case environment
    /// The service has an address of this kind in the environment.
    case service(String)
  }

  /// A stage that sets header fields, in the order of the stages.
  enum Stage: String, Sendable {
    case client, service, common, request, library, filters, signer, middleware
  }

  /// The header fields after a stage.
  struct Snapshot: Sendable {
    let stage: Stage
    let fields: HTTPHeaders
  }

  let base: Base
  let service: String?
  let environment: String?
  /// Whether the additions of the client may be sent.
  let addsClient: Bool
  /// Whether the additions of the service may be sent.
  let addsService: Bool
  /// The header fields of the client that may be sent.
  let clientFields: HTTPHeaders
  /// The names of the client's header fields that were omitted, because the URL has another origin.
  var omittedFields: [String] = []
  /// The header fields after each later stage that has changed some.
  fileprivate(set) var laterSnapshots: [Snapshot] = []

  /// The header fields after each stage that has changed some.
  var snapshots: [Snapshot] { [Snapshot(stage: .client, fields: clientFields)] + laterSnapshots }

  /// Returns the stage that has set a header field as it was sent: the first one after which its values did not change.
  func stage(of name: String, in sent: HTTPHeaders) -> Stage {
    let values = sent.values(for: name)
    var result = Stage.middleware
    for snapshot in snapshots.reversed() {
      guard snapshot.fields.values(for: name) == values else { return result }
      result = snapshot.stage
    }
    return result
  }

  /// Returns the names of the header fields that were built but removed by middleware.
  func removed(from sent: HTTPHeaders) -> [String] {
    snapshots.last?.fields.map(\.name).filter { sent[$0] == nil } ?? []
  }
}

extension CopyOnWrite<RequestProvenance> {
  /// Records the header fields after a stage, unless it has changed none.
  mutating func record(_ fields: HTTPHeaders, after stage: RequestProvenance.Stage) {
    // Checked first, because access for a change copies a shared box; in place, because a constant would be a copy.
    let last = value.laterSnapshots.count - 1
    let isLatest =
      last < 0
      ? value.clientFields.hasSameStorage(as: fields) : value.laterSnapshots[last].fields.hasSameStorage(as: fields)
    if !isLatest { value.laterSnapshots.append(.init(stage: stage, fields: fields)) }
  }
}
