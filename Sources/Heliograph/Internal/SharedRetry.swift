import Signals

/// What the members of a shared exchange decide in common after its failure: the jitter of their delays, and one token
/// of the retry budget for each delay.
///
/// With the same delay their retries share an exchange again, which adds to the load of a server once. With different
/// backoffs, or after different numbers of retries, they do not.
final class SharedRetry: Sendable {
  private struct Bits: RandomNumberGenerator {
    var bits: UInt64

    mutating func next() -> UInt64 {
      bits &+= 0x9E37_79B9_7F4A_7C15
      return bits
    }
  }

  private let seed = UInt64.random(in: .min ... .max)
  /// Whether the budget has granted the retries after a delay, once a member has asked.
  private let grants = Guarded<[Duration: Bool]>([:])

  /// Returns the delay before a retry, with the same jitter for all members.
  func delay(before retry: Int, by backoff: Backoff) -> Duration {
    var bits = Bits(bits: seed)
    return backoff.delay(before: retry, using: &bits)
  }

  /// Returns whether the retries after a delay are granted: the same decision for all members with the delay.
  ///
  /// `withdraw` takes a token for the first member that asks; it is called under the lock.
  func grant(after delay: Duration, _ withdraw: () -> Bool) -> Bool {
    grants.withLock { grants in
      if let isGranted = grants[delay] { return isGranted }
      let isGranted = withdraw()
      grants[delay] = isGranted
      return isGranted
    }
  }
}
