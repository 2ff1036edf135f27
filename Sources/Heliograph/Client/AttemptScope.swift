/// The values that all attempts of one subscription share inside the client.
struct AttemptScope: Sendable {
  var identity: BoundIdentity?
  var record: RequestRecord?
  var watch: Core.Watch?
  /// Whether successful bodies are delivered in pieces.
  var isStreamed = false
}
