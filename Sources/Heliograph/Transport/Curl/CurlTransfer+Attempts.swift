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
    flow.claimReading(!loop.connections.isMultiplexing(connection) && loop.sockets.hasInput(endpoints))
  }

  /// The number of bytes of a body after which an HTTP/1 connection cannot have been closed before the request: more
  /// than the buffers of its sockets usually hold.
  private static let takenByteCount = 4_194_304

  /// Whether the server has received so much of the body that it may be processing it.
  private var isTaken: Bool { isOnKeptHTTP1 && (upload?.offset ?? 0) > Self.takenByteCount }

  /// Whether the body can be sent again from its beginning, because its connection may have been closed before.
  private var canRewind: Bool { upload?.canRewind != false && !isTaken }

  /// Rewinds the request's body for libcurl's own second attempt; returns `false` if it is not to be sent again.
  func rewind(to offset: Int64) -> Bool {
    guard offset == 0, let upload, canRewind, !isOnKeptHTTP1 || attempts.isRepeatable else {
      lostByteCount = upload.map { Int(clamping: $0.offset) }
      // See `CurlQuirks`.
      handle.isUsedUp = true
      return false
    }
    let depth = ccurl_step_out()
    defer { ccurl_step_in(depth) }
    flow.resumeSending()
    upload.rewind()
    return true
  }

  /// Begins an attempt of libcurl's; returns whether the request may be sent now.
  func beginAttempt(on endpoints: CurlEndpoints) -> Bool {
    guard handle.head.byteCount == 0 else {
      // libcurl resends a request that demands HTTP/1.1 whatever has arrived.
      callbackError = NetworkError(
        .connectionLost, reason: "request refused after the beginning of a response", request: request)
      return false
    }
    lastActivityAt = loop.now
    socketCount = handle.newSockets.count
    let connectCount = ccurl_info(handle.easy, CCURL_INFO_NUM_CONNECTS)
    let isNew = connectCount > self.connectCount
    self.connectCount = connectCount
    let isRefused = claimRefusal(isNew: isNew)
    self.endpoints = endpoints
    if isNew {
      if handle.resolved.settings.unixSocketPath == nil {
        loop.sockets.record(handle.newSockets, endpoints)
      } else {
        // There is only one candidate.
        self.endpoints.unixSocket = handle.newSockets.last
      }
    }
    if isMultiplexing {
      loop.connections.endWait(of: self)
      connection = ccurl_info(handle.easy, CCURL_INFO_CONN_ID)
      loop.connections.beginWait(of: self)
    }
    // It was disposed while libcurl connected; the engine learns of that in its next iteration.
    if observer.isDisposed { return false }
    if request.isStale {
      isDropped = true
      return false
    }
    let isUnclean = CurlQuirks.sendsOnUncleanConnections && !isNew && hasUncleanConnection
    // Otherwise libcurl would choose it again.
    if isUnclean, isMultiplexing { handle.forbidsReuse = true }
    let maySend = attempts.begin(on: isNew ? .new : isUnclean ? .unclean : .reused, isRefused: isRefused)
    // See `CurlQuirks`. A pause cannot be changed before the handle has a connection, as it has here.
    if flow.hasPausedSending {
      flow.resumeSending()
      applyPauses()
    }
    if attempts.count == 1 {
      isOnKeptHTTP1 = !isNew && !loop.connections.isMultiplexing(connection)
      return maySend
    }
    // See `CurlQuirks`.
    handle.isUsedUp = true
    guard maySend, claimWholeBody(isRefused) else { return false }
    resentAt = .now
    return true
  }

  /// Whether the reused connection was closed, or has unread input that could be mistaken for the response.
  ///
  /// Over HTTP/2, frames may be unread at any time, so only its end counts.
  private var hasUncleanConnection: Bool {
    loop.connections.isMultiplexing(connection) ? loop.sockets.isClosed(endpoints) : loop.sockets.hasInput(endpoints)
  }

  /// Rewinds the body for a resend, which libcurl does not do itself if a server demands HTTP/1.1 on a new connection;
  /// returns `false` if it cannot.
  private func claimWholeBody(_ isRefused: Bool) -> Bool {
    guard let upload, upload.offset > 0, !rewind(to: 0) else { return true }
    callbackError =
      isRefused
      ? NetworkError(
        .connectionLost, reason: "HTTP/1.1 required; not retried: the body is a stream that cannot be read again",
        request: request)
      : staleFailure
    return false
  }

  /// Whether libcurl makes another attempt's connection, so that the measurements are those of the previous one.
  var isReconnecting: Bool {
    // A request that must not be repeated keeps these, because the server may have processed it.
    if isFinished { return attempts.hasFailedToReconnect }
    return attempts.count > 0 && handle.newSockets.count > socketCount && request.isIdempotent && canRewind
  }

  /// Whether there is no connection yet, or not yet another one.
  var isConnecting: Bool { attempts.count == 0 || isReconnecting }

  /// Whether the request was sent on a kept connection on which nothing of the response has arrived; over HTTP/2 other
  /// exchanges show whether such a connection is alive.
  var isUnanswered: Bool {
    attempts.count > 0 && attempts.connection == .reused && handle.head.byteCount == 0
      && !loop.connections.isMultiplexing(connection)
  }

  /// Returns whether the server refused the last attempt without processing it (RFC 9113 §8.7: GOAWAY, REFUSED_STREAM;
  /// §7: HTTP_1_1_REQUIRED).
  ///
  /// Such a request may be resent, whatever its method. libcurl resends a request over HTTP/2 in three cases. If the
  /// connection broke, libcurl has set an error message; if the stream was refused, it has not. If HTTP/1.1 is
  /// required, the message is that of the stream or, on a connection that was not reused, that of an empty reply, which
  /// libcurl sets before a resend in no other case. Over HTTP/1.1 it resends a request on a keep-alive connection only,
  /// without a message. `isNew` says whether the attempt has a new connection, for which some versions discard the
  /// message.
  private func claimRefusal(isNew: Bool) -> Bool {
    guard isMultiplexing, attempts.count > 0 else { return false }
    let text = handle.errorText
    let mayBeRefused = attempts.connection == .new || loop.connections.isMultiplexing(connection)
    let isRefusal =
      text.isEmpty
      ? mayBeRefused && !(isNew && CurlQuirks.discardsMessages)
      : text.contains("HTTP_1_1_REQUIRED") || mayBeRefused && text == "Empty reply from server"
    // The next attempt would be taken for refused, too, and the message is not that of a later failure.
    if isRefusal { handle.clearErrorText() }
    return isRefusal
  }

  /// Whether libcurl gave up after the server had refused the request six times.
  var isRefusedRepeatedly: Bool {
    // libcurl retains the first error message of a transfer, which has another cause if a connection broke.
    isMultiplexing && handle.errorText.hasPrefix("Connection died, tried")
      && loop.connections.isMultiplexing(connection)
  }

  /// Ends the wait for a response and records whether its connection uses HTTP/2.
  func endWait() {
    loop.connections.endWait(of: self)
    if usesHTTP2 { loop.connections.record(connection, inputAt: loop.now) }
  }

  /// Ends the wait for a response, if there was none, and records the last input of the exchange.
  func recordEnd() {
    loop.connections.endWait(of: self)
    guard let lastReceivedAt, loop.connections.isMultiplexing(connection) else { return }
    loop.connections.record(connection, inputAt: lastReceivedAt)
  }

  /// Whether the response has come over HTTP/2, in which a body ends with its stream.
  var usesHTTP2: Bool { isMultiplexing && ccurl_info(handle.easy, CCURL_INFO_HTTP_VERSION) == 3 }
}

extension CurlTransfer {
  /// The consequence of libcurl's result.
  enum End {
    case resend
    /// Wait until the consumer has taken the rest of the decoded data.
    case hold
    /// End silently: the fence reports the failure.
    case drop
    /// Fail the exchange, or complete it with `nil`.
    case end(NetworkError?)
  }

  func end(with code: Int) -> End {
    isFinished = true
    if isDropped { return .drop }
    let result = CurlAttempts.Result(
      code: code, text: handle.errorText, isRefused: code != CCURL_OK && isRefusedRepeatedly,
      isFinal: callbackError != nil || handle.head.byteCount != 0 || observer.isDisposed,
      canRewind: canRewind)
    switch attempts.end(result) {
    case .resend: return .resend
    case .failStale: return .end(callbackError ?? staleFailure)
    case .end:
      // Some versions of libcurl also end a paused transfer once all of its data has arrived.
      if callbackError == nil, decoder?.hasPendingOutput == true, flow.hold(code) {
        handle.isUsedUp = true
        return .hold
      }
      return .end(failure(for: code))
    }
  }

  /// Prepares another attempt on a new connection.
  func prepareResend() {
    isFinished = false
    connectCount = 0
    flow.resumeSending()
    lastActivityAt = loop.now
    handle.clear()
    handle.useNewConnection()
    upload?.rewind()
    measuredSince = .now
  }

  private var staleFailure: NetworkError {
    let reason =
      if !request.isIdempotent {
        "keep-alive connection closed before a response; not retried: the request is not idempotent"
      } else if upload?.canRewind == false {
        "keep-alive connection closed before a response; not retried: the body is a stream that cannot be read again"
      } else if isTaken {
        "keep-alive connection closed before a response; not retried: the server may have the whole body"
      } else if request.context.isSentOnce {
        "keep-alive connection closed before a response"
      } else {
        "a keep-alive connection and then a new one closed before a response"
      }
    var error = NetworkError(.connectionLost, reason: reason, request: request)
    if request.context.isSentOnce, !isTaken { error.marks.isOfClosedConnection = true }
    return error
  }

  /// Returns the error for libcurl's result; `nil` if the transfer succeeded.
  func failure(for result: Int) -> NetworkError? {
    if let callbackError { return callbackError }
    if hasCompleteResponse, result != CCURL_OK { return nil }
    if result != CCURL_OK {
      // Over HTTP/2, the text about a head may be that of another transfer on the connection.
      let isOfOther = handle.head.isComplete && handle.errorText.quotesHeaderField
      return NetworkError(
        curl: result, isOfOther ? "" : handle.errorText, request, shortage: handle.shortage.pointee)
    }
    if !handle.head.isComplete {
      return NetworkError(
        .connectionLost, reason: "connection closed inside the response header", request: request)
    }
    if hasExcess {
      return NetworkError(.invalidResponse, reason: "data after the end of the response", request: request)
    }
    if let decoder, !decoder.isAtEnd {
      // A lost connection looks like the end of a body without a length.
      let isLost = !handle.head.delimitsBody && !usesHTTP2 && !decoder.hasTrailingData
      return NetworkError(isLost ? .connectionLost : .undecodableBody, reason: decoder.shortage, request: request)
    }
    return nil
  }

  /// Whether no body can follow the head (RFC 9112 §6.3).
  private var hasNoBody: Bool { request.method == .head || handle.head.hasNoBody }

  /// Whether data beyond the body has arrived; data after a response without a body belongs to no response: it is
  /// discarded, and the connection is closed.
  private var hasExcess: Bool { handle.excess.pointee != 0 && !hasNoBody }

  /// Returns libcurl's result for a connection that was closed during a wait for the body's source; `nil` if it is
  /// open.
  func resultOfPausedUpload() -> Int? {
    guard flow.sending == .paused else { return nil }
    let byteCount = handle.head.byteCount + bodyByteCount
    guard flow.checkConnection(at: loop.now, isClosed: loop.sockets.isClosed(endpoints), byteCount) else { return nil }
    return Int(byteCount == 0 ? CCURL_GOT_NOTHING : CCURL_PARTIAL_FILE)
  }

  /// Whether the response is complete and valid, although the request was not sent completely (RFC 9113 §8.1).
  var hasCompleteResponse: Bool {
    guard upload != nil || request.hasBody, handle.head.isComplete, !hasExcess else { return false }
    let hasWholeBody = handle.head.bodyByteCount == bodyByteCount || hasNoBody
    return hasWholeBody && decoder?.isAtEnd != false && decoder?.hasPendingOutput != true
  }
}
#endif
