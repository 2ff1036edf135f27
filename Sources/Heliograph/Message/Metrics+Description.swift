extension Metrics: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Duration, byte counts and protocol on one line.
  public var description: String {
    var text = "\(endedAt.milliseconds) ms, sent \(sentByteCount) bytes, received \(receivedByteCount) bytes"
    if let protocolVersion { text += ", \(protocolVersion)" }
    if isConnectionReused == true { text += ", connection reused" }
    if redirectCount > 0 { text += ", redirects: \(redirectCount)" }
    if !earlierAttempts.isEmpty { text += ", attempts: \(earlierAttempts.count + 1)" }
    return text
  }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// The values that the transport reported.
  public var customMirror: Mirror {
    let children: KeyValuePairs<String, Any> = [
      "startedAt": startedAt as Any, "resolvedAt": resolvedAt as Any, "connectedAt": connectedAt as Any,
      "securedAt": securedAt as Any, "sentAt": sentAt as Any, "firstByteAt": firstByteAt as Any, "endedAt": endedAt,
      "sentByteCount": sentByteCount, "receivedByteCount": receivedByteCount,
    ]
    return Mirror(self, children: children, displayStyle: .struct)
  }
}
