extension RequestOptions: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The options that are set, by name, on one line.
  public var description: String {
    var texts: [String] = []
    if let idleTimeout { texts.append("idleTimeout: \(idleTimeout)") }
    if let totalTimeout { texts.append("totalTimeout: \(totalTimeout)") }
    if address != .main { texts.append("address: \(address)") }
    if let common { texts.append("common: \(common.map(\.rawValue))") }
    if let placement { texts.append("placement: \(placement)") }
    if let isIdempotent { texts.append("isIdempotent: \(isIdempotent)") }
    if let retry { texts.append("retry: \(retry)") }
    if priority != .normal { texts.append("priority: \(priority)") }
    if !middleware.isEmpty { texts.append("middleware: \(middleware.count)") }
    if isCoalesced { texts.append("isCoalesced: true") }
    if progressInterval != RequestOptions().progressInterval { texts.append("progressInterval: \(progressInterval)") }
    if !isSigned { texts.append("isSigned: false") }
    if !allowsRecovery { texts.append("allowsRecovery: false") }
    if let presentation { texts.append("presentation: \(presentation)") }
    if stages != nil { texts.append("stages") }
    if json != nil { texts.append("json") }
    return "RequestOptions(\(texts.joined(separator: ", ")))"
  }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Nothing beyond ``description``.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

extension Retry: CustomStringConvertible {
  /// The limit on one line.
  public var description: String { limit <= 0 ? "never" : limit == 1 ? "1 retry" : "\(limit) retries" }
}
