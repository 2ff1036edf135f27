import Foundation

/// A challenge of Digest authentication that can be answered: with the quality of protection `auth`, over SHA-256 or MD5.
///
/// RFC 7616 §3.3.
struct DigestChallenge: Sendable {
  enum Algorithm: String, Sendable {
    case md5 = "md5"
    case md5Session = "md5-sess"
    case sha256 = "sha-256"
    case sha256Session = "sha-256-sess"

    var isSession: Bool { self == .md5Session || self == .sha256Session }
    var isSHA256: Bool { self == .sha256 || self == .sha256Session }

    /// The digest of some texts with colons in between, in hexadecimal digits.
    func hash(_ parts: String...) -> String {
      let message = Array(parts.joined(separator: ":").utf8)
      return isSHA256 ? SHA256.hash(message).hexadecimal : MD5.hash(message).hexadecimal
    }
  }

  let realm: String
  var nonce: String
  let opaque: String?
  let algorithm: Algorithm
  /// The algorithm as the server writes it; `nil` if it names none, which is MD5.
  let algorithmName: String?
  /// Whether the server wants a digest in place of the user's name.
  let hidesUser: Bool
  /// Whether only the nonce was too old.
  let isStale: Bool

  /// Makes `nil` of a challenge that cannot be answered.
  private init?(_ challenge: AuthenticationChallenge) {
    let parameters = challenge.parameters
    guard challenge.scheme == "digest", let realm = parameters["realm"], let nonce = parameters["nonce"],
      let algorithm = Algorithm(rawValue: parameters["algorithm"]?.loweredASCII ?? "md5"),
      let qualities = parameters["qop"]?.loweredASCII.split(whereSeparator: { $0 == "," || $0 == " " }),
      qualities.contains("auth")
    else { return nil }
    self.realm = realm
    self.nonce = nonce
    opaque = parameters["opaque"]
    self.algorithm = algorithm
    algorithmName = parameters["algorithm"]
    hidesUser = parameters["userhash"]?.loweredASCII == "true"
    isStale = parameters["stale"]?.loweredASCII == "true"
  }

  /// The challenge of a response to answer: the first over SHA-256, or else the first over MD5; `nil` if there is none.
  init?(_ headers: HTTPHeaders) {
    let challenges = AuthenticationChallenge.all(in: headers.values(for: "WWW-Authenticate")).compactMap(Self.init)
    guard let best = challenges.first(where: \.algorithm.isSHA256) ?? challenges.first else { return nil }
    self = best
  }

  /// The value of `Authorization` that answers it.
  ///
  /// - Parameters:
  ///   - credentials: whose name and password.
  ///   - method: the request's method.
  ///   - target: its target: the path with the query.
  ///   - count: how many requests, this one included, have been sent with the nonce.
  ///   - clientNonce: a text of the client's own, which nobody can foresee.
  /// - Returns: the scheme with its parameters.
  func answer(
    _ credentials: DigestCredentials, method: String, target: String, count: UInt32, clientNonce: String
  ) -> String {
    var secret = algorithm.hash(credentials.user, realm, credentials.password)
    if algorithm.isSession { secret = algorithm.hash(secret, nonce, clientNonce) }
    let digits = String(count, radix: 16)
    let number = String(repeating: "0", count: 8 - digits.count) + digits
    let response = algorithm.hash(
      secret, nonce, number, clientNonce, "auth", algorithm.hash(method, target))
    var fields = [user(of: credentials), "realm=" + realm.quoted, "uri=" + target.quoted]
    if let algorithmName { fields.append("algorithm=" + algorithmName) }
    fields += ["nonce=" + nonce.quoted, "nc=" + number, "cnonce=" + clientNonce.quoted, "qop=auth"]
    fields.append("response=" + response.quoted)
    if let opaque { fields.append("opaque=" + opaque.quoted) }
    if hidesUser { fields.append("userhash=true") }
    return "Digest " + fields.joined(separator: ", ")
  }

  /// RFC 7616 §3.4: a name that is not ASCII has a form of its own (RFC 8187 §3.2), unless a digest stands for it.
  private func user(of credentials: DigestCredentials) -> String {
    if hidesUser { return "username=" + algorithm.hash(credentials.user, realm).quoted }
    if credentials.user.utf8.allSatisfy({ $0 < 0x80 }) { return "username=" + credentials.user.quoted }
    return "username*=UTF-8''" + PercentEncoding.query.encode(credentials.user)
  }
}

extension String {
  /// As a quoted string (RFC 9110 §5.6.4).
  fileprivate var quoted: String {
    "\"" + replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"") + "\""
  }
}

extension URL {
  /// What stands in the request line: the path with the query (RFC 9112 §3.2.1).
  var requestTarget: String {
    let text = absoluteString
    guard let slashes = text.range(of: "://") else { return "/" }
    let place = text[slashes.upperBound...].drop { $0 != "/" && $0 != "?" && $0 != "#" }.prefix { $0 != "#" }
    return place.hasPrefix("/") ? String(place) : "/" + place
  }
}
