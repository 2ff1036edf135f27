import Foundation

extension String {
  /// Whether a parameter with this name is likely to hold a secret, such as `access_token` or `password`.
  package var namesSecretParameter: Bool {
    let name = lowercased().filter { $0 != "_" && $0 != "-" }
    if ["sig", "pin", "otp", "pwd", "pass", "auth", "code", "session", "key"].contains(name) { return true }
    let parts = [
      "token", "password", "passwd", "passphrase", "passcode", "secret", "apikey", "privatekey", "accesskey",
      "subscriptionkey", "signature", "credential", "authorization", "sessionid", "jwt", "assertion", "codeverifier",
      "devicecode", "authcode", "otpcode", "smscode", "verificationcode",
    ]
    return parts.contains { name.contains($0) } || HTTPHeaders.isSecret(self)
  }

  /// The URL without user and password, and with `<redacted>` for the secret parameters of its query and fragment.
  ///
  /// The text may also have several URLs, such as a `Link` field: a parameter ends where no URL can continue.
  package var redactingSecretParameters: String { redactingSecretParameters(with: "<redacted>") }

  /// Returns the URL with a text in place of its user and password and of its secret parameters.
  package func redactingSecretParameters(with placeholder: String) -> String {
    let text = redactingUsers(with: placeholder)
    guard let mark = text.utf8.firstIndex(where: { "?#".utf8.contains($0) }) else { return text }
    let query = text.utf8.index(after: mark)
    return text[..<query] + text[query...].redactingSecretPairs(separatedBy: "&#>< \"'\t\r\n", with: placeholder)
  }

  /// Returns the text with another one in place of user and password in each of its URLs.
  private func redactingUsers(with placeholder: String) -> String {
    guard utf8.contains(UInt8(ascii: "@")) else { return self }
    let bytes = Array(utf8)
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      result.append(bytes[index])
      index += 1
      guard result.count >= 3, result[(result.count - 3)...].elementsEqual("://".utf8) else { continue }
      let authority = bytes[index...].prefix { !"/?#>< \"'\t\r\n".utf8.contains($0) }
      if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
        result += placeholder.utf8
        index = at
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}

extension StringProtocol where SubSequence == Substring {
  /// Returns the text with another one in place of the values of secret names in the pairs of a query or form.
  ///
  /// It works on bytes: a combining character does not hide a separator.
  func redactingSecretPairs(separatedBy separators: String, with placeholder: String = "<redacted>") -> String {
    var text = ""
    var rest = self[...].utf8
    while !rest.isEmpty {
      let pair = Substring(rest.prefix { !separators.utf8.contains($0) })
      if let mark = pair.utf8.firstIndex(of: UInt8(ascii: "=")), pair[..<mark].namesSecret {
        text += pair[..<mark] + "=" + placeholder
      } else if let mark = pair.utf8.firstIndex(of: UInt8(ascii: "?")) {
        // The query of another URL.
        let query = pair.utf8.index(after: mark)
        text += pair[..<query] + pair[query...].redactingSecretPairs(separatedBy: separators, with: placeholder)
      } else {
        text += pair
      }
      rest = rest.dropFirst(pair.utf8.count)
      if let separator = rest.popFirst() { text.unicodeScalars.append(UnicodeScalar(separator)) }
    }
    return text
  }
}

extension Substring {
  /// Whether it is the escaped name of a secret parameter, or a URL up to one.
  fileprivate var namesSecret: Bool {
    let name = split(separator: "?").last.map(String.init) ?? ""
    return (name.removingPercentEncoding ?? name).namesSecretParameter
  }
}

extension HTTPHeaders.Field {
  /// Whether the value is not to be shown: its name is one of ``HTTPHeaders/secretNames``, or is like that of a secret
  /// parameter.
  package var isSecret: Bool {
    // `Access-Control-Allow-Credentials` and limits of tokens are no secrets.
    let isKnown = ["access-control-", "ratelimit-"].contains { name.loweredASCII.contains($0) }
    return HTTPHeaders.isSecret(name) || (name.namesSecretParameter && !isKnown)
  }

  /// The value for texts that leave the app: `<redacted>` if the field is secret, else without secret parameters of URLs.
  package var redactedValue: String { redactedValue(with: "<redacted>") }

  /// Returns the value with a text in place of its secrets.
  package func redactedValue(with placeholder: String) -> String {
    isSecret ? placeholder : value.redactingSecretParameters(with: placeholder)
  }
}
