import Foundation

extension String {
  /// Whether a parameter with this name is likely to hold a secret, such as `access_token` or `password`.
  package var namesSecretParameter: Bool {
    let name = lowercased().filter { $0 != "_" && $0 != "-" }
    if ["sig", "pin", "otp", "pwd", "pass", "auth", "code", "session", "key"].contains(name) { return true }
    let parts = [
      "token", "password", "passwd", "passphrase", "secret", "apikey", "signature", "credential", "authorization",
      "sessionid", "jwt",
    ]
    return parts.contains { name.contains($0) } || HTTPHeaders.isSecret(self)
  }

  /// The URL without user and password, and with `<redacted>` for the values of secret query items.
  package var redactingSecretParameters: String {
    var text = self
    if let mark = text.range(of: "://") {
      let authority = text[mark.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
      if let at = authority.lastIndex(of: "@") { text.replaceSubrange(authority.startIndex..<at, with: "<redacted>") }
    }
    guard let mark = text.firstIndex(of: "?") else { return text }
    let query = text.index(after: mark)
    return String(text[..<query]) + String(text[query...]).redactingSecretPairs
  }

  /// Returns the body of a request with `<redacted>` for the values of secret names.
  ///
  /// - Parameter contentType: The content type; forms and JSON are searched, text is unchanged, other bodies are omitted.
  /// - Returns: The text.
  package func redactingSecrets(of contentType: String?) -> String {
    let type = contentType?.prefix { $0 != ";" }.lowercased() ?? ""
    if type == "application/x-www-form-urlencoded" { return redactingSecretPairs }
    if type == "application/json" || type.hasSuffix("+json"), let json = try? JSON(data: Data(utf8)) {
      let redacted = json.redactingSecretMembers()
      // Keeps the original formatting if nothing is secret.
      return redacted == json ? self : redacted.description
    }
    return type.hasPrefix("text/") ? self : "<\(utf8.count) bytes>"
  }

  /// The pairs of a query or form with `<redacted>` for the values of secret names.
  private var redactingSecretPairs: String {
    split(separator: "&", omittingEmptySubsequences: false).map { pair in
      guard let mark = pair.firstIndex(of: "=") else { return String(pair) }
      let name = String(pair[..<mark])
      return (name.removingPercentEncoding ?? name).namesSecretParameter ? "\(name)=<redacted>" : String(pair)
    }.joined(separator: "&")
  }
}

extension JSON {
  /// Returns the value with `<redacted>` for the members of secret names, and for everything below 64 levels.
  func redactingSecretMembers(depth: Int = 64) -> JSON {
    if depth == 0 { return .string("<redacted>") }
    switch self {
    case .object(let members):
      let shown = members.map { name, value in
        (name, name.namesSecretParameter ? .string("<redacted>") : value.redactingSecretMembers(depth: depth - 1))
      }
      return .object(Dictionary(shown) { first, _ in first })
    case .array(let elements): return .array(elements.map { $0.redactingSecretMembers(depth: depth - 1) })
    default: return self
    }
  }
}
