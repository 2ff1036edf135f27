import TestSupport
import Testing

@testable import Heliograph

struct CacheCountersTests {
  /// An app that counts its versions up does not make the statistics grow.
  @Test func missesByVersionAreCountedTogether() {
    var statistics = ResponseCache.Statistics()
    for version in 1...1_000 { statistics.countMiss(.version(stored: version - 1, wanted: version)) }
    statistics.countMiss(.absent)
    expectEqual(statistics.misses, [.version(stored: 999, wanted: 1_000): 1_000, .absent: 1])
    expectEqual(statistics.missCount, 1_001)
  }
}
