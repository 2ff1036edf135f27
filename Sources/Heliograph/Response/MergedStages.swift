/// The merged stages of a client, a service and a request, and what each response asks of them.
///
/// A client has one for most of its requests: the answers are stored, because reading an optional existential copies it.
final class MergedStages: Sendable {
  let stages: Stages
  /// The rules for JSON.
  let json: JSONCoding
  /// Whether the payload has a wrapper.
  let isWrapped: Bool
  let hasDecoder: Bool
  let hasMapper: Bool

  init(_ stages: Stages, _ json: JSONCoding) {
    self.stages = stages
    self.json = json
    isWrapped = stages.envelope.map { ($0 as? KeyedEnvelope)?.isPlain != true } ?? false
    hasDecoder = stages.decoder != nil
    hasMapper = stages.mapper != nil
  }
}
