#if HELIOGRAPH_CURL
import CCurl

/// libcurl, as it was found when it was first asked for.
enum CurlLibrary {
  private static let isLoaded = ccurl_load() == 1

  /// Whether there is a libcurl that will do.
  static let isAvailable = isLoaded && ccurl_version_number() >= CurlQuirks.oldestVersion

  /// Why there is none that will do.
  static var refusal: String {
    let version = isLoaded ? String(cString: ccurl_version()) : "no libcurl"
    return "\(version) was found, and 7.81 or later is needed"
  }

  /// Where it looks for the system's authorities, if it says so: from 7.84 on.
  ///
  /// - Parameter info: `CCURL_INFO_CAINFO` or `CCURL_INFO_CAPATH`.
  /// - Returns: the path; `nil` if it has none, or does not say.
  static func defaultAuthorities(_ info: Int) -> String? {
    guard isAvailable, let easy = ccurl_easy_make() else { return nil }
    defer { ccurl_easy_free(easy) }
    return ccurl_info_text(easy, info).map { String(cString: $0) }
  }
}
#endif
