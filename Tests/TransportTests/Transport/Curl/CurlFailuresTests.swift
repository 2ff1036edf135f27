#if HELIOGRAPH_CURL
import Foundation
import TestSupport
import Testing

@testable import Heliograph

/// The failures of origins, without a connection.
struct CurlFailuresTests {
  private let now = SuspendingClock.now
  private let origin = Origin(scheme: "http", host: "a.example", port: 80)

  @Test func aFailureCountsForItsOriginAndItsLifetime() {
    var failures = CurlFailures(lifetime: .seconds(60))
    expectNil(failures.age(origin, at: now))
    failures.record(origin, at: now)
    failures.record(nil, at: now)
    expectEqual(failures.age(origin, at: now + .seconds(60)), .seconds(60))
    expectNil(failures.age(origin, at: now + .seconds(61)))
    expectNil(failures.age(nil, at: now))
    expectNil(failures.age(Origin(scheme: "http", host: "a.example", port: 81), at: now))
  }

  @Test func theLatestFailureCounts() {
    var failures = CurlFailures(lifetime: .seconds(60))
    for second in [0, 5, 3] { failures.record(origin, at: now + .seconds(second)) }
    expectEqual(failures.age(origin, at: now + .seconds(9)), .seconds(4))
  }

  @Test func manyOriginsTakeNoMoreMemory() {
    var failures = CurlFailures(lifetime: .seconds(60))
    failures.record(origin, at: now)
    for port in 1...2000 { failures.record(Origin(scheme: "http", host: "b.example", port: port), at: now) }
    expectNil(failures.age(origin, at: now))
    expectEqual(failures.age(Origin(scheme: "http", host: "b.example", port: 2000), at: now), .zero)
  }
}
#endif
