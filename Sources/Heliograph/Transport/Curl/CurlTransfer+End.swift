#if HELIOGRAPH_CURL
import CCurl

/// What libcurl's result amounts to.
extension CurlTransfer {
  /// Whether the request is to be sent again: a kept connection was closed before anything had come on it.
  func mustResend(after result: Int) -> Bool {
    isDone = true
    guard result != CCURL_OK, refusal == nil, handle.head.byteCount == 0, !isFresh, !observer.isDisposed else {
      return false
    }
    // Nothing has been sent: it may be begun anew, whatever it is.
    if isUnclean { return true }
    let isCut = [CCURL_GOT_NOTHING, CCURL_SEND_ERROR, CCURL_RECV_ERROR, CCURL_HTTP2].contains(result)
    // It cannot begin a body anew that it has asked us for: that too is said only after a kept connection's end.
    isStale =
      isStale || result == CCURL_SEND_FAIL_REWIND || (isCut && ccurl_info(handle.easy, CCURL_INFO_NUM_CONNECTS) == 0)
    return isStale && request.isIdempotent
  }

  /// Makes ready for sending once more, on a connection that nothing was sent on.
  func prepareResend() {
    isDone = false
    if !isUnclean { resendCount += 1 }
    attemptCount = 0
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

  /// What libcurl's result amounts to; `nil` if all is well.
  func failure(for result: Int) -> NetworkError? {
    if let refusal { return refusal }
    if isAnswered, result != CCURL_OK { return nil }
    if isStale {
      return NetworkError(
        .network, .connectionLost, reason: "a kept connection was closed, and the request may not be sent twice",
        request: request)
    }
    if result != CCURL_OK { return NetworkError(curl: result, handle.errorText, request) }
    if !handle.head.isComplete {
      return NetworkError(
        .network, .connectionLost, reason: "the connection was closed in the middle of the head", request: request)
    }
    if handle.excess.pointee != 0 {
      return NetworkError(.network, .invalidResponse, reason: "more came than the response said", request: request)
    }
    if let decoder, !decoder.isAtEnd {
      return NetworkError(
        .network, .undecodableBody, reason: "the \(decoder.description) body is cut off", request: request)
    }
    return nil
  }

  /// Whether all of a response has come, though not all of the request was sent.
  ///
  /// RFC 9113 §8.1: a server may answer early and then stop the upload, and that response counts.
  private var isAnswered: Bool {
    guard upload != nil || request.hasBody, handle.head.isComplete, handle.excess.pointee == 0 else { return false }
    let isWhole = handle.head.bodyByteCount == bodyByteCount || handle.head.hasNoBody
    return isWhole && decoder?.isAtEnd != false
  }

  /// Before it is taken out of the loop unfinished: libcurl tells a server of HTTP/2 only when it uses the connection again.
  func prepareRemoval() {
    guard isMultiplexing, !isDone else { return }
    // Closes the connection, unless others are in flight on it.
    handle.forbidReuse()
  }
}
#endif
