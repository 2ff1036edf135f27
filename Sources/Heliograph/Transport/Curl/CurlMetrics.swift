#if HELIOGRAPH_CURL
import CCurl

extension Metrics {
  /// Creates metrics from libcurl's measurements, which count from `measuredSince`, before the handle is reused.
  ///
  /// `bodyByteCount` is `nil` until the end of the body was read. `isUpload` says whether libcurl has requested the
  /// body piece by piece.
  init(
    _ easy: OpaquePointer, isSecure: Bool, startedAt: Duration, measuredSince: Duration, endedAt: Duration,
    resendCount: Int, bodyByteCount: Int?, isUpload: Bool
  ) {
    self.init(startedAt: startedAt, endedAt: endedAt, resendCount: resendCount)
    func instant(_ info: Int) -> Duration? {
      let microseconds = ccurl_info(easy, info)
      return microseconds > 0 ? measuredSince + .microseconds(microseconds) : nil
    }
    resolvedAt = instant(CCURL_INFO_NAMELOOKUP_TIME)
    connectedAt = instant(CCURL_INFO_CONNECT_TIME)
    sentByteCount = Int(ccurl_info(easy, CCURL_INFO_REQUEST_SIZE))
    // From 8.21 on also set without a connection.
    if sentByteCount > 0 { sentAt = instant(CCURL_INFO_PRETRANSFER_TIME) }
    let uploadByteCount = Int(ccurl_info(easy, CCURL_INFO_SIZE_UPLOAD))
    // libcurl may have read the end of the body before it has sent the last bytes.
    let hasSentBody = bodyByteCount.map { uploadByteCount >= $0 } ?? false
    hasSentAll = sentAt != nil && hasSentBody
    // A short body that was sent together with the head is part of it.
    let isInHead = !isUpload && sentByteCount >= uploadByteCount
    if CurlQuirks.countsBodiesApart, !isInHead { sentByteCount += uploadByteCount }
    receivedByteCount = Int(
      ccurl_info(easy, CCURL_INFO_HEADER_SIZE) + ccurl_info(easy, CCURL_INFO_SIZE_DOWNLOAD))
    // libcurl also sets it when a connection closes without a response.
    if receivedByteCount > 0 { firstByteAt = instant(CCURL_INFO_STARTTRANSFER_TIME) }
    if sentAt != nil { isConnectionReused = ccurl_info(easy, CCURL_INFO_NUM_CONNECTS) == 0 }
    // Later versions measure nothing of a reused connection.
    if isConnectionReused == true, resolvedAt == nil { resolvedAt = startedAt }
    // See `CurlQuirks`.
    if isSecure, isConnectionReused != true { securedAt = instant(CCURL_INFO_APPCONNECT_TIME) }
    protocolVersion =
      switch ccurl_info(easy, CCURL_INFO_HTTP_VERSION) {
      case 1: "HTTP/1.0"
      case 2: "HTTP/1.1"
      case 3: "HTTP/2"
      default: nil
      }
  }

  /// Corrects the instants of a request that libcurl has resent itself; libcurl adds up its phases over all attempts,
  /// without the waits for a response in between.
  mutating func postpone(to resentAt: Duration) {
    sentAt = sentAt.map { max($0, resentAt) }
    firstByteAt = firstByteAt.map { max($0, resentAt) }
  }

  /// Restores the sent bytes of a body, which some versions of libcurl count anew for another attempt, even if it does
  /// not send it.
  mutating func restore(_ bodyByteCount: Int, of length: Int?) {
    if sentByteCount < bodyByteCount { sentByteCount += bodyByteCount }
    hasSentAll = length.map { bodyByteCount >= $0 } ?? false
  }

  /// Removes what libcurl has measured on a connection that it has lost, while it makes another one.
  mutating func removeConnection() {
    (connectedAt, securedAt, sentAt, bodyEndedAt) = (nil, nil, nil, nil)
    (hasSentAll, isConnectionReused) = (nil, nil)
  }
}
#endif
