import Dispatch
import Signals
import TestSupport
import Testing

/// Delays as Dispatch counts them, also where its numbers have 32 bits: on watches.
struct DispatchIntervalTests {
  @Test func aWordOf64BitsHasRoomForNanoseconds() {
    let limit = Int64(Int.max)
    expectEqual(Duration.seconds(3).dispatchInterval(upTo: limit), .nanoseconds(3_000_000_000))
    expectEqual(Duration.nanoseconds(1).dispatchInterval(upTo: limit), .nanoseconds(1))
    expectEqual(Duration.seconds(-1).dispatchInterval(upTo: limit), .nanoseconds(0))
    // Longer than 292 years.
    expectEqual(Duration.seconds(Int64.max).dispatchInterval(upTo: limit), .never)
  }

  @Test func aWordOf32BitsHasCoarserUnitsForLongerDelays() {
    let limit = Int64(Int32.max)
    expectEqual(Duration.milliseconds(1_500).dispatchInterval(upTo: limit), .nanoseconds(1_500_000_000))
    expectEqual(Duration.seconds(60).dispatchInterval(upTo: limit), .milliseconds(60_000))
    // Rounded up, so that nothing fires early.
    expectEqual(Duration.nanoseconds(2_500_000_001).dispatchInterval(upTo: limit), .milliseconds(2_501))
    // 60 days.
    expectEqual(Duration.seconds(5_184_000).dispatchInterval(upTo: limit), .seconds(5_184_000))
    expectEqual(Duration.seconds(5_000_000_000).dispatchInterval(upTo: limit), .never)
  }
}
