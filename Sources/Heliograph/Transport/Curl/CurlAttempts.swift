#if HELIOGRAPH_CURL
import CCurl

/// The attempts of an exchange: whether its request may be sent, and what follows libcurl's result.
///
/// libcurl resends a request by itself when a keep-alive connection was closed, and asks before each attempt:
///
/// | attempt | connection | request | decision |
/// |---|---|---|---|
/// | first | reused, with unread input | any | not sent; another one follows |
/// | first | any other | any | sent |
/// | any later, after a refusal | any without unread input | any | sent |
/// | second, after no other resend | new | idempotent | sent |
/// | any other | any | any | not sent, because the keep-alive connection was stale |
///
/// Then it reports a result. Another attempt is made once, on a new connection of its own, and never after the first
/// byte of a response. A request counts as idempotent only if its body can be sent again from its beginning, and if no
/// more of it was sent than the buffers of a closed connection hold.
///
/// | result | connection | request | decision |
/// |---|---|---|---|
/// | not sent | reused, with unread input | any | resend, which does not count |
/// | refused repeatedly | HTTP/2 | any | resend |
/// | not sent, or `SEND_FAIL_REWIND` | stale | idempotent | resend |
/// | `GOT_NOTHING`, `SEND_ERROR`, `RECV_ERROR` | reused | idempotent | resend |
/// | `UNSUPPORTED_PROTOCOL`, `WEIRD_SERVER_REPLY`: no HTTP, as left of another one | reused | idempotent | resend |
/// | the same | reused | any other | end |
/// | `HTTP2` | any: it may end at any time, even a new one | idempotent | resend |
/// | `HTTP2` | new | any other | end |
/// | `SEND_FAIL_REWIND`, one of the three or `HTTP2` | as above | any other | failure of a stale connection |
/// | no connection for libcurl's next attempt: name, connect, TLS | reused before | idempotent | end |
/// | no connection, as above | reused before | any other | failure of a stale connection |
/// | any other | any | any | end |
struct CurlAttempts {
  enum Connection {
    case new, reused
    /// A keep-alive connection with unread input, which could be mistaken for the response.
    case unclean
  }

  /// libcurl's result and its account of the attempts.
  struct Result {
    let code: Int
    /// libcurl's text about it.
    var text = ""
    /// Whether libcurl has given up because the server has refused the request repeatedly.
    var isRefused = false
    /// Whether a response has begun, or the exchange was already aborted.
    var isFinal = false
    var canRewind = true
  }

  enum Decision {
    /// Send the request again, on a new connection.
    case resend
    /// Fail: a keep-alive connection was closed, and the request may not be sent twice.
    case failStale
    /// End with libcurl's result.
    case end
  }

  /// The number of attempts since the exchange began, or was resent.
  private(set) var count = 0
  private(set) var resendCount = 0
  private(set) var connection = Connection.reused
  /// Whether libcurl has lost a keep-alive connection and then failed to make another one.
  private(set) var hasFailedToReconnect = false
  private let isIdempotent: Bool
  /// Whether a request on a closed connection is not sent again but fails, so that its sender changes it first.
  private let isSentOnce: Bool
  private var isStale = false
  private var isUnclean = false
  /// Whether the attempt has a new connection, so that a stale connection cannot have caused a failure.
  private var hasNewConnection = false

  init(isIdempotent: Bool, isSentOnce: Bool = false) {
    self.isIdempotent = isIdempotent
    self.isSentOnce = isSentOnce
  }

  /// Whether a request on a closed connection is sent again.
  var isRepeatable: Bool { isIdempotent && !isSentOnce }

  /// Begins one of libcurl's attempts; returns whether the request may be sent.
  ///
  /// `isRefused` says whether the server has refused the previous attempt without processing it.
  mutating func begin(on connection: Connection, isRefused: Bool) -> Bool {
    count += 1
    self.connection = connection
    if count == 1 {
      isUnclean = connection == .unclean
      return !isUnclean
    }
    // Another keep-alive connection may also be closed, so only a new one is accepted.
    let isOwnResend = count == 2 && resendCount == 0 && isRepeatable && connection == .new
    isStale = connection == .unclean || !isRefused && !isOwnResend
    if !isStale { resendCount += 1 }
    return !isStale
  }

  /// Ends the attempts; with `resend` they begin again.
  mutating func end(_ result: Result) -> Decision {
    guard result.code != CCURL_OK, !result.isFinal, !hasNewConnection else { return isStale ? .failStale : .end }
    if isUnclean || result.isRefused {
      resend()
      return .resend
    }
    // From about 8.15 on, the result for a client's key is that of an invalid argument.
    let isForKey = result.code == CCURL_BAD_FUNCTION_ARGUMENT && result.text.contains("private key")
    switch isForKey ? CCURL_SSL_CERTPROBLEM : result.code {
    // libcurl cannot rewind a body that it requests piece by piece; it tries only after a keep-alive connection closed.
    case CCURL_SEND_FAIL_REWIND, CCURL_HTTP2: isStale = true
    case CCURL_GOT_NOTHING, CCURL_SEND_ERROR, CCURL_RECV_ERROR: isStale = isStale || isReused
    case CCURL_UNSUPPORTED_PROTOCOL, CCURL_WEIRD_SERVER_REPLY:
      isStale = isStale || isReused && isIdempotent && result.canRewind
    case CCURL_COULDNT_RESOLVE_PROXY, CCURL_COULDNT_RESOLVE_HOST, CCURL_COULDNT_CONNECT, CCURL_OPERATION_TIMEDOUT,
      CCURL_SSL_CONNECT_ERROR, CCURL_PEER_FAILED_VERIFICATION, CCURL_SSL_PINNEDPUBKEYNOTMATCH, CCURL_PROXY_FAILED,
      CCURL_SSL_CERTPROBLEM, CCURL_SSL_CLIENTCERT, CCURL_SSL_CACERT_BADFILE:
      // These precede the request on a connection, so they are of libcurl's next attempt, which has not begun.
      guard isReused, !isStale else { break }
      guard isIdempotent, !isSentOnce, result.canRewind else { return .failStale }
      hasFailedToReconnect = true
    default: break
    }
    guard isStale else { return .end }
    guard isIdempotent, result.canRewind else {
      return result.code == CCURL_HTTP2 && connection == .new ? .end : .failStale
    }
    if isSentOnce { return .failStale }
    resend()
    return .resend
  }

  /// Whether the last attempt that has begun was sent on a keep-alive connection.
  private var isReused: Bool { count > 0 && connection == .reused }

  private mutating func resend() {
    if !isUnclean { resendCount += 1 }
    count = 0
    isStale = false
    isUnclean = false
    hasNewConnection = true
  }
}
#endif
