public import Foundation

/// Signs requests with a key that only we and the server know: HMAC-SHA256 (RFC 2104) of a canonical form of the request.
///
/// Each call takes a new timestamp and nonce, so a request that is sent again is signed anew; one that was signed before
/// has its old fields replaced. Three fields are added, to the query or to the header: timestamp (whole seconds since
/// 1970), nonce, and signature. What is signed is UTF-8 text of four lines, with `\n` between them and none at the end:
///
/// 1. the method;
/// 2. the path as it goes over the wire, percent-encoded, `/` for none;
/// 3. the parameters: all pairs of the address, the query and the form, with timestamp and nonce and without the signature.
///    Each name and value is percent-encoded: all but `A`-`Z`, `a`-`z`, `0`-`9`, `-._~` (RFC 3986 §2.3), in capital digits.
///    They are sorted by the encoded name, then by the encoded value, byte by byte, written as `name=value`, and joined
///    with `&`. A name without a value counts as one with an empty value; a plus sign in the address is a plus sign;
/// 4. the body: the SHA-256 of its bytes in lower-case hexadecimal digits; of no bytes if there is none or if it is a form.
///    For files and streams, which are not read before they are sent: `UNSIGNED-BODY`.
///
/// `POST https://api.example.com/v1/orders?shop=7` with the form `item=a lamp`, `count=2` at 1700000000 with the nonce
/// `n-1` gives
///
/// ```
/// POST
/// /v1/orders
/// count=2&item=a%20lamp&nonce=n-1&shop=7&timestamp=1700000000
/// e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
/// ```
///
/// and, under the key `secret`, `sign=3e0e18af0fe88f89064a2b0cc143bfbe1f0cbb2753c602435fa2115355379405`.
///
/// In the header, the field of the signature is one of ``HTTPHeaders/secretNames``, whatever it is called.
/// - Warning: line 3 does not tell the query from the form, and line 4 is the same for all forms. Whoever can change a
///   request on its way may move a pair from one to the other, and the signature stays valid. A server that reads the same
///   name from both must refuse requests that have it in the other place.
///
/// Scheme, host and other header fields are not signed, so use a key for one service only. The server refuses old
/// timestamps and nonces that it has seen; it knows which of its addresses take bodies that are not signed.
public struct HMACSigner: Signer {
  /// Where the fields of a signature are written.
  public enum Place: Sendable, Hashable {
    /// Behind the pairs of the query.
    case query
    /// In the header.
    case header
  }

  /// How the 32 bytes of a signature are written.
  public enum Encoding: Sendable, Hashable {
    /// 64 lower-case hexadecimal digits.
    case hexadecimal
    /// Base64 with padding (RFC 4648 §4).
    case base64
  }

  /// What the fields of a signature are called.
  ///
  /// They must differ. Under these names a request has nothing else: in the query, what it has is replaced; with a
  /// signature in the header, a parameter of such a name is refused.
  public struct FieldNames: Sendable, Hashable {
    /// The signature.
    public var signature: String
    /// Whole seconds since 1970.
    public var timestamp: String
    /// What makes each request unique.
    public var nonce: String

    /// Makes a set of names.
    ///
    /// - Parameters:
    ///   - signature: the signature.
    ///   - timestamp: whole seconds since 1970.
    ///   - nonce: what makes each request unique.
    public init(signature: String, timestamp: String, nonce: String) {
      self.signature = signature
      self.timestamp = timestamp
      self.nonce = nonce
    }

    /// What they are called in a query unless told: `sign`, `timestamp`, `nonce`.
    public static let query = FieldNames(signature: "sign", timestamp: "timestamp", nonce: "nonce")
    /// What they are called in a header unless told: `X-Signature`, `X-Timestamp`, `X-Nonce`.
    public static let header = FieldNames(signature: "X-Signature", timestamp: "X-Timestamp", nonce: "X-Nonce")
  }

  /// Where the fields are written.
  public let place: Place
  /// What they are called.
  public let names: FieldNames
  /// How the signature is written.
  public let encoding: Encoding

  private let key: Secret<Data>
  private let now: @Sendable () -> Date
  private let nonce: @Sendable () -> String

  /// Makes a signer.
  ///
  /// - Parameters:
  ///   - key: the secret that the server has, too; never shown by any description or dump of the signer.
  ///   - place: where the fields are written. Default: the query.
  ///   - names: what they are called. Default: ``FieldNames/query`` or ``FieldNames/header``.
  ///   - encoding: how the signature is written. Default: hexadecimal digits.
  ///   - now: the time; called for each signature, on the thread that signs. Default: the system's clock.
  ///   - nonce: what makes each request unique, of characters that a header may hold; called for each signature, on the
  ///     thread that signs. Default: a random UUID.
  public init(
    key: Data, place: Place = .query, names: FieldNames? = nil, encoding: Encoding = .hexadecimal,
    now: @escaping @Sendable () -> Date = { Date() },
    nonce: @escaping @Sendable () -> String = { UUID().uuidString }
  ) {
    self.key = Secret(key)
    self.place = place
    self.names = names ?? (place == .query ? .query : .header)
    self.encoding = encoding
    if place == .header { HTTPHeaders.addSecretNames(self.names.signature) }
    self.now = now
    self.nonce = nonce
  }

  /// Adds timestamp, nonce and signature.
  ///
  /// - Parameter draft: the request, complete but for these.
  /// - Throws: a `client` error: ``NetworkError/Code/badSignature`` if the key is empty, two fields have one name, a
  ///   parameter has that of a header field, or the time is out of range; `invalidURL` if the address has no parts.
  public func sign(_ draft: inout RequestDraft) throws(NetworkError) {
    try check()
    var canonical = try CanonicalRequest(draft)
    let own = [names.timestamp, names.nonce, names.signature]
    let seconds = now().timeIntervalSince1970.rounded(.down)
    guard let timestamp = Int64(exactly: seconds) else { throw refusal("the time is out of range") }
    let stamps = [ParameterPair(names.timestamp, String(timestamp)), ParameterPair(names.nonce, nonce())]
    switch place {
    case .query:
      try draft.removeParameters(named: own)
      canonical.removeParameters(named: own)
    case .header:
      guard !canonical.hasParameter(named: own) else { throw refusal("a parameter has the name of a header field") }
    }
    canonical.add(stamps)
    let code = HMAC.sha256(canonical.message, key: key.reveal())
    let signature = encoding == .base64 ? code.base64EncodedString() : code.hexadecimal
    for pair in stamps + [ParameterPair(names.signature, signature)] {
      switch place {
      case .query: draft.query.append(pair)
      case .header: draft.headers[pair.name] = pair.value
      }
    }
  }

  private func check() throws(NetworkError) {
    guard !key.reveal().isEmpty else { throw refusal("the key is empty") }
    let own = [names.signature, names.timestamp, names.nonce]
    guard Set(place == .header ? own.map(\.loweredASCII) : own).count == own.count else {
      throw refusal("two fields have one name")
    }
  }

  private func refusal(_ reason: String) -> NetworkError {
    NetworkError(.client, .badSignature, reason: "the request cannot be signed: \(reason)")
  }
}
