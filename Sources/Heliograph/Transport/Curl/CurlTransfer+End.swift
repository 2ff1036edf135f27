#if HELIOGRAPH_CURL
import CCurl

/// The interpretation of libcurl's result.
extension CurlTransfer {
  /// Returns whether to resend the request: a kept or shared connection was closed before any response to it.
  func mustResend(after result: Int) -> Bool {
    isDone = true
    guard result != CCURL_OK, refusal == nil, handle.head.byteCount == 0, !isFresh, !observer.isDisposed else {
      return false
    }
    // Nothing was sent or processed, so any request may be sent again.
    if isUnclean || isRefusedRepeatedly { return true }
    let isCut = [CCURL_GOT_NOTHING, CCURL_SEND_ERROR, CCURL_RECV_ERROR, CCURL_HTTP2].contains(result)
    // libcurl cannot rewind a body that it requests piece by piece; it reports that only after a kept connection's end, too.
    // A connection over HTTP/2 may end at any time, even a new one.
    let mayBeStale = result == CCURL_HTTP2 || ccurl_info(handle.easy, CCURL_INFO_NUM_CONNECTS) == 0
    isStale = isStale || result == CCURL_SEND_FAIL_REWIND || (isCut && mayBeStale)
    return isStale && request.isIdempotent && upload?.canRewind != false
  }

  /// Prepares another attempt on a new connection.
  func prepareResend() {
    isDone = false
    if !isUnclean { resendCount += 1 }
    attemptCount = 0
    connectCount = 0
    isStale = false
    isUnclean = false
    isFresh = true
    isReceivingPaused = false
    isSendingPaused = false
    lastActivityAt = loop.now
    handle.clear()
    handle.set(CCURL_OPT_FRESH_CONNECT, true)
    handle.lastKind = nil
    upload?.rewind()
  }

  /// Returns the error for libcurl's result; `nil` if the transfer succeeded.
  func failure(for result: Int) -> NetworkError? {
    if let refusal { return refusal }
    if isAnswered, result != CCURL_OK { return nil }
    if isStale {
      return NetworkError(
        .connectionLost, reason: "the connection was closed, and the request may not be sent twice",
        request: request)
    }
    if result != CCURL_OK { return NetworkError(curl: result, handle.errorText, request) }
    if !handle.head.isComplete {
      return NetworkError(
        .connectionLost, reason: "the connection was closed in the middle of the head", request: request)
    }
    if handle.excess.pointee != 0 {
      return NetworkError(.invalidResponse, reason: "more came than the response said", request: request)
    }
    if let decoder, !decoder.isAtEnd {
      return NetworkError(
        .undecodableBody, reason: "the \(decoder.description) body is cut off", request: request)
    }
    return nil
  }

  /// Returns libcurl's result for a connection that was closed while the body's source was waited for; `nil` if it is open.
  func resultOfPausedUpload() -> Int? {
    guard isSendingPaused else { return nil }
    let byteCount = handle.head.byteCount + bodyByteCount
    guard uploadWatch.look(at: loop.now, isClosed: loop.sockets.isClosed(localPort), byteCount) else { return nil }
    return Int(byteCount == 0 ? CCURL_GOT_NOTHING : CCURL_PARTIAL_FILE)
  }

  /// Whether the response is complete, although the request was not sent completely.
  ///
  /// RFC 9113 §8.1: a server may respond early and then stop the upload. Such a response is valid.
  private var isAnswered: Bool {
    guard upload != nil || request.hasBody, handle.head.isComplete, handle.excess.pointee == 0 else { return false }
    let isWhole = handle.head.bodyByteCount == bodyByteCount || handle.head.hasNoBody
    return isWhole && decoder?.isAtEnd != false
  }

  /// Prepares an unfinished transfer for its removal from the loop.
  ///
  /// libcurl informs an HTTP/2 server only when it uses the connection again.
  func prepareRemoval() {
    guard isMultiplexing, !isDone else { return }
    // Closes the connection, unless it is shared.
    handle.forbidReuse()
  }
}
#endif
