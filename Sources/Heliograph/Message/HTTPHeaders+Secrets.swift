import Signals

extension HTTPHeaders {
  /// The names of header fields with secret values, in lower case.
  ///
  /// The setting is process-wide. Values of these names are omitted from every description, log line and export, and are
  /// never sent to another origin in a redirect. Default: credentials, cookies, and common names for tokens and keys. May
  /// be read from any thread.
  public static var secretNames: Set<String> { secrets.withLock { $0 } }

  /// Permanently marks the values of header fields, parameters and JSON members with these names as secret.
  ///
  /// ```swift
  /// HTTPHeaders.addSecretNames("X-Shop-Session")
  /// ```
  /// Call it before the first request. An ``HMACSigner`` adds the name of its signature. May be called from any thread.
  /// - Parameter names: Names of header fields, parameters and members, in any case.
  public static func addSecretNames(_ names: String...) {
    let names = names.map(\.loweredASCII)
    secrets.withLock { $0.formUnion(names) }
  }

  /// Returns whether the values of a name are secret: never shown and never sent to another origin.
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

  /// Removes the fields that must not be sent to another origin.
  ///
  /// These remain unless they are secret: `Accept` and `Accept-…`, `User-Agent`, `Range`, `If-…`, `Last-Event-ID`, and,
  /// with a body, `Content-…`.
  mutating func removeForOtherOrigin(hasBody: Bool) {
    removeAll { field in
      let name = field.name.loweredASCII
      let isHarmless =
        switch name {
        case "accept", "user-agent", "range", "last-event-id": true
        case _ where name.hasPrefix("accept-") || name.hasPrefix("if-"): true
        case _ where name.hasPrefix("content-"): hasBody
        default: false
        }
      return !isHarmless || HTTPHeaders.isSecret(name)
    }
  }

  /// Removes the fields that describe a body.
  mutating func removeContentFields() { removeAll { $0.name.loweredASCII.hasPrefix("content-") } }
}
