import Foundation
import HeliographTesting
import Synchronization
import TestSupport

/// Looks at the memory at a tenth of a recursion's levels and at its bottom.
final class DepthGauge: Sendable {
  let levels: Int
  private let early = Atomic<Int>(0)
  private let late = Atomic<Int>(0)

  init(levels: Int) {
    self.levels = levels
  }

  /// To be called at each level; says whether it is the last.
  func isBottom(_ level: Int) -> Bool {
    if level == levels / 10 { early.store(ProcessMemory.residentByteCount, ordering: .relaxed) }
    guard level >= levels else { return false }
    late.store(ProcessMemory.residentByteCount, ordering: .relaxed)
    return true
  }

  /// By how many bytes memory has grown, per level in between.
  var growthPerLevel: Double {
    let growth = late.load(ordering: .relaxed) - early.load(ordering: .relaxed)
    return Double(growth) / Double(levels - levels / 10)
  }

  /// Whether nothing has been kept, but for 2 MB of the heap's noise: what 8 bytes per level come to if there are many.
  var isConstant: Bool { isRead && growthPerLevel * Double(levels) < 2_000_000 + 8 * Double(levels) }

  /// Whether both looks have been taken.
  var isRead: Bool { early.load(ordering: .relaxed) > 0 && late.load(ordering: .relaxed) > 0 }
}

/// A count for a test of growth: a fortieth, an eighth in `.ci/run`, all in `make check`.
///
/// A debug build takes minutes for all, in which other tests of the same process wait.
func many(_ count: Int) -> Int {
  count / (Scale.isFull ? 1 : Scale.isMedium ? 8 : 40)
}
