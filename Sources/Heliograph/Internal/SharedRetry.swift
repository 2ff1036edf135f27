import Signals

/// What the members of a shared exchange decide in common after its failure: one delay and one token of the retry budget.
///
/// With the same delay their retries share an exchange again, which adds to the load of a server once.
final class SharedRetry: Sendable {
  private struct Bits: RandomNumberGenerator {
    var bits: UInt64

    mutating func next() -> UInt64 {
      bits &+= 0x9E37_79B9_7F4A_7C15
      return bits
    }
  }

  private let seed = UInt64.random(in: .min ... .max)
  /// Whether the budget has granted the retries; `nil` before a member has asked.
  private let isGranted = Guarded<Bool?>(nil)

  /// Returns the delay before a retry, with the same jitter for all members.
  func delay(before retry: Int, by backoff: Backoff) -> Duration {
    var bits = Bits(bits: seed)
    return backoff.delay(before: retry, using: &bits)
  }

  /// Returns whether the retries are granted; the first member that asks withdraws a token.
  ///
  /// - Parameters:
  ///   - withdraw: Takes a token; returns `false` if there is none.
  ///   - putBack: Returns a token, because another member has asked at the same time.
  /// - Returns: The same decision for all members.
  func grant(_ withdraw: () -> Bool, putBack: () -> Void) -> Bool {
    if let isGranted = isGranted.withLock({ $0 }) { return isGranted }
    // Outside the lock, because it reads the app's clock.
    let hasWithdrawn = withdraw()
    let (isGranted, isFirst) = isGranted.withLock { isGranted in
      if let isGranted { return (isGranted, false) }
      isGranted = hasWithdrawn
      return (hasWithdrawn, true)
    }
    if hasWithdrawn, !isFirst { putBack() }
    return isGranted
  }
}
