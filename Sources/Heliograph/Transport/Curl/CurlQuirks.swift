#if HELIOGRAPH_CURL
import CCurl

/// Work-arounds for faults of single versions of libcurl: all there are, each with its symptom, its source and its test.
///
/// A version that none of them names needs none. Tried: 7.81, 7.88.1, 8.5, 8.14.1 and 8.20.
///
/// Four are for all versions, because that costs nothing: the loop's thread blocks SIGPIPE, since libcurl before 7.88 lets
/// OpenSSL write to closed connections (`ccurl_begin_loop`; `CurlProcessTests.theProcessIsLeftAsItWas`). A kept connection
/// has no time of its handshake, which libcurl before 7.88 repeats (`CurlTLSMetricsTests`). A handle that carried a large
/// upload over HTTP/2 is not used again: with 8.14.1 such handles were seen to free a connection that others use, after their
/// upload was cut off. Twelve thousand uploads with kept handles did not show it again, but a new handle costs little. A
/// handle whose request libcurl has sent again is not used again either: it counts these attempts over all of its transfers,
/// and gives up after five (seen with 8.14.1; `CurlTLSStreamsTests.aServerThatClosesEveryConnectionProcessesEachPostOnce`).
enum CurlQuirks {
  /// The oldest version that is used: 7.81, of January 2022, which Ubuntu 22.04 has.
  ///
  /// Older ones do not report attempts to send (before 7.80), so that a second one could not be refused. Below it, requests
  /// go over `URLSession`.
  static let oldestVersion: UInt32 = 0x07_51_00

  private static let version = ccurl_version_number()

  /// Whether HTTP/2 is spoken: from 8.14 on, and where libcurl was built with it.
  ///
  /// Seen with 7.88: responses that come before the whole body was sent are lost (nginx, HAProxy), and streams that could go
  /// on stand still until the time-out. Seen with 8.5: streams stand still when connections are closed under load, and an
  /// unfinished stream is not reset. 8.6 to 8.13 were not tried. Test: `CurlTLSStreamsTests`, `CurlEarlyAnswerTests`.
  static let speaksHTTP2 = version >= 0x08_0E_00 && String(cString: ccurl_version()).contains("nghttp2")

  /// Whether a request goes out on a kept connection with unread input, such as a response nobody asked for: before 8.0.
  ///
  /// Each request would get the response of the one before (curl/curl#10690). We look at the socket ourselves, which costs a
  /// third of a microsecond per request. Test:
  /// `CurlTLSAlertTests.anAnswerThatNobodyAskedForIsNotDelivered`.
  static let sendsOnUncleanConnections = version < 0x08_00_00

  /// Whether excess bytes are logged before the last of the body is handed over: until 8.4.
  ///
  /// The log is then switched off with the last byte of the body; later versions log afterwards. Test:
  /// `CurlFaultTests.refusesWhatIsWrong`.
  static let logsExcessBeforeBodies = version < 0x08_05_00

  /// Whether the size of a request is that of its head alone: until 8.7.
  ///
  /// Test: `CurlTLSMetricsTests.bytesEachWayAreCounted`.
  static let countsBodiesApart = version < 0x08_08_00

  /// Whether children inherit the descriptors that wake a loop: before 8.10.
  ///
  /// Test: `CurlProcessTests.theProcessIsLeftAsItWas`.
  static let childrenInheritWakeup = version < 0x08_0A_00
}
#endif
