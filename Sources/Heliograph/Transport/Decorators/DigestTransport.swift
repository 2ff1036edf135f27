public import Signals

/// A decorator that answers challenges of Digest authentication (RFC 7616) over any transport.
///
/// ```swift
/// let credentials = try DigestCredentials(user: "ada", password: password)
/// configuration.transport = DigestTransport(transport, origins: [Origin(host: "printer.example")]) { credentials }
/// ```
/// Only requests to `origins` are authenticated, also after a redirect, so the credentials reach no other origin. A
/// request with its own `Authorization` field is passed on unchanged. A 401 without a supported challenge is delivered.
/// Supported is the quality of protection `auth` with SHA-256 or MD5, each also as `-sess`. SHA-256 is preferred.
///
/// The first request to an origin is sent twice, including its body: the first time without credentials, to get the
/// challenge. Later requests use the same nonce with the next count. If the server reports the nonce as stale, the
/// request is sent once more. A 401 that rejects an answer is delivered. `Set-Cookie` fields of an answered 401 are
/// dropped.
///
/// Digest authentication protects the password, but neither the URL nor the body. Use `https`.
public struct DigestTransport: Transport {
  /// The transport that sends the requests.
  public let next: any Transport
  /// The origins whose challenges are answered.
  public let origins: Set<Origin>
  let credentials: @Sendable () -> DigestCredentials?
  let nonces: DigestNonces
  let makeClientNonce: @Sendable () -> String

  /// Creates the decorator.
  ///
  /// - Parameters:
  ///   - next: the transport that sends the requests.
  ///   - origins: the origins whose challenges are answered.
  ///   - credentials: returns name and password, and is called for each answer. With `nil` no challenge is answered. It
  ///     is called on any thread and must not block.
  public init(
    _ next: any Transport, origins: Set<Origin>, credentials: @escaping @Sendable () -> DigestCredentials?
  ) {
    self.init(next, origins: origins, credentials: credentials) {
      (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
    }
  }

  /// Creates the decorator with a source of client nonces.
  init(
    _ next: any Transport, origins: Set<Origin>, credentials: @escaping @Sendable () -> DigestCredentials?,
    makeClientNonce: @escaping @Sendable () -> String
  ) {
    self.next = next
    self.origins = origins
    self.credentials = credentials
    self.makeClientNonce = makeClientNonce
    nonces = DigestNonces()
  }

  /// Whether the wrapped transport needs a network.
  public var usesNetwork: Bool { next.usesNetwork }

  /// Sends the request, and again with an answer if the server challenges it.
  ///
  /// - Parameter request: the request to send.
  /// - Returns: a signal of the last exchange. It fails as the wrapped transport does.
  public func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    guard request.headers["Authorization"] == nil, let origin = Origin(request.url), origins.contains(origin) else {
      return next.send(request)
    }
    if request.needsDeadline { return request.limited(send) }
    return Signal { observer in
      let exchange = DigestExchange(self, request, origin, observer)
      exchange.begin()
      return Disposable(source: exchange)
    }
  }

  /// Returns the request with an answer to a challenge; `nil` without credentials.
  func answering(_ challenge: DigestChallenge, count: UInt32, _ request: HTTPRequest) -> HTTPRequest? {
    guard let credentials = credentials() else { return nil }
    var request = request
    request.headers["Authorization"] = challenge.answer(
      credentials, method: request.method.rawValue, target: request.url.requestTarget, count: count,
      clientNonce: makeClientNonce())
    return request
  }
}

/// The last challenge of each origin, with the number of answers to it.
final class DigestNonces: Sendable {
  private struct Space {
    var challenge: DigestChallenge
    var count: UInt32 = 0
  }

  private let spaces = Guarded<[Origin: Space]>([:])

  /// Returns the challenge of an origin with the next nonce count; `nil` if there is none.
  func next(for origin: Origin) -> (challenge: DigestChallenge, count: UInt32)? {
    spaces.withLock { spaces in
      guard let space = spaces[origin], space.count < .max else { return nil }
      spaces[origin]?.count += 1
      return (space.challenge, space.count + 1)
    }
  }

  /// Stores a challenge; the count of a known nonce continues.
  func note(_ challenge: DigestChallenge, for origin: Origin) {
    spaces.withLock { spaces in
      let isKnown = spaces[origin]?.challenge.nonce == challenge.nonce
      if isKnown { spaces[origin]?.challenge = challenge } else { spaces[origin] = Space(challenge: challenge) }
    }
  }

  /// Stores a server's `nextnonce` (RFC 7616 §3.5), unless another request has stored a new nonce meanwhile.
  func note(next nonce: String, after former: String, for origin: Origin) {
    spaces.withLock { spaces in
      guard var challenge = spaces[origin]?.challenge, challenge.nonce == former, nonce != former else { return }
      challenge.nonce = nonce
      spaces[origin] = Space(challenge: challenge)
    }
  }
}
