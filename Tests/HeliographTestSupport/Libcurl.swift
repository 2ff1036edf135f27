import Foundation
@testable import Heliograph

/// The libcurl of this system, whose versions differ in what they refuse; on Linux `URLSession` uses the same.
package enum Libcurl {
  /// Whether it is of a version such as `8.5` or later; `false` without libcurl.
  package static func isAtLeast(_ version: String) -> Bool {
    #if HELIOGRAPH_CURL
    let parts = version.split(separator: ".").compactMap { UInt32($0) }
    return parts.count == 2 && CurlQuirks.version >= parts[0] << 16 | parts[1] << 8
    #else
    return false
    #endif
  }
}
