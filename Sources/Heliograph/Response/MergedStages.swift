/// The merged stages of a client, a service and a request, with flags for the optional ones.
///
/// A client has one for all requests that set no stages. The flags are stored, because reading an optional existential
/// copies it.
final class MergedStages: Sendable {
  let stages: Stages
  let json: JSONCoding
  let isWrapped: Bool
  /// Whether the envelope refuses a response without a body.
  let needsBody: Bool
  let hasDecoder: Bool
  let hasMapper: Bool

  init(_ stages: Stages, _ json: JSONCoding) {
    self.stages = stages
    self.json = json
    isWrapped = stages.envelope.map { ($0 as? KeyedEnvelope)?.isPlain != true } ?? false
    needsBody = isWrapped && (stages.envelope as? KeyedEnvelope)?.isOptional != true
    hasDecoder = stages.decoder != nil
    hasMapper = stages.mapper != nil
  }
}
