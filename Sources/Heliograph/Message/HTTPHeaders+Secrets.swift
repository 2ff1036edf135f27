import Signals

extension HTTPHeaders {
  /// The names of the header fields whose values are secret, in lower case.
  ///
  /// One setting for the whole process: values under these names are left out of every description, log line and export,
  /// and never cross to another origin in a redirect. Add an app's own before its first request:
  ///
  /// ```swift
  /// HTTPHeaders.secretNames.insert("x-shop-session")
  /// ```
  /// Names may be set in any case. An ``HMACSigner`` adds the name of its signature's field. Default: credentials, cookies,
  /// and the names that servers commonly use for tokens and keys. May be used from any thread.
  public static var secretNames: Set<String> {
    get { secrets.withLock { $0.names } }
    set {
      let names = Set(newValue.map(\.loweredASCII))
      secrets.withLock { $0.names = names }
    }
  }

  /// Whether the values of a name are never to be shown, nor sent to another origin.
  package static func isSecret(_ name: String) -> Bool {
    let name = name.loweredASCII
    return secrets.withLock { $0.names.contains(name) || $0.ofSigners.contains(name) }
  }

  /// Makes the field of a signature a secret one, for good.
  static func addSecretName(_ name: String) {
    let name = name.loweredASCII
    secrets.withLock { _ = $0.ofSigners.insert(name) }
  }

  /// What an app has set, and what its signers write: apart, so that a setter cannot lose the latter.
  private struct Secrets {
    var names: Set<String>
    var ofSigners: Set<String> = []
  }

  private static let secrets = Guarded(
    Secrets(names: [
      "authorization", "proxy-authorization", "cookie", "set-cookie", "x-signature", "x-api-key", "api-key", "apikey",
      "x-goog-api-key", "x-auth-token", "x-access-token", "x-refresh-token", "x-id-token", "x-session-token",
      "x-session-id", "x-csrf-token", "x-xsrf-token", "x-amz-security-token", "x-vault-token", "private-token",
      "access-token", "refresh-token", "auth-token",
    ]))

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
