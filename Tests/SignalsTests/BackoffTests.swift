import HeliographTesting
import Signals
import TestSupport
import Testing

struct BackoffTests {
  /// Draws the same bits each time.
  private struct Fixed: RandomNumberGenerator {
    let bits: UInt64

    func next() -> UInt64 { bits }
  }

  private func seconds(_ backoff: Backoff, _ retries: ClosedRange<Int> = 1...6) -> [Double] {
    retries.map { backoff.delay(before: $0) / .seconds(1) }
  }

  @Test func theTableOfTheDocumentationHolds() {
    let half = Duration.milliseconds(500)
    expectEqual(seconds(.none), [0, 0, 0, 0, 0, 0])
    expectEqual(seconds(.constant(half)), [0.5, 0.5, 0.5, 0.5, 0.5, 0.5])
    expectEqual(seconds(.linear(half, maximumDelay: .seconds(10))), [0.5, 1, 1.5, 2, 2.5, 3])
    expectEqual(seconds(.exponential(initialDelay: half, maximumDelay: .seconds(10))), [0.5, 1, 2, 4, 8, 10])
    expectEqual(Backoff.exponential().delay(before: 7), .seconds(30))
    expectEqual(Backoff.linear(.seconds(7)).delay(before: 5), .seconds(30))
  }

  @Test func retriesBeforeTheFirstCountAsTheFirst() {
    for backoff in [Backoff.linear(.seconds(2)), .exponential(initialDelay: .seconds(2)), .constant(.seconds(2))] {
      for retry in [0, -1, .min] { expectEqual(backoff.delay(before: retry), .seconds(2)) }
    }
  }

  @Test func delaysNeverOverflow() {
    let huge = Duration.seconds(Int64.max)
    let steps: [Duration] = [.nanoseconds(1), .seconds(1), huge, Duration(wholeAttoseconds: .max)]
    for step in steps {
      for retry in [1, 62, 63, 64, 125, 126, 127, 128, 1000, .max] {
        expect(Backoff.linear(step, maximumDelay: huge).delay(before: retry) <= huge)
        let backoff = Backoff.exponential(initialDelay: step, maximumDelay: huge)
        expect(backoff.delay(before: retry) <= huge)
        expect(backoff.delay(before: retry) >= min(step, huge))
        let jittered = Backoff.exponential(initialDelay: step, maximumDelay: huge, jitter: 1)
        expect(jittered.delay(before: retry) <= huge)
      }
      expectEqual(Backoff.exponential(initialDelay: step, maximumDelay: huge).delay(before: .max), huge)
    }
  }

  @Test func negativeDurationsCountAsZero() {
    expectEqual(Backoff.constant(.seconds(-1)), .none)
    expectEqual(Backoff.linear(.seconds(-1)).delay(before: 5), .zero)
    expectEqual(Backoff.exponential(initialDelay: .seconds(-1)).delay(before: .max), .zero)
    expectEqual(Backoff.exponential(initialDelay: .seconds(1), maximumDelay: .seconds(-1)).delay(before: 9), .zero)
    expectEqual(Backoff.exponential(initialDelay: .zero).delay(before: .max), .zero)
  }

  @Test func jitterIsDrawnFromTheGenerator() {
    let half = Backoff.exponential(initialDelay: .seconds(4), jitter: 0.5)
    var (least, middle) = (Fixed(bits: 0), Fixed(bits: 1 << 52))
    expectEqual(half.delay(before: 1, using: &least), .seconds(2))
    expectEqual(half.delay(before: 1, using: &middle), .seconds(3))
    let full = Backoff.exponential(initialDelay: .seconds(4), jitter: 1)
    expectEqual(full.delay(before: 1, using: &least), .zero)
    expectEqual(full.delay(before: 2, using: &middle), .seconds(4))
    for _ in 0..<1000 {
      let delay = half.delay(before: 2)
      expect(delay >= .seconds(4))
      expect(delay < .seconds(8))
    }
  }

  @Test func jitterIsBetweenZeroAndOne() {
    var least = Fixed(bits: 0)
    let none = Backoff.exponential(initialDelay: .seconds(4))
    for jitter in [Double.nan, -1, -Double.infinity] {
      let backoff = Backoff.exponential(initialDelay: .seconds(4), jitter: jitter)
      expectEqual(backoff, none)
      expectEqual(backoff.delay(before: 1, using: &least), .seconds(4))
    }
    for jitter in [2, Double.infinity] {
      let backoff = Backoff.exponential(initialDelay: .seconds(4), jitter: jitter)
      expectEqual(backoff, .exponential(initialDelay: .seconds(4), jitter: 1))
    }
  }
}
