import Signals

extension HTTPHeaders {
  /// The names of the header fields whose values are secret, in lower case.
  ///
  /// One setting for the whole process: values under these names are left out of every description, log line and export,
  /// and never cross to another origin in a redirect. Default: credentials, cookies, and the names that servers commonly
  /// use for tokens and keys. May be read from any thread.
  public static var secretNames: Set<String> { secrets.withLock { $0 } }

  /// Makes the values under some names secret, for good.
  ///
  /// ```swift
  /// HTTPHeaders.addSecretNames("X-Shop-Session")
  /// ```
  /// Call it before the first request. An ``HMACSigner`` does it for the field of its signature. May be called from any
  /// thread.
  /// - Parameter names: names of header fields, in any case.
  public static func addSecretNames(_ names: String...) {
    let names = names.map(\.loweredASCII)
    secrets.withLock { $0.formUnion(names) }
  }

  /// Whether the values of a name are never to be shown, nor sent to another origin.
  package static func isSecret(_ name: String) -> Bool {
    let name = name.loweredASCII
    return secrets.withLock { $0.contains(name) }
  }

  private static let secrets = Guarded<Set<String>>([
    "authorization", "proxy-authorization", "cookie", "set-cookie", "x-signature", "x-api-key", "api-key", "apikey",
    "x-goog-api-key", "x-auth-token", "x-access-token", "x-refresh-token", "x-id-token", "x-session-token",
    "x-session-id", "x-csrf-token", "x-xsrf-token", "x-amz-security-token", "x-vault-token", "private-token",
    "access-token", "refresh-token", "auth-token",
  ])

  /// Keeps what may go to another origin: `Accept` and `Accept-…`, `User-Agent`, `Range`, `If-…`, and `Content-…` while
  /// there is a body; nothing that is secret.
  mutating func removeForOtherOrigin(hasBody: Bool) {
    removeAll { field in
      let name = field.name.loweredASCII
      let isKept =
        switch name {
        case "accept", "user-agent", "range": true
        case _ where name.hasPrefix("accept-") || name.hasPrefix("if-"): true
        case _ where name.hasPrefix("content-"): hasBody
        default: false
        }
      return !isKept || HTTPHeaders.isSecret(name)
    }
  }

  /// Removes what describes a body.
  mutating func removeContentFields() {
    removeAll { $0.name.loweredASCII.hasPrefix("content-") }
  }
}
