package import Foundation

extension String {
  /// Whether a parameter with this name is likely to hold a secret, such as `access_token`, `userPIN` or `user[pass]`.
  ///
  /// Short names match a word of the name or all of it, long ones any substring. A name that is longer than 256 bytes
  /// and not ASCII counts as secret.
  package var namesSecretParameter: Bool {
    // Comparing a long text that is not ASCII can take quadratic time.
    if utf8.count > 256, utf8.contains(where: { $0 >= 0x80 }) { return true }
    if HTTPHeaders.isSecret(self) { return true }
    let words = nameWords
    if words.contains(where: SecretNames.words.contains) { return true }
    let name = words.joined()
    return SecretNames.whole.contains(name) || Array(name.utf8).containsSecretName
  }

  /// The words of a name in lower case, without digits at their ends: `user`, `pin` of `userPIN2` and `user[pin]`.
  private var nameWords: [String] {
    var words: [[UInt8]] = []
    var word: [UInt8] = []
    var isAfterLower = false
    for byte in utf8 {
      let isUpper = (0x41...0x5A).contains(byte)
      let isNameByte = isUpper || (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte >= 0x80
      if !isNameByte || (isUpper && isAfterLower) {
        if !word.isEmpty { words.append(word) }
        word = []
      }
      if isNameByte { word.append(byte.loweredASCII) }
      isAfterLower = isNameByte && !isUpper
    }
    if !word.isEmpty { words.append(word) }
    return words.map { word in
      let end = word.lastIndex { !(0x30...0x39).contains($0) } ?? word.endIndex - 1
      return String(decoding: word[...end], as: UTF8.self)
    }
  }

  /// Whether a text contains the name of a secret, even escaped as in JSON, XML or a URL, or a URL with user
  /// information.
  package var mentionsSecret: Bool {
    let plain = unescaped
    if Data(plain.utf8).mentionsSecret { return true }
    // Including names set by the app, which may have several words.
    let isEnd = { (byte: UInt8) in !byte.isUnreserved || byte == UInt8(ascii: ".") }
    let words = Set(plain.utf8.split(whereSeparator: isEnd).map { String(Substring($0)) })
    return words.contains(where: \.namesSecretParameter) || plain.redactingSecretParameters != plain
  }

  /// The text without escapes of ASCII characters in JSON, XML and URLs.
  private var unescaped: String {
    guard utf8.contains(where: { "\\%&".utf8.contains($0) }) else { return self }
    let escape = /\\u00([0-7][0-9a-f])|%([0-7][0-9a-f])|&#x0*([0-7][0-9a-f]);|&#0*([0-9]{2,3});/.ignoresCase()
    return replacing(escape) { match in
      let digits = match.output.1 ?? match.output.2 ?? match.output.3
      let code = digits.flatMap { UInt8($0, radix: 16) } ?? match.output.4.flatMap { UInt8($0) }
      return code.map { String(UnicodeScalar($0)) } ?? ""
    }
  }
}

extension Data {
  /// Whether arbitrary bytes contain a long name of a secret.
  ///
  /// Zero bytes are skipped, so that UTF-16 text matches. Short names are not searched, because they occur by chance.
  package var mentionsSecret: Bool {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    for byte in self where byte != 0 && byte != UInt8(ascii: "_") && byte != UInt8(ascii: "-") {
      bytes.append(byte.loweredASCII)
    }
    return bytes.containsSecretName
  }
}

extension [UInt8] {
  /// Whether lowercase text contains a long name of a secret.
  fileprivate var containsSecretName: Bool {
    indices.contains { index in
      SecretNames.substrings[self[index]]?.contains { self[index...].starts(with: $0) } == true
    }
  }
}

/// The typical names of secrets, in lower case without separators.
private enum SecretNames {
  /// Names that match as a word.
  static let words: Set<String> = [
    "auth", "cvc", "cvv", "jwt", "mfa", "otp", "pass", "pin", "pw", "pwd", "session", "sid", "sig", "totp",
  ]
  /// Names that match only as a whole, so that `errorCode`, `Idempotency-Key` and `sign_up` do not match.
  static let whole: Set<String> = ["code", "dpop", "key", "sign", "ticket"]
  /// Names that match anywhere, by their first byte.
  static let substrings = Dictionary(
    grouping: [
      "token", "password", "passwd", "passphrase", "passcode", "secret", "apikey", "privatekey", "accesskey",
      "subscriptionkey", "masterkey", "functionskey", "consumerkey", "signingkey", "encryptionkey", "accountkey",
      "sharedkey", "signature", "credential", "authorization", "sessionid", "sessid", "assertion", "samlre",
      "codeverifier", "devicecode", "authcode", "otpcode", "smscode", "verificationcode", "recoverycode", "backupcode",
      "securitycode",
    ].map { Array($0.utf8) }, by: { $0.first ?? 0 })
}

extension HTTPHeaders.Field {
  /// Whether the value must not be shown: its name is one of ``HTTPHeaders/secretNames`` or that of a secret
  /// parameter.
  package var isSecret: Bool {
    HTTPHeaders.isSecret(name) || (name.namesSecretParameter && !isPermissionOrLimit)
  }

  /// Whether the field is a permission, such as `Access-Control-Allow-Credentials`, or a limit, such as
  /// `X-RateLimit-Remaining-Tokens`.
  private var isPermissionOrLimit: Bool {
    let name = name.loweredASCII
    if name.hasPrefix("access-control-") { return true }
    let words = Set(name.split(separator: "-").map(String.init))
    return words.contains("ratelimit") && !words.isDisjoint(with: ["limit", "remaining", "reset", "used"])
  }

  /// The value for texts that leave the app: `<redacted>` if the field is secret, otherwise with its secrets
  /// redacted.
  package var redactedValue: String { redactedValue(with: "<redacted>") }

  /// Returns the value with its secrets replaced by a text.
  package func redactedValue(with placeholder: String) -> String {
    isSecret ? placeholder : SecretRedaction(placeholder: placeholder).text(value)
  }
}
