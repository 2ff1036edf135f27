#if HELIOGRAPH_CURL
import CCurl

/// The decisions on sending and resending a request.
extension CurlTransfer {
  /// Returns whether input has arrived on an HTTP/1 connection while the body is being sent, so that it must be read
  /// first.
  ///
  /// It may be a response after which the server closes the connection: libcurl would fail while sending and not read
  /// the response. The result is `true` at most once per piece of the body.
  func claimReading() -> Bool {
    flow.claimReading(!loop.connections.isMultiplexing(connection) && loop.sockets.hasInput(localPort))
  }

  /// Rewinds the request's body for libcurl's own second attempt; returns `false` if it cannot.
  func rewind(to offset: Int64) -> Bool {
    guard offset == 0, let upload, upload.canRewind else { return false }
    let depth = ccurl_step_out()
    defer { ccurl_step_in(depth) }
    flow.resumeSending()
    upload.rewind()
    return true
  }

  /// Begins an attempt of libcurl's; returns whether the request may be sent now.
  func beginAttempt(from localPort: Int32) -> Bool {
    let isRefused = isRefused
    let connectCount = ccurl_info(handle.easy, CCURL_INFO_NUM_CONNECTS)
    let isNew = connectCount > self.connectCount
    self.connectCount = connectCount
    self.localPort = localPort
    if isNew { loop.sockets.record(handle.newSockets, localPort) }
    if isMultiplexing {
      loop.connections.endWait(of: self)
      connection = ccurl_info(handle.easy, CCURL_INFO_CONN_ID)
      loop.connections.beginWait(of: self)
    }
    let isUnclean = CurlQuirks.sendsOnUncleanConnections && !isNew && loop.sockets.hasInput(localPort)
    let maySend = attempts.begin(on: isNew ? .new : isUnclean ? .unclean : .reused, isRefused: isRefused)
    // See `CurlQuirks`.
    if attempts.count > 1 { handle.isUsedUp = true }
    return maySend
  }

  /// Whether the server refused the last attempt without processing it (RFC 9113 §8.7: GOAWAY, REFUSED_STREAM).
  ///
  /// Such a request may be resent, whatever its method. libcurl resends a request over HTTP/2 in two cases. If the
  /// connection broke, libcurl has set an error message; if the stream was refused, it has not. Over HTTP/1.1 it
  /// resends a request on a keep-alive connection only, without a message.
  private var isRefused: Bool {
    isMultiplexing && handle.errorText.isEmpty
      && (attempts.connection == .new || loop.connections.isMultiplexing(connection))
  }

  /// Whether libcurl gave up after the server had refused the request six times.
  ///
  /// libcurl retains the first error message of a transfer, which has another cause if a connection broke.
  var isRefusedRepeatedly: Bool {
    isMultiplexing && handle.errorText.hasPrefix("Connection died, tried")
      && loop.connections.isMultiplexing(connection)
  }

  /// Ends the wait for a response and records whether its connection uses HTTP/2.
  func endWait() {
    loop.connections.endWait(of: self)
    if ccurl_info(handle.easy, CCURL_INFO_HTTP_VERSION) == 3 { loop.connections.record(connection) }
  }
}
#endif
