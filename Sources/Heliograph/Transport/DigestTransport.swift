public import Signals

/// A decorator that answers a server's challenge of Digest authentication (RFC 7616), over every transport.
///
/// ```swift
/// let credentials = try DigestCredentials(user: "ada", password: password)
/// configuration.transport = DigestTransport(transport, origins: [Origin(host: "printer.example")]) { credentials }
/// ```
/// Only requests to `origins` are answered for, also after a redirect, so the credentials go nowhere else. A request with an
/// `Authorization` of its own is left alone, and so is a 401 without a challenge that can be answered: of the quality of
/// protection `auth`, over SHA-256 or MD5, also as `-sess`. SHA-256 is preferred.
///
/// The first request to an origin is sent twice, with its body: the first time without credentials, for the challenge. Later ones
/// carry an answer with the next count of the same nonce, until the server says that the nonce is too old; then they are sent
/// once more. The 401 of a refused answer is delivered. `Set-Cookie` fields of a 401 that is answered are dropped.
///
/// Digest protects the password and neither the address nor the body: use `https`.
public struct DigestTransport: Transport {
  /// What carries the requests.
  public let next: any Transport
  /// The origins whose challenges are answered.
  public let origins: Set<Origin>
  let credentials: @Sendable () -> DigestCredentials?
  let nonces: DigestNonces
  let makeClientNonce: @Sendable () -> String

  /// Makes the decorator.
  ///
  /// - Parameters:
  ///   - next: what carries the requests.
  ///   - origins: the origins whose challenges are answered.
  ///   - credentials: gives name and password, for each answer anew; with `nil` nothing is answered. It is called on any thread
  ///     and must not wait.
  public init(
    _ next: any Transport, origins: Set<Origin>, credentials: @escaping @Sendable () -> DigestCredentials?
  ) {
    self.init(next, origins: origins, credentials: credentials) {
      (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
    }
  }

  /// Makes the decorator with a source of its own nonces.
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

  /// Whether what it holds needs a network.
  public var usesNetwork: Bool { next.usesNetwork }

  /// The exchange; of several the last.
  ///
  /// - Parameter request: what to send.
  /// - Returns: the signal. It fails as the transport does.
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

  /// The request with an answer to a challenge; `nil` without credentials.
  func answering(_ challenge: DigestChallenge, count: UInt32, _ request: HTTPRequest) -> HTTPRequest? {
    guard let credentials = credentials() else { return nil }
    var request = request
    request.headers["Authorization"] = challenge.answer(
      credentials, method: request.method.rawValue, target: request.url.requestTarget, count: count,
      clientNonce: makeClientNonce())
    return request
  }
}

/// The last challenge of each origin, and how often it has been answered.
final class DigestNonces: Sendable {
  private struct Space {
    var challenge: DigestChallenge
    var count: UInt32 = 0
  }

  private let spaces = Guarded<[Origin: Space]>([:])

  /// The challenge of an origin with the next count; `nil` if there is none.
  func next(for origin: Origin) -> (challenge: DigestChallenge, count: UInt32)? {
    spaces.withLock { spaces in
      guard let space = spaces[origin], space.count < .max else { return nil }
      spaces[origin]?.count += 1
      return (space.challenge, space.count + 1)
    }
  }

  /// Notes a challenge; the count of a nonce that is known goes on.
  func note(_ challenge: DigestChallenge, for origin: Origin) {
    spaces.withLock { spaces in
      let isKnown = spaces[origin]?.challenge.nonce == challenge.nonce
      if isKnown { spaces[origin]?.challenge = challenge } else { spaces[origin] = Space(challenge: challenge) }
    }
  }

  /// Notes the nonce that a server wants next (RFC 7616 §3.5), unless another request has got a new one meanwhile.
  func note(next nonce: String, after former: String, for origin: Origin) {
    spaces.withLock { spaces in
      guard var challenge = spaces[origin]?.challenge, challenge.nonce == former, nonce != former else { return }
      challenge.nonce = nonce
      spaces[origin] = Space(challenge: challenge)
    }
  }
}
