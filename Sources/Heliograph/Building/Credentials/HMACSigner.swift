public import Foundation

/// A signer that uses HMAC-SHA256 (RFC 2104) over a canonical form of the request.
///
/// The key is shared by client and server. Each call uses a new timestamp and nonce, so every attempt is signed anew.
/// The fields of an earlier signature are replaced. Three fields are added to the query or to the header: timestamp
/// (whole seconds since 1970), nonce and signature. The signed text is UTF-8 with four lines, separated by `\n`,
/// without a trailing newline:
///
/// 1. the method;
/// 2. the path as sent, percent-encoded; `/` if it is empty. Its escapes are sent with upper-case hexadecimal digits;
/// 3. the parameters: all pairs of the URL, the query and the form, with timestamp and nonce and without the signature.
///    Each name and value is percent-encoded except `A`-`Z`, `a`-`z`, `0`-`9`, `-._~` (RFC 3986 §2.3), with upper-case
///    hexadecimal digits. They are sorted by encoded name, then by encoded value, bytewise, written as `name=value`,
///    and joined with `&`. A name without a value counts as a name with an empty value. A plus sign in the URL is a
///    plus sign;
/// 4. the body: the SHA-256 of its bytes in lower-case hexadecimal digits; without a body and for a form, the SHA-256
///    of zero bytes. For files and streams, also in a multipart form, which are not read before they are sent:
///    `UNSIGNED-BODY`.
///
/// For example, `POST https://api.example.com/v1/orders?shop=7` with the form `item=a lamp`, `count=2` at 1700000000
/// with the nonce `n-1` gives
///
/// ```
/// POST
/// /v1/orders
/// count=2&item=a%20lamp&nonce=n-1&shop=7&timestamp=1700000000
/// e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
/// ```
///
/// and, with the key `secret`, `sign=3e0e18af0fe88f89064a2b0cc143bfbe1f0cbb2753c602435fa2115355379405`.
///
/// The name of the signature field is added to ``HTTPHeaders/secretNames``.
/// - Warning: Certain different requests have the same signature, and an attacker who can change a request in transit
///   may replace one with the other. A server must not give them different meanings:
///   - a pair in the query, and the same pair in the form; line 4 is the same for all forms. Reject a name in the
///     wrong location;
///   - pairs with one name in another order, `a=1&a=100` and `a=100&a=1`. Reject a repeated name where a single value
///     is expected;
///   - a plus sign and its escape, `a=1+2` and `a=1%2B2`. Do not decode a plus sign in a query as a space;
///   - a semicolon and its escape, `a;b=1` and `a%3Bb=1`. Do not separate pairs at semicolons;
///   - a name without a value, and the same name with an empty value, `a` and `a=`.
///
/// A redirect is not signed, because its URL comes from a response. Header fields of the signature are removed, also
/// within the origin: they cover the old path, and the nonce is used. To send a signature to the new URL, set the
/// request's redirects to ``RedirectPolicy/stop`` and request that URL.
///
/// A request that its transport resends by itself, after a closed connection or to answer a Digest challenge, has the
/// same nonce again: see ``Metrics/resendCount``. A server that has received it before rejects it.
///
/// Scheme, host and other header fields are not signed, so use a key for one service only. The server must reject old
/// timestamps and repeated nonces, and must know which of its endpoints accept unsigned bodies.
public struct HMACSigner: Signer {
  /// The location of the signature, timestamp and nonce.
  public enum Location: Sendable, Hashable {
    /// The query, after its other pairs.
    case query
    /// Header fields.
    case header
  }

  /// The encoding of the 32 bytes of a signature.
  public enum Encoding: Sendable, Hashable {
    /// 64 lower-case hexadecimal digits.
    case hexadecimal
    /// Base64 with padding (RFC 4648 §4).
    case base64
  }

  /// The names of the signature fields; the parameters of the initializer document them.
  package struct FieldNames: Sendable, Hashable {
    package var signature: String
    package var timestamp: String
    package var nonce: String

    var all: [String] { [signature, timestamp, nonce] }

    package static let query = FieldNames(signature: "sign", timestamp: "timestamp", nonce: "nonce")
    package static let header = FieldNames(signature: "X-Signature", timestamp: "X-Timestamp", nonce: "X-Nonce")
  }

  /// The location of the signature, timestamp and nonce.
  public let location: Location
  package let names: FieldNames
  /// The encoding of the signature bytes.
  public let encoding: Encoding

  /// The names that signers add to queries: they differ in every attempt.
  private static let queryNames = Guarded<Set<FieldNames>>([])

  private let key: Secret<Data>
  private let now: @Sendable () -> Date
  private let nonce: @Sendable () -> String

  /// Creates a signer.
  ///
  /// - Parameters:
  ///   - key: The shared secret; never shown by any description or dump of the signer.
  ///   - location: The location of the fields. Default: the query.
  ///   - signatureName: The name of the signature. Default: `sign`, or `X-Signature` in the header.
  ///   - timestampName: The name of the timestamp: whole seconds since 1970. Default: `timestamp`, or `X-Timestamp`.
  ///   - nonceName: The name of the nonce, which makes each request unique. Default: `nonce`, or `X-Nonce`. The three
  ///     names must differ and are reserved: in the query, existing parameters with these names are replaced; with a
  ///     signature in the header, a parameter with such a name is rejected.
  ///   - encoding: The encoding of the signature. Default: hexadecimal digits.
  ///   - now: Returns the time; called for each signature, on the signing thread. Default: the system's clock.
  ///   - nonce: Returns a unique string of characters allowed in a header; called for each signature, on the signing
  ///     thread. Default: a random UUID.
  public init(
    key: Data, location: Location = .query, signatureName: String? = nil, timestampName: String? = nil,
    nonceName: String? = nil, encoding: Encoding = .hexadecimal, now: @escaping @Sendable () -> Date = { Date() },
    nonce: @escaping @Sendable () -> String = { UUID().uuidString }
  ) {
    var names = location == .query ? FieldNames.query : .header
    if let signatureName { names.signature = signatureName }
    if let timestampName { names.timestamp = timestampName }
    if let nonceName { names.nonce = nonceName }
    self.key = Secret(key)
    self.location = location
    self.names = names
    self.encoding = encoding
    self.now = now
    self.nonce = nonce
    HTTPHeaders.addSecretNames(names.signature)
    if location == .query { HMACSigner.queryNames.withLock { _ = $0.insert(names) } }
  }

  /// Adds timestamp, nonce and signature.
  ///
  /// - Parameter draft: The request, complete except for these fields.
  /// - Throws: A `client` error: ``NetworkError/Code/invalidSignature`` if the key is empty, two fields have the same
  ///   name, a parameter has the name of a header field, or the time is out of range; `invalidURL` if the URL cannot be
  ///   parsed.
  public func sign(_ draft: inout RequestDraft) throws(NetworkError) {
    try check()
    let seconds = now().timeIntervalSince1970.rounded(.down)
    guard let timestamp = Int64(exactly: seconds) else { throw refusal("the timestamp is out of range") }
    let stamps = [ParameterPair(names.timestamp, String(timestamp)), ParameterPair(names.nonce, nonce())]
    // First, because the body is sent, and signed, once the form has lost its last field.
    if location == .query { try draft.removeParameters(named: names.all) }
    try draft.capitalizeEscapes()
    var canonical = try CanonicalRequest(draft)
    if location == .header, canonical.hasParameter(named: names.all) {
      throw refusal("a parameter has the name of a header field")
    }
    canonical.add(stamps)
    let code = HMAC.sha256(canonical.message, key: key.reveal())
    let signature = encoding == .base64 ? code.base64EncodedString() : code.hexadecimal
    for pair in stamps + [ParameterPair(names.signature, signature)] {
      switch location {
      case .query: draft.query.append(pair)
      case .header: draft.headers[pair.name] = pair.value
      }
    }
  }

  private func check() throws(NetworkError) {
    guard !key.reveal().isEmpty else { throw refusal("the key is empty") }
    guard Set(location == .header ? names.all.map(\.loweredASCII) : names.all).count == 3 else {
      throw refusal("two fields have the same name")
    }
  }

  private func refusal(_ reason: String) -> NetworkError {
    NetworkError(.invalidSignature, reason: "cannot sign the request: \(reason)")
  }

  /// Returns a URL without signature fields, which differ in each attempt of a request.
  package static func removingSignature(from url: URL) -> URL {
    var draft = RequestDraft(url: url)
    for names in queryNames.withLock({ $0 }) {
      var rest = draft
      try? rest.removeParameters(named: [names.signature])
      guard rest.url != draft.url else { continue }
      try? rest.removeParameters(named: [names.timestamp, names.nonce])
      draft = rest
    }
    return draft.url
  }
}
