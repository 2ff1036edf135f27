package import Foundation

extension String {
  /// Whether a parameter with this name is likely to hold a secret, such as `access_token`, `userPIN` or `user[pass]`.
  ///
  /// Short names match a word of the name or all of it, long ones any substring. A name that is longer than 256 bytes
  /// and not ASCII counts as secret.
  package var namesSecretParameter: Bool {
    var text = self
    return text.withUTF8 { $0.namesSecretParameter }
  }

  /// Whether a text contains the name of a secret, even escaped as in JSON, XML or a URL, or a URL with user
  /// information.
  package var mentionsSecret: Bool {
    let plain = unescaped
    if Data(plain.utf8).mentionsSecret { return true }
    // Including names set by the app, which may have several words.
    let isEnd = { (byte: UInt8) in !byte.isUnreserved || byte == UInt8(ascii: ".") }
    let words = Set(plain.utf8.split(whereSeparator: isEnd).map { String(Substring($0)) })
    return words.contains(where: \.namesSecretParameter) || !plain.redactingSecretParameters.hasSameBytes(as: plain)
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

extension UnsafeBufferPointer<UInt8> {
  /// Whether a parameter whose name has this UTF-8 text is likely to hold a secret.
  var namesSecretParameter: Bool {
    isTooLong || ((HTTPHeaders.isSecret(self) || SecretNames.match(self) && !SecretNames.isMetadata(self)) && !isKept)
  }

  /// Whether the name is one of ``SecretRedaction/keptNames``.
  fileprivate var isKept: Bool {
    let names = SecretRedaction.keptNames
    return !names.isEmpty && names.contains(loweredASCII)
  }

  /// Whether comparing the text can take quadratic time, because it is long and not ASCII.
  fileprivate var isTooLong: Bool { count > 256 && contains { $0 >= 0x80 } }
}

extension Data {
  /// Whether bytes contain a long name of a secret, also in UTF-16; short ones occur by chance and are not searched.
  package var mentionsSecret: Bool {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    for byte in self where byte != 0 && byte != UInt8(ascii: "_") && byte != UInt8(ascii: "-") {
      bytes.append(byte.loweredASCII)
    }
    return bytes.withUnsafeBufferPointer { SecretNames.occur(in: $0) }
  }
}

/// The typical names of secrets, in lower case without separators.
private enum SecretNames {
  /// Names that match as a word.
  private static let words = keys([
    "auth", "bearer", "cookies", "csrf", "cvc", "cvv", "hmac", "jwt", "mfa", "otp", "pass", "pin", "pw", "pwd",
    "session", "sid", "sig", "totp", "xsrf",
  ])
  /// Names that match only as a whole, so that `errorCode`, `Idempotency-Key` and `sign_up` do not match.
  private static let whole = keys(["code", "dpop", "key", "sign", "ticket"])
  /// Names that match anywhere, longer than four bytes, with the key of their first four.
  private static let substrings = [
    "token", "password", "passwd", "passphrase", "passcode", "secret", "apikey", "privatekey", "accesskey",
    "subscriptionkey", "masterkey", "functionskey", "consumerkey", "signingkey", "encryptionkey", "accountkey",
    "sharedkey", "signature", "credential", "authorization", "sessionid", "sessid", "assertion", "samlre",
    "codeverifier", "devicecode", "authcode", "otpcode", "smscode", "verificationcode", "recoverycode", "backupcode",
    "securitycode", "confirmationcode", "activationcode", "logincode", "onetimecode", "oobcode", "authkey",
    "sessionkey", "sesskey", "passwort", "oauthverifier", "licensekey", "recoveryphrase", "seedphrase", "mnemonic",
  ].map { (start: key($0.utf8.prefix(4)), rest: Array($0.utf8.dropFirst(4))) }
  /// The hashes of the first four bytes of ``substrings``, as a set of 1,024 bits.
  private static let starts = substrings.reduce(into: [UInt64](repeating: 0, count: 16)) {
    let hash = hash($1.start)
    $0[hash >> 6] |= 1 << UInt64(hash & 63)
  }

  /// Returns at most eight bytes as a number: equal texts have equal keys.
  private static func key(_ bytes: some Collection<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

  /// Returns a number below 1,024 for four bytes.
  private static func hash(_ start: UInt64) -> Int { Int((start &* 0x9E37_79B1) >> 22 & 1_023) }

  private static func keys(_ names: [String]) -> [UInt64] { names.map { key($0.utf8) } }

  /// Returns whether a word of a name is a secret's, or the name without separators is or contains one.
  ///
  /// A word ends at a byte that belongs to no name and before a capital after a small letter; it counts in lower case
  /// and without digits at its end: `user`, `pin` of `userPIN2` and `user[pin]`.
  static func match(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes.count) { joined in
      var (start, end) = (0, 0)
      /// Ends a word; returns whether it is a secret's.
      func endWord() -> Bool {
        var wordEnd = end
        while wordEnd > start, (0x30...0x39).contains(joined[wordEnd - 1]) { wordEnd -= 1 }
        // A word of digits only.
        if wordEnd == start { wordEnd = end }
        let word = start..<wordEnd
        (start, end) = (wordEnd, wordEnd)
        return word.count <= 7 && words.contains(key(joined[word]))
      }
      var isAfterLower = false
      for byte in bytes {
        let isUpper = (0x41...0x5A).contains(byte)
        let isNameByte = isUpper || (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte >= 0x80
        if !isNameByte || (isUpper && isAfterLower), endWord() { return true }
        if isNameByte {
          joined.initializeElement(at: end, to: byte.loweredASCII)
          end += 1
        }
        isAfterLower = isNameByte && !isUpper
      }
      if endWord() { return true }
      let name = UnsafeBufferPointer(rebasing: joined[..<end])
      return (name.count <= 7 && whole.contains(key(name))) || occur(in: name)
    }
  }

  /// Returns whether a name, although like that of a secret, is the type of a token (RFC 6749), or the URL of an
  /// endpoint or a list of methods or values in the metadata of an authorization server (RFC 8414).
  static func isMetadata(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let name = bytes.loweredASCII.filter { $0 != "_" && $0 != "-" }
    return name == "tokentype"
      || ["endpoint", "methodssupported", "valuessupported"].contains { name.hasSuffix($0) }
  }

  /// Returns whether lowercase text contains a long name of a secret.
  static func occur(in text: UnsafeBufferPointer<UInt8>) -> Bool {
    // They are longer than four bytes.
    if text.count <= 4 { return false }
    // Read once, because each reading of a static constant is a call.
    let starts = starts
    var start: UInt64 = 0
    for index in text.indices {
      start = (start << 8 | UInt64(text[index])) & 0xFFFF_FFFF
      let hash = hash(start)
      guard index >= 3, starts[hash >> 6] >> UInt64(hash & 63) & 1 == 1 else { continue }
      let rest = text[(index + 1)...]
      if substrings.contains(where: { $0.start == start && rest.starts(with: $0.rest) }) { return true }
    }
    return false
  }
}

extension HTTPHeaders.Field {
  /// Whether the value is a credential or another secret: its name is one of ``HTTPHeaders/secretNames`` or that of a
  /// secret parameter.
  ///
  /// It is never shown nor sent to another origin, and a stored response is only for requests with the same value.
  package var isSecret: Bool {
    var name = name
    return name.withUTF8 { bytes in
      bytes.isTooLong
        || ((HTTPHeaders.isSecret(bytes) || (SecretNames.match(bytes) && !isPermissionOrLimit)) && !bytes.isKept)
    }
  }

  /// Whether the field is a permission, such as `Access-Control-Allow-Credentials`, or a limit, such as
  /// `X-RateLimit-Remaining-Tokens`.
  private var isPermissionOrLimit: Bool {
    let name = name.loweredASCII
    if ["allow-", "expose-", "request-"].contains(where: { name.hasPrefix("access-control-" + $0) }) { return true }
    let words = name.split(separator: "-")
    return words.contains("ratelimit") && words.contains { ["limit", "remaining", "reset", "used"].contains($0) }
  }

  /// The value for texts that leave the app: `<redacted>` if the field is secret, otherwise with its secrets
  /// redacted.
  package var redactedValue: String { redactedValue(with: "<redacted>") }

  /// Returns the value with its secrets replaced by a text.
  package func redactedValue(with placeholder: String) -> String {
    isSecret ? placeholder : SecretRedaction(placeholder: placeholder).text(value)
  }
}
