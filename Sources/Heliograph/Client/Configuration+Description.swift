extension NetworkClient.Configuration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The base URL and the main settings on one line, without header fields and other possible secrets.
  public var description: String {
    let base = baseURL.map { $0.redacted } ?? "no base URL"
    return
      "NetworkClient.Configuration(\(base), idleTimeout: \(idleTimeout), retry: \(retry), transport: \(type(of: transport)))"
  }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Nothing beyond ``description``.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

extension NetworkClient: CustomStringConvertible {
  /// The base URL on one line.
  public var description: String { "NetworkClient(\(configuration.baseURL.map { $0.redacted } ?? "no base URL"))" }
}
