#if HELIOGRAPH_CURL
import CCurl

extension Metrics {
  /// Creates metrics from libcurl's measurements of a transfer.
  ///
  /// - Parameters:
  ///   - easy: the handle of the transfer, before it is reused.
  ///   - isSecure: whether the transfer uses TLS.
  ///   - startedAt: the start of the transfer; libcurl counts from there.
  ///   - endedAt: the end of the transfer.
  ///   - resendCount: the number of times that the request was resent.
  init(_ easy: OpaquePointer, isSecure: Bool, startedAt: Duration, endedAt: Duration, resendCount: Int) {
    var contents = Contents(startedAt: startedAt, endedAt: endedAt, resendCount: resendCount)
    func instant(_ info: Int) -> Duration? {
      let microseconds = ccurl_info(easy, info)
      return microseconds > 0 ? startedAt + .microseconds(microseconds) : nil
    }
    contents.resolvedAt = instant(CCURL_INFO_NAMELOOKUP_TIME)
    contents.connectedAt = instant(CCURL_INFO_CONNECT_TIME)
    contents.sentAt = instant(CCURL_INFO_PRETRANSFER_TIME)
    contents.sentByteCount = Int(ccurl_info(easy, CCURL_INFO_REQUEST_SIZE))
    if CurlQuirks.countsBodiesApart { contents.sentByteCount += Int(ccurl_info(easy, CCURL_INFO_SIZE_UPLOAD)) }
    contents.receivedByteCount = Int(
      ccurl_info(easy, CCURL_INFO_HEADER_SIZE) + ccurl_info(easy, CCURL_INFO_SIZE_DOWNLOAD))
    // libcurl also sets it when a connection closes without a response.
    if contents.receivedByteCount > 0 { contents.firstByteAt = instant(CCURL_INFO_STARTTRANSFER_TIME) }
    if contents.sentAt != nil { contents.isConnectionReused = ccurl_info(easy, CCURL_INFO_NUM_CONNECTS) == 0 }
    // See `CurlQuirks`.
    if isSecure, contents.isConnectionReused != true { contents.securedAt = instant(CCURL_INFO_APPCONNECT_TIME) }
    contents.protocolVersion =
      switch ccurl_info(easy, CCURL_INFO_HTTP_VERSION) {
      case 1: "HTTP/1.0"
      case 2: "HTTP/1.1"
      case 3: "HTTP/2"
      case 30: "HTTP/3"
      default: nil
      }
    self.init(contents)
  }
}
#endif
