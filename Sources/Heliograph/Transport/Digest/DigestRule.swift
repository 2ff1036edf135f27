/// One exchange of a request whose Digest challenges are answered with credentials.
struct DigestRule: ExchangeRule {
  /// The request without credentials.
  private(set) var request: HTTPRequest
  let origin: Origin
  let transport: DigestTransport
  /// The challenge to this request; `nil` to use that of an earlier request to the origin, which may be stale.
  var challenge: DigestChallenge?
  /// The challenge that the request as sent answers.
  private var sent: DigestChallenge?
  /// The number of exchanges that may follow: a new nonce after a cached one, and one more if the new one is stale.
  private var remaining = 2

  init(_ request: HTTPRequest, to origin: Origin, _ transport: DigestTransport) {
    self.request = request
    self.origin = origin
    self.transport = transport
  }

  var isIdempotent: Bool { request.isIdempotent }
  var isRedirecting: Bool { false }
  var isAuthenticated: Bool { sent != nil }
  var isAfterEffect: Bool { false }

  mutating func makeRequest() -> HTTPRequest {
    let isStream = if case .stream = request.body { true } else { false }
    guard let parameters = transport.nonces.next(for: origin, answering: challenge, isOnlyOnce: isStream),
      let authenticated = transport.authenticated(parameters, request)
    else { return request }
    sent = parameters.challenge
    return authenticated
  }

  func hasLostCredentials(at head: HTTPResponse) -> Bool { false }

  func successor(after head: HTTPResponse) -> DigestRule? {
    guard head.statusCode == 401 else {
      storeNextNonce(head)
      return nil
    }
    guard let received = DigestChallenge(head.headers) else { return nil }
    if let sent, isRejection(received) {
      transport.nonces.recordRejection(of: sent.nonce, for: origin)
      return nil
    }
    guard remaining > 0, transport.hasCredentials, transport.nonces.store(received, for: origin) else { return nil }
    // Sent again, a body that was read would fail; the 401 is delivered, and the next request answers the challenge.
    if request.body.isSpent { return nil }
    var next = self
    next.challenge = received
    next.sent = nil
    next.remaining -= 1
    return next
  }

  /// A request whose keep-alive connection was closed is sent again on a new one, with the next count: a server that
  /// has received the first one takes the same count for a replay (RFC 7616 §3.4).
  func repetition(after error: NetworkError) -> DigestRule? {
    guard error.marks.isOfClosedConnection, request.isRepeatableOnNewConnection else { return nil }
    var next = self
    next.sent = nil
    next.request.context.needsNewConnection = true
    return next
  }

  /// Returns whether a challenge rejects the credentials that were just sent; that of another realm does not, even with
  /// the same nonce: they were sent for the former realm (RFC 9110 §11.5).
  private func isRejection(_ received: DigestChallenge) -> Bool {
    guard let sent, sent.realm.hasSameBytes(as: received.realm), !received.isStale else { return false }
    return challenge != nil || received.nonce.hasSameBytes(as: sent.nonce)
  }

  private func storeNextNonce(_ head: HTTPResponse) {
    guard let sent, let field = head.headers["Authentication-Info"],
      let next = AuthenticationChallenge.parameters(in: field)["nextnonce"], !next.hasControlCharacter
    else { return }
    transport.nonces.store(next: next, after: sent.nonce, for: origin)
  }
}

extension HTTPRequest {
  /// Whether the request may be sent again after its keep-alive connection was closed.
  var isRepeatableOnNewConnection: Bool { !context.needsNewConnection && isIdempotent && !body.isSpent }
}
