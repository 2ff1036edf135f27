import Foundation
import Synchronization

#if canImport(Darwin)
import Darwin

/// The memory of this process that is in use, in bytes.
func residentByteCount() -> Int {
  var info = mach_task_basic_info()
  var count = mach_msg_type_number_t(MemoryLayout<mach_task_basic_info>.size / MemoryLayout<natural_t>.size)
  let result = withUnsafeMutablePointer(to: &info) { pointer in
    pointer.withMemoryRebound(to: integer_t.self, capacity: Int(count)) {
      task_info(mach_task_self_, task_flavor_t(MACH_TASK_BASIC_INFO), $0, &count)
    }
  }
  return result == KERN_SUCCESS ? Int(info.resident_size) : 0
}
#else
/// The memory of this process that is in use, in bytes.
func residentByteCount() -> Int {
  guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
  let fields = text.split(separator: " ")
  return fields.count > 1 ? (Int(fields[1]) ?? 0) * 4096 : 0
}
#endif

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
    if level == levels / 10 { early.store(residentByteCount(), ordering: .relaxed) }
    guard level >= levels else { return false }
    late.store(residentByteCount(), ordering: .relaxed)
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

/// A count for a test of growth: a tenth, unless `HELIOGRAPH_RECURSION` is set, as in `.ci/run`.
///
/// A debug build takes minutes for all, in which other tests of the same process wait.
func many(_ count: Int) -> Int {
  ProcessInfo.processInfo.environment["HELIOGRAPH_RECURSION"] == nil ? count / 10 : count
}
