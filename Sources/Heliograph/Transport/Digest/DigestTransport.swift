public import Signals

/// A decorator for Digest authentication (RFC 7616) over any transport.
///
/// ```swift
/// let printer = Origin(host: "printer.example")
/// configuration.transport = DigestTransport(transport, origins: [printer]) { (user: "ada", password: password) }
/// ```
/// Only requests to `origins` are authenticated, even after a redirect, so the credentials reach no other origin. A
/// request with its own `Authorization` field is passed on unchanged. A 401 without a supported challenge is delivered.
/// The quality of protection `auth` is supported, with SHA-256 or MD5, each also as `-sess`. SHA-256 is preferred;
/// after a SHA-256 challenge, an MD5 challenge of the same origin is not answered.
///
/// The first request to an origin is sent twice, including its body: the first time without credentials, to get the
/// challenge. Later requests use the same nonce with an incremented count. If the server reports the nonce as stale,
/// the request is sent again. A body that can be read only once is not sent again once sending has begun: the 401 is
/// delivered, and the next request uses its challenge. Send a request without a body first, such as a `HEAD`. A 401
/// that rejects the credentials is delivered, and the next request begins without credentials. `Set-Cookie` fields of
/// an answered 401 are dropped. A request of an ``HMACSigner`` has the same nonce each time.
///
/// A client without ``NetworkClient/Configuration/account`` caches no response to a request that was sent with
/// credentials. If users sign in, set the account: a response that needed no challenge is stored for all of them, and a
/// request with `isCoalesced` may join that of another user.
///
/// Digest authentication protects the password, but neither the URL nor the body. Use `https`.
public struct DigestTransport: Transport {
  /// The transport that sends the requests.
  public let next: any Transport
  /// The origins whose challenges are answered.
  public let origins: Set<Origin>
  let credentials: @Sendable () throws(NetworkError) -> DigestCredentials?
  private let exchanges: any ChainedTransport
  let nonces: DigestNonces

  /// Creates the decorator.
  ///
  /// - Parameters:
  ///   - next: The transport that sends the requests.
  ///   - origins: The origins whose challenges are answered.
  ///   - credentials: Returns the user name and the password; with `nil` no challenge is answered. The closure may
  ///     be called several times for a request, on any thread, and must not block. Both values are used as UTF-8 in
  ///     Unicode normalization form C (RFC 7616 §4), and either may be empty. A colon in the user name, or a control
  ///     character in the user name or the password, fails the request with
  ///     ``NetworkError/Code/invalidCredentials``.
  public init(
    _ next: any Transport, origins: Set<Origin>,
    credentials: @escaping @Sendable () -> (user: String, password: String)?
  ) {
    let checked: @Sendable () throws(NetworkError) -> DigestCredentials? = { () throws(NetworkError) in
      guard let pair = credentials() else { return nil }
      return Secret(try Authorization.checked(user: pair.user, password: pair.password))
    }
    self.init(next, origins: origins, credentials: checked) {
      (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
    }
  }

  init(
    _ next: any Transport, origins: Set<Origin>,
    credentials: @escaping @Sendable () throws(NetworkError) -> DigestCredentials?,
    makeClientNonce: @escaping @Sendable () -> String
  ) {
    self.next = next
    exchanges = next.chained
    self.origins = origins
    self.credentials = credentials
    nonces = DigestNonces(makeClientNonce)
  }

  /// Whether the wrapped transport needs a network.
  public var usesNetwork: Bool { next.usesNetwork }

  /// Sends the request; if the server responds with a challenge, sends it again with credentials.
  ///
  /// - Parameter request: The request to send.
  /// - Returns: A signal of the last exchange. Failures of the wrapped transport are passed on, except that over a
  ///   ``CurlTransport`` an idempotent request whose keep-alive connection was closed is sent once more, with the next
  ///   count.
  public func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    guard request.headers["Authorization"] == nil, let origin = Origin(request.url), origins.contains(origin) else {
      return next.send(request)
    }
    if request.needsDeadline { return request.limited(send) }
    return Signal { observer in
      do throws(NetworkError) {
        _ = try credentials()
      } catch {
        observer.fail(error.attaching(request))
        return nil
      }
      let handle = Disposable()
      observer.hold(handle)
      let context = ExchangeContext(scope: handle, pressure: observer.pressure) { observer.send($0) }
      ExchangeSequence(of: request, over: exchanges, in: context).start(DigestRule(request, to: origin, self))
      return nil
    }
  }

  var hasCredentials: Bool { (try? credentials()) != nil }

  /// Returns the request with the response to a challenge; `nil` without credentials.
  func authenticated(_ parameters: DigestNonces.ResponseParameters, _ request: HTTPRequest) -> HTTPRequest? {
    guard let credentials = try? credentials() else { return nil }
    var request = request
    request.context.isSentOnce = true
    request.headers["Authorization"] = parameters.challenge.authorization(
      credentials, method: request.method.rawValue, target: request.url.requestTarget, count: parameters.count,
      clientNonce: parameters.clientNonce)
    return request
  }
}

/// A user name and a password, checked for Digest authentication.
typealias DigestCredentials = Secret<(user: String, password: String)>

/// The latest challenge of each origin, and the number of responses with each of its nonces.
final class DigestNonces: Sendable {
  /// The parameters of a response to a challenge, besides the request and the credentials.
  struct ResponseParameters {
    let challenge: DigestChallenge
    /// The number of responses with the nonce, including this one.
    let count: UInt32
    let clientNonce: String
  }

  private struct NonceUse {
    let nonce: String
    /// The client nonce of the first response, from which a session key is computed (RFC 7616 §3.4.2).
    let clientNonce: String
    var count: UInt32 = 0
  }

  private struct OriginState {
    /// The latest challenge; after one with SHA-256 only such challenges.
    var challenge: DigestChallenge
    /// Whether the server has rejected the credentials sent for the challenge, which are then not sent in advance: each
    /// such login counts for a server that locks the account.
    var isRejected = false
    /// The nonces, ordered by last use; several servers may alternate, and the count of each nonce continues.
    var uses: [NonceUse] = []

    /// Counts a response with a nonce; returns `nil` if there are too many.
    mutating func countUse(with nonce: String, _ clientNonce: String) -> NonceUse? {
      let index = uses.lastIndex { $0.nonce.hasSameBytes(as: nonce) }
      var use = index.map { uses.remove(at: $0) } ?? NonceUse(nonce: nonce, clientNonce: clientNonce)
      if use.count < .max { use.count += 1 } else { return nil }
      if uses.count >= DigestNonces.limit { uses.removeFirst() }
      uses.append(use)
      return use
    }
  }

  /// The maximum number of counted nonces per origin.
  private static let limit = 64

  private let states = Guarded<[Origin: OriginState]>([:])
  private let makeClientNonce: @Sendable () -> String

  init(_ makeClientNonce: @escaping @Sendable () -> String) { self.makeClientNonce = makeClientNonce }

  /// Returns the parameters of the next response to a challenge.
  ///
  /// `challenge` is that of the request, because others may have received other nonces; `nil` for the stored one.
  /// Credentials that were rejected are sent in advance only with a body that cannot be sent again.
  func next(
    for origin: Origin, answering challenge: DigestChallenge?, isOnlyOnce: Bool = false
  ) -> ResponseParameters? {
    let newClientNonce = makeClientNonce()
    return states.withLock { states in
      let stored = states[origin].flatMap { $0.isRejected && !isOnlyOnce ? nil : $0.challenge }
      guard let challenge = challenge ?? stored,
        let use = states[origin, default: OriginState(challenge: challenge)]
          .countUse(with: challenge.nonce, newClientNonce)
      else { return nil }
      let clientNonce = challenge.algorithm.isSession ? use.clientNonce : newClientNonce
      return ResponseParameters(challenge: challenge, count: use.count, clientNonce: clientNonce)
    }
  }

  /// Stores a challenge; returns `false` if it is weaker than an earlier one of its origin.
  ///
  /// After SHA-256, MD5 is refused, because an attacker may have injected it.
  func store(_ challenge: DigestChallenge, for origin: Origin) -> Bool {
    states.withLock { states in
      if !challenge.algorithm.isSHA256, states[origin]?.challenge.algorithm.isSHA256 == true { return false }
      states[origin, default: OriginState(challenge: challenge)].challenge = challenge
      states[origin]?.isRejected = false
      return true
    }
  }

  /// Records that the server has rejected the credentials sent with a nonce.
  func recordRejection(of nonce: String, for origin: Origin) {
    states.withLock { states in
      if states[origin]?.challenge.nonce.hasSameBytes(as: nonce) == true { states[origin]?.isRejected = true }
    }
  }

  /// Stores a server's `nextnonce` (RFC 7616 §3.5), unless another request has already replaced the nonce.
  func store(next nonce: String, after former: String, for origin: Origin) {
    // With a session algorithm the first nonce is retained, because the session's key was computed from it.
    states.withLock { states in
      guard let challenge = states[origin]?.challenge, challenge.nonce.hasSameBytes(as: former),
        !challenge.algorithm.isSession
      else {
        return
      }
      states[origin]?.challenge.nonce = nonce
    }
  }
}
