#if HELIOGRAPH_CURL
import CCurl

/// When a request is sent, sent again, or not.
extension CurlTransfer {
  /// Whether something has come on a connection of HTTP/1 while the body is being sent: it may be a response after which the
  /// server closes, and libcurl would meet the closed connection by sending, and not read.
  var mustReadFirst: Bool {
    hasReadFirst.toggle()
    if !hasReadFirst || loop.connections.isMultiplexing(connection) { return false }
    hasReadFirst = loop.sockets.hasInput(localPort)
    return hasReadFirst
  }

  /// Begins the request's body anew, for libcurl's own second attempt; `false` if it cannot.
  func rewind(to offset: Int64) -> Bool {
    guard offset == 0, let upload else { return false }
    let depth = ccurl_step_out()
    defer { ccurl_step_in(depth) }
    isSendingPaused = false
    upload.rewind()
    return true
  }

  /// Whether the request may be sent now; libcurl sends it again by itself when a kept connection was closed.
  func mayAttempt(from localPort: Int32) -> Bool {
    attemptCount += 1
    let isOnNewConnection = ccurl_info(handle.easy, CCURL_INFO_NUM_CONNECTS) > 0
    let before = connection
    self.localPort = localPort
    if isOnNewConnection { loop.sockets.note(handle.newSockets, localPort) }
    if isMultiplexing { connection = ccurl_info(handle.easy, CCURL_INFO_CONN_ID) }
    if attemptCount == 1 {
      isUnclean = !isClean(localPort, isNew: isOnNewConnection)
      return !isUnclean
    }
    // See `CurlQuirks`.
    handle.isUsedUp = true
    if isRefused(on: before) {
      resendCount += 1
      return true
    }
    isStale = true
    // Another kept connection may be closed as well: only one made for this attempt will do, or else `prepareResend`.
    guard attemptCount == 2, resendCount == 0, request.isIdempotent, isOnNewConnection else { return false }
    isStale = false
    resendCount = 1
    return true
  }

  /// Whether the server refused the last attempt without processing it (RFC 9113 §8.7: GOAWAY, REFUSED_STREAM): then it may
  /// be sent again, whatever it is.
  ///
  /// libcurl sends a request over HTTP/2 again in two cases. When its connection broke it has written down why; when the
  /// stream was refused it has not.
  private func isRefused(on connection: Int64) -> Bool {
    isMultiplexing && handle.errorText.isEmpty && loop.connections.isMultiplexing(connection)
  }

  /// Notes whether the connection speaks HTTP/2, for the requests after this one; at the end.
  func noteConnection() {
    guard isMultiplexing, connection >= 0, ccurl_info(handle.easy, CCURL_INFO_HTTP_VERSION) == 3 else { return }
    loop.connections.note(connection)
  }

  /// Whether nothing is to be read on the connection, as it has to be before a request.
  private func isClean(_ localPort: Int32, isNew: Bool) -> Bool {
    guard CurlQuirks.sendsOnUncleanConnections else { return true }
    return isNew || !loop.sockets.hasInput(localPort)
  }
}
#endif
