import Foundation

/// A supported Digest challenge: quality of protection `auth`, with SHA-256 or MD5 (RFC 7616 §3.3).
struct DigestChallenge: Sendable {
  enum Algorithm: String, Sendable {
    case md5 = "md5"
    case md5Session = "md5-sess"
    case sha256 = "sha-256"
    case sha256Session = "sha-256-sess"

    var isSession: Bool { self == .md5Session || self == .sha256Session }
    var isSHA256: Bool { self == .sha256 || self == .sha256Session }

    /// Returns the digest of texts joined by colons, in hexadecimal digits.
    func hash(_ parts: String...) -> String {
      let message = Array(parts.joined(separator: ":").utf8)
      return isSHA256 ? SHA256.hash(message).hexadecimal : MD5.hash(message).hexadecimal
    }
  }

  let realm: String
  var nonce: String
  let opaque: String?
  let algorithm: Algorithm
  /// The algorithm as the server writes it; `nil` if it is absent, which means MD5.
  let algorithmName: String?
  /// Whether the server requests a hash of the user name instead of the name.
  let hidesUser: Bool
  /// Whether the server rejected only the nonce, as stale.
  let isStale: Bool

  /// Returns `nil` for an unsupported challenge, and for one whose response would fail each request.
  private init?(_ challenge: AuthenticationChallenge) {
    let parameters = challenge.parameters
    guard challenge.scheme == "digest", let realm = parameters["realm"], let nonce = parameters["nonce"],
      parameters["algorithm"]?.isASCII != false, parameters["qop"]?.isASCII == true,
      let algorithm = Algorithm(rawValue: parameters["algorithm"]?.loweredASCII ?? "md5"),
      let qualities = parameters["qop"]?.loweredASCII.split(whereSeparator: { $0 == "," || $0 == " " }),
      qualities.contains("auth"),
      ![realm, nonce, parameters["opaque"] ?? ""].contains(where: \.hasControlCharacter)
    else { return nil }
    self.realm = realm
    self.nonce = nonce
    opaque = parameters["opaque"]
    self.algorithm = algorithm
    algorithmName = parameters["algorithm"]
    hidesUser = parameters["userhash"]?.isEqualIgnoringCase(to: "true") == true
    isStale = parameters["stale"]?.isEqualIgnoringCase(to: "true") == true
  }

  /// Creates the preferred challenge of a response: the first with SHA-256, else the first with MD5; `nil` if none.
  init?(_ headers: HTTPHeaders) {
    let challenges = AuthenticationChallenge.all(in: headers.values(for: "WWW-Authenticate")).compactMap(Self.init)
    guard let best = challenges.first(where: \.algorithm.isSHA256) ?? challenges.first else { return nil }
    self = best
  }

  func authorization(
    _ credentials: DigestCredentials, method: String, target: String, count: UInt32, clientNonce: String
  ) -> String {
    let (user, password) = credentials.reveal()
    var secret = algorithm.hash(user, realm, password)
    if algorithm.isSession { secret = algorithm.hash(secret, nonce, clientNonce) }
    let number = count.hexadecimal
    let response = algorithm.hash(secret, nonce, number, clientNonce, "auth", algorithm.hash(method, target))
    var fields = [parameter(of: user), "realm=" + realm.quoted, "uri=" + target.quoted]
    if let algorithmName { fields.append("algorithm=" + algorithmName) }
    fields += ["nonce=" + nonce.quoted, "nc=" + number, "cnonce=" + clientNonce.quoted, "qop=auth"]
    fields.append("response=" + response.quoted)
    if let opaque { fields.append("opaque=" + opaque.quoted) }
    if hidesUser { fields.append("userhash=true") }
    return "Digest " + fields.joined(separator: ", ")
  }

  /// Returns the user name parameter (RFC 7616 §3.4): a hash, a quoted string, or encoded by RFC 8187 §3.2 if it is not
  /// ASCII.
  private func parameter(of user: String) -> String {
    if hidesUser { return "username=" + algorithm.hash(user, realm).quoted }
    if user.utf8.allSatisfy({ $0 < 0x80 }) { return "username=" + user.quoted }
    return "username*=UTF-8''" + PercentEncoding.query.encode(user)
  }
}

extension String {
  /// The text as a quoted string (RFC 9110 §5.6.4); scalars are escaped, as a character may consist of a quotation mark
  /// and a combining one.
  fileprivate var quoted: String {
    var text = String.UnicodeScalarView()
    for scalar in unicodeScalars { text += scalar == "\\" || scalar == "\"" ? ["\\", scalar] : [scalar] }
    return "\"" + String(text) + "\""
  }
}

extension URL {
  /// The target in the request line: the path with the query (RFC 9112 §3.2.1).
  var requestTarget: String {
    let text = absoluteString
    guard let slashes = text.range(of: "://") else { return "/" }
    let target = text[slashes.upperBound...].drop { $0 != "/" && $0 != "?" && $0 != "#" }.prefix { $0 != "#" }
    return target.hasPrefix("/") ? String(target) : "/" + target
  }
}

/// An authentication challenge of a server: a scheme with its parameters (RFC 9110 §11.3).
struct AuthenticationChallenge {
  /// The scheme in lower case.
  let scheme: String
  /// The parameters by name in lower case, unquoted and unescaped; the first one of a repeated name.
  private(set) var parameters: [String: String] = [:]

  /// Parses all challenges in the values of `WWW-Authenticate`, each of which may contain several.
  static func all(in values: [String]) -> [AuthenticationChallenge] {
    var challenges: [AuthenticationChallenge] = []
    for value in values {
      FieldList.forEach(in: value) { element in
        let word = element.prefix { $0 != UInt8(ascii: "=") && !$0.isSpaceOrTab && $0 != UInt8(ascii: "\"") }
        var parameter = element
        let rest = element[word.endIndex...].trimmed
        if rest.first != UInt8(ascii: "=") {
          // Some servers send an unquoted `qop=auth,auth-int`; no scheme has such a name.
          if rest.isEmpty, word.isEqualIgnoringCase(to: "auth") || word.isEqualIgnoringCase(to: "auth-int"),
            let last = challenges.indices.last, challenges[last].parameters["qop"] != nil
          {
            // Of the list, only this member matters.
            if word.isEqualIgnoringCase(to: "auth") { challenges[last].parameters["qop"] = "auth" }
            return
          }
          challenges.append(AuthenticationChallenge(scheme: word.loweredToken ?? ""))
          parameter = rest
        }
        if let last = challenges.indices.last { challenges[last].add(parameter) }
      }
    }
    return challenges
  }

  /// Parses a header field that is a list of parameters, such as `Authentication-Info`.
  static func parameters(in value: String) -> [String: String] {
    var challenge = AuthenticationChallenge(scheme: "")
    FieldList.forEach(in: value) { challenge.add($0) }
    return challenge.parameters
  }

  private mutating func add(_ parameter: FieldBytes) {
    guard let (name, value) = parameter.parameter(), parameters[name] == nil else { return }
    parameters[name] = value
  }
}
