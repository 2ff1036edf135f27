#if HELIOGRAPH_CURL
import CCurl

/// The decisions on sending and resending a request.
extension CurlTransfer {
  /// Whether input has arrived on an HTTP/1 connection while the body is being sent, so that it must be read first.
  ///
  /// It may be a response after which the server closes the connection. libcurl would notice the closed connection
  /// while sending, and not read the response.
  var mustReadFirst: Bool {
    hasReadFirst.toggle()
    if !hasReadFirst || loop.connections.isMultiplexing(connection) { return false }
    hasReadFirst = loop.sockets.hasInput(localPort)
    return hasReadFirst
  }

  /// Rewinds the request's body for libcurl's own second attempt; returns `false` if it cannot.
  func rewind(to offset: Int64) -> Bool {
    guard offset == 0, let upload, upload.canRewind else { return false }
    let depth = ccurl_step_out()
    defer { ccurl_step_in(depth) }
    isSendingPaused = false
    upload.rewind()
    return true
  }

  /// Returns whether the request may be sent now; libcurl resends it by itself when a kept connection was closed.
  func mayAttempt(from localPort: Int32) -> Bool {
    attemptCount += 1
    let isRefused = isRefused
    let connectCount = ccurl_info(handle.easy, CCURL_INFO_NUM_CONNECTS)
    let isOnNewConnection = connectCount > self.connectCount
    self.connectCount = connectCount
    self.isOnNewConnection = isOnNewConnection
    self.localPort = localPort
    if isOnNewConnection { loop.sockets.note(handle.newSockets, localPort) }
    if isMultiplexing {
      loop.connections.endWait(of: self)
      connection = ccurl_info(handle.easy, CCURL_INFO_CONN_ID)
      loop.connections.beginWait(of: self)
    }
    if attemptCount == 1 {
      isUnclean = !isClean(localPort, isNew: isOnNewConnection)
      return !isUnclean
    }
    // See `CurlQuirks`.
    handle.isUsedUp = true
    if isRefused {
      resendCount += 1
      return true
    }
    isStale = true
    // Another kept connection may be closed, too: only a new one is accepted, otherwise `prepareResend` follows.
    guard attemptCount == 2, resendCount == 0, request.isIdempotent, isOnNewConnection else { return false }
    isStale = false
    resendCount = 1
    return true
  }

  /// Whether the server refused the last attempt without processing it (RFC 9113 §8.7: GOAWAY, REFUSED_STREAM).
  ///
  /// Such a request may be resent, whatever its method. libcurl resends a request over HTTP/2 in two cases. If the
  /// connection broke, libcurl has set an error message; if the stream was refused, it has not. Over HTTP/1.1 it resends
  /// a request on a kept connection only, without a message.
  private var isRefused: Bool {
    isMultiplexing && handle.errorText.isEmpty && (isOnNewConnection || loop.connections.isMultiplexing(connection))
  }

  /// Whether libcurl gave the request up after the server had refused it six times.
  ///
  /// libcurl keeps the first message of a transfer, which is another one if a connection broke.
  var isRefusedRepeatedly: Bool {
    isMultiplexing && handle.errorText.hasPrefix("Connection died, tried")
      && loop.connections.isMultiplexing(connection)
  }

  /// Records whether the connection uses HTTP/2; called with the head of a response.
  func noteConnection() {
    guard isMultiplexing else { return }
    loop.connections.endWait(of: self)
    if ccurl_info(handle.easy, CCURL_INFO_HTTP_VERSION) == 3 { loop.connections.note(connection) }
  }

  /// Returns whether the connection has nothing to read, as is required before a request.
  private func isClean(_ localPort: Int32, isNew: Bool) -> Bool {
    guard CurlQuirks.sendsOnUncleanConnections else { return true }
    return isNew || !loop.sockets.hasInput(localPort)
  }
}
#endif
