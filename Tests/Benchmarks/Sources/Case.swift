/// One line of the report: some work, and what it may cost.
struct Case {
  let name: String
  /// The most it may take, as a multiple of the nine-closure floor or of the baseline; `nil` for a line that only informs.
  var target: Double?
  /// The most allocations that one operation may make.
  var allocationTarget: Double?
  /// The time of this thread alone, unless other threads do part of the work.
  var clock = Clock.thread
  /// How many operations one run of the work does.
  let operations: Int
  /// Tells how much the memory grew, where that is part of the promise.
  var watch: MemoryWatch?
  /// The same work done by hand, as many operations of it, in the place of the nine-closure floor.
  var baseline: (() -> Void)?
  /// Sets the work up, untimed.
  ///
  /// What it returns is timed, and returns how many operations it has seen done.
  let prepare: () -> () -> Int
}

/// Counts what arrives at the end of a chain, so that no work can be optimized away and none can go missing.
final class Tally: Sendable {
  // A plain word of memory: a stored property would be checked for exclusive access on every event. One delivery at a
  // time adds to it, and it is read after the end.
  private nonisolated(unsafe) let word: UnsafeMutablePointer<Int>

  init() {
    word = .allocate(capacity: 1)
    word.initialize(to: 0)
  }

  deinit { word.deallocate() }

  @inline(__always)
  func add(_ count: Int = 1) { word.pointee &+= count }

  /// The count since it was last taken.
  func take() -> Int {
    defer { word.pointee = 0 }
    return word.pointee
  }
}

/// Keeps a value alive and in the eyes of the optimizer used.
@inline(never)
@_optimize(none)
func blackHole(_ value: some Any) {}
