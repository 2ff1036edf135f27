#if HELIOGRAPH_CURL
import CCurl

/// The libcurl of the process, loaded on first use.
enum CurlLibrary {
  private static let isLoaded = ccurl_load() == 1

  /// Whether a supported libcurl was found.
  static let isAvailable = isLoaded && ccurl_version_number() >= CurlQuirks.oldestVersion

  static var unavailabilityReason: String {
    let version = isLoaded ? String(cString: ccurl_version()) : "no libcurl"
    return "version \(version) found, 7.81 or later required"
  }

  /// Returns libcurl's default path of the certificate authorities; `nil` if it does not report it, as before 7.84.
  static func defaultAuthorities(_ info: Int) -> String? {
    guard isAvailable, let easy = ccurl_easy_make() else { return nil }
    defer { ccurl_easy_free(easy) }
    return ccurl_info_text(easy, info).map { String(cString: $0) }
  }
}

/// Workarounds for bugs of single versions of libcurl, each with its symptom, its source and its test.
///
/// A version that is not named here needs no workaround. Tested with 7.81, 7.88.1, 8.5, 8.14.1, 8.18 and 8.23, by hand
/// also with 8.16, 8.17, 8.20 and 8.21.
///
/// Two changes are left as they are: from 8.20 on, escapes in addresses are sent in upper case (curl/curl#21524). With
/// 8.18 and 8.23, a piece of a body is given to the system each second although the peer reads nothing, until the
/// system's buffer is full, so that an idle timeout came 20 seconds later.
///
/// Seven workarounds apply to all versions, because they cost nothing:
///
/// - The loop's thread blocks SIGPIPE: libcurl before 7.88 lets OpenSSL write to closed connections
///   (`ccurl_begin_loop`; `CurlProcessTests.theProcessIsLeftAsItWas`).
/// - A keep-alive connection reports no instant of a TLS handshake: libcurl before 7.88 repeats the earlier one
///   (`CurlTLSMetricsTests`).
/// - A handle that carried a large upload over HTTP/2 is not reused: with 8.14.1 such handles were seen to free a
///   connection in use by others, after their upload was cut off.
/// - A handle whose request libcurl has resent is not reused: libcurl counts these attempts over all transfers of a
///   handle, and gives up after five (seen with 8.14.1;
///   `CurlTLSStreamsTests.aServerThatClosesEveryConnectionProcessesEachPostOnce`).
/// - A handle whose request ends during a pause is not reused, and sending is resumed for each attempt: 8.18 does not
///   forget a pause, so that the next request or attempt would time out (curl/curl#20641; `DownloadRedirectTests`,
///   `CurlTLSDowngradeTests`).
/// - A handle whose body could not be rewound is not reused: 8.14.1 rewinds for its next request, which then fails
///   (`CurlConnectionTests.nothingIsSentTwiceWithoutTheCallersWord`).
/// - For a minute after a failed look-up, as after a failure to connect, addresses of the origin are not taken from the
///   cache: 8.16 to 8.21 remember the failure for 30 seconds (curl/curl#22302). Tested by hand only.
enum CurlQuirks {
  /// The oldest supported version: 7.81 of January 2022, included in Ubuntu 22.04.
  ///
  /// Versions before 7.80 do not report attempts, so that a second one could not be refused. With an older version,
  /// requests go over `URLSession`.
  static let oldestVersion: UInt32 = 0x07_51_00

  static let version = ccurl_version_number()

  /// Whether HTTP/2 is used: from 8.14 on, if libcurl was built with it.
  ///
  /// With 7.88: responses that arrive before the whole body was sent are lost (nginx, HAProxy), and streams that
  /// could continue stall until the timeout. Seen with 8.5: streams stall when connections are closed under load, and
  /// an unfinished stream is not reset. 8.6 to 8.13 were not tested. Test: `CurlTLSStreamsTests`,
  /// `CurlEarlyAnswerTests`.
  static let speaksHTTP2 = version >= 0x08_0E_00 && String(cString: ccurl_version()).contains("nghttp2")

  /// Whether a request is sent on a keep-alive connection with unread input, such as an unsolicited response or its
  /// end: before 8.0, and from 8.22 on if libcurl has looked at the connection within a second (curl/curl#22169).
  ///
  /// Each request would get the response of the previous one (curl/curl#10690), and a `POST` would be lost. The socket
  /// is therefore checked before each request, which costs a third of a microsecond. Over a Unix domain socket, where
  /// it is unknown, each request has a connection of its own. Test: `CurlResendTests`, `CurlUnixServerTests`,
  /// `CurlTLSAlertTests.anAnswerThatNobodyAskedForIsNotDelivered`.
  static let sendsOnUncleanConnections = version < 0x08_00_00 || version >= 0x08_16_00

  /// Whether excess bytes are logged before the last of the body is delivered: until 8.4.
  ///
  /// The log is then turned off with the last byte of the body. Later versions log afterwards. Test:
  /// `CurlFaultTests.refusesWhatIsWrong`.
  static let logsExcessBeforeBodies = version < 0x08_05_00

  /// Whether libcurl's size of a request is that of its head only: until 8.7.
  ///
  /// Test: `CurlTLSMetricsTests.bytesEachWayAreCounted`.
  static let countsBodiesApart = version < 0x08_08_00

  /// Whether libcurl uses its default folder of authorities if it is told to use none: from 8.21 on.
  ///
  /// Earlier versions used none; in 8.17 to 8.20 the call itself ensured that (curl/curl commit 5df33efab4). Test:
  /// `CurlTLSTrustTests`, by hand with 8.21.
  static let noFolderMeansDefault = version >= 0x08_15_00

  /// Whether libcurl discards the error message of an attempt when it makes a connection for the next: from 8.19 on.
  ///
  /// Then a request that was refused cannot be told from one whose connection broke, which may have been processed
  /// (curl/curl commit f1c9d5e484). With 8.20 and 8.21, a `POST` that such a server refuses fails as a lost connection.
  static let discardsMessages = version >= 0x08_13_00

  /// Whether child processes inherit the descriptors that wake a loop: before 8.10.
  ///
  /// Test: `CurlProcessTests.theProcessIsLeftAsItWas`.
  static let childrenInheritWakeup = version < 0x08_0A_00

  /// Whether a wait returns at once while a download over HTTP/2 is paused and data for it has arrived: 8.18 to 8.20.
  ///
  /// The loop would use a whole processor during the pause, so it sleeps two milliseconds after each such wait
  /// (curl/curl#21671). Tested by hand only.
  static let spinsWhilePaused = (0x08_12_00..<0x08_15_00).contains(version)
}
#endif
