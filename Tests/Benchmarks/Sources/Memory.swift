import CAllocationCount

/// Counts the allocations of a run, on all threads; `nil` where they cannot be counted.
func allocations(of work: () -> Void) -> Int? {
  allocation_count_start()
  work()
  let count = allocation_count_stop()
  return count < 0 ? nil : count
}

/// Looks at the resident memory at two depths of a recursion, far enough in that all is warm, and at its bottom.
final class MemoryWatch: Sendable {
  /// More than the heap's own noise, and far less than a million levels of anything.
  static let limit = 2_000_000

  private let first: Int
  private let last: Int
  // Written by one level at a time, read after the end.
  private nonisolated(unsafe) var atFirst = 0
  private nonisolated(unsafe) var largest: Int?

  init(levels: Int) {
    first = levels / 100
    last = levels - 1
  }

  /// To be called at each level; it costs two comparisons at all levels but two.
  @inline(__always)
  func pass(_ level: Int) {
    if level == first || level == last { note(level) }
  }

  @inline(never)
  private func note(_ level: Int) {
    let resident = allocation_count_resident_bytes()
    guard resident >= 0 else { return }
    if level == first { atFirst = resident } else { largest = max(largest ?? .min, resident - atFirst) }
  }

  /// The largest growth of any run, in bytes; `nil` where memory cannot be looked at.
  var growth: Int? { largest }
}
