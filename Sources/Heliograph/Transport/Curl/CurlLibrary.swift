import CCurl

/// libcurl, as it was found when it was first asked for.
enum CurlLibrary {
  /// 7.68, of January 2020: the first with `curl_multi_wakeup`.
  private static let leastVersion: UInt32 = 0x07_44_00

  /// Whether there is a libcurl that will do.
  static let isAvailable = ccurl_load() == 1 && ccurl_version_number() >= leastVersion

  /// What was found, such as `libcurl/7.88.1 OpenSSL/3.0.19`; empty if nothing was.
  static var version: String { String(cString: ccurl_version()) }

  /// Whether it may go to sleep with streams of HTTP/2 in hand that it could go on with: before 8.1.
  ///
  /// Seen in 7.88, which Debian 12 has: streams were ready to be read on, and the timer that should have woken it was lost.
  /// Fifty parallel requests stood still until their time-out, about one time in sixty.
  static let oversleeps = ccurl_version_number() < 0x08_01_00

  /// Whether it tells of each attempt to send a request, so that a second one can be refused: since 7.80.
  static let reportsAttempts = ccurl_version_number() >= 0x07_50_00

  /// Whether it sends on a kept connection on which there is something to read, an answer that nobody has asked for: before
  /// 8.0 (curl/curl#10690).
  ///
  /// Each request would get the answer of the one before. Where attempts are reported, we look ourselves.
  static let sendsOnUncleanConnections = ccurl_version_number() < 0x08_00_00

  /// Whether it says that more came than the response said before it hands over the last of the body: until 8.4.
  static let logsExcessBeforeBodies = ccurl_version_number() < 0x08_05_00
}
