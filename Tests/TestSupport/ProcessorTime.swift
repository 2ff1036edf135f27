import Foundation

/// Returns how many times more processor time work of a larger size takes than work of a smaller one.
///
/// Only the time of the calling thread counts, and of each size the shortest of three runs, so that other tests hardly
/// affect it. Still, compare it with a limit far above the expected factor.
package func growth(from small: Int, to large: Int, of work: (Int) -> Void) -> Double {
  let times = [small, large].map { size in
    (0..<3).map { _ in
      let start = threadTime()
      work(size)
      return threadTime() - start
    }.min() ?? 0
  }
  return times[1] / max(times[0], 1e-6)
}

/// The processor time of the calling thread, in seconds.
private func threadTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
