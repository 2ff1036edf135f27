#if HELIOGRAPH_CURL
import CCurl

/// The libcurl of the process, loaded on first use.
enum CurlLibrary {
  private static let isLoaded = ccurl_load() == 1

  /// Whether a supported libcurl was found.
  static let isAvailable = isLoaded && ccurl_version_number() >= CurlQuirks.oldestVersion

  /// The reason why no supported libcurl was found.
  static var unavailabilityReason: String {
    let version = isLoaded ? String(cString: ccurl_version()) : "no libcurl"
    return "version \(version) found, 7.81 or later required"
  }

  /// Returns libcurl's default path of the system's certificate authorities, which it reports from 7.84 on.
  ///
  /// - Parameter info: `CCURL_INFO_CAINFO` or `CCURL_INFO_CAPATH`.
  /// - Returns: The path; `nil` if there is none, or it is not reported.
  static func defaultAuthorities(_ info: Int) -> String? {
    guard isAvailable, let easy = ccurl_easy_make() else { return nil }
    defer { ccurl_easy_free(easy) }
    return ccurl_info_text(easy, info).map { String(cString: $0) }
  }
}
#endif
