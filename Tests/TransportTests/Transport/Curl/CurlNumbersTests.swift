import CurlNumbers
import Foundation
import HeliographTestSupport
import TestSupport
import Testing

struct CurlNumbersTests {
  /// The comparison itself is made by the compiler, for Tests/CurlNumbers; here it is seen to that CI makes it.
  @Test func ciComparesEveryNumberWithTheRealHeader() {
    if ProcessInfo.processInfo.environment["HELIOGRAPH_HEADERS"] == "1" {
      expectEqual(curl_numbers_were_compared(), 1)
    }
  }
}
