import CCurl

/// libcurl, as it was found when it was first asked for.
enum CurlLibrary {
  /// 7.68, of January 2020: the first with `curl_multi_wakeup`.
  private static let leastVersion: UInt32 = 0x07_44_00

  /// Whether there is a libcurl that will do.
  static let isAvailable = ccurl_load() == 1 && ccurl_version_number() >= leastVersion

  /// What was found, such as `libcurl/7.88.1 OpenSSL/3.0.19`; empty if nothing was.
  static var version: String { String(cString: ccurl_version()) }

  /// Whether its HTTP/2 can be relied on.
  ///
  /// That of 7.88, which Debian 12 has, sometimes does not notice the ends of streams when many end at once: fifty parallel
  /// requests stood still until their time-out, with all bytes delivered (seen in its log; the rewrite came with 8.1).
  static var isHTTP2Sound: Bool { true }

  /// Whether it tells of each attempt to send a request, so that a second one can be refused: since 7.80.
  static var reportsAttempts: Bool { ccurl_version_number() >= 0x07_50_00 }
}
