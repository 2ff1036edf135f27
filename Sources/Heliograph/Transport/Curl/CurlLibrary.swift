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
}
