import Foundation

/// What time is read from.
enum Clock: Sendable {
  /// The processor time of this thread: other processes on a shared machine do not count.
  case thread
  /// The processor time of all threads, for work that changes threads.
  case process
  /// The time on the wall, for work that several threads share.
  case wall

  var nanoseconds: Double {
    var time = timespec()
    switch self {
    case .thread: clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    case .process: clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    case .wall: clock_gettime(CLOCK_MONOTONIC, &time)
    }
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }

  func measure(_ work: () -> Void) -> Double {
    let start = nanoseconds
    work()
    return nanoseconds - start
  }
}

extension [Double] {
  /// The middle value, or NaN of an empty array.
  var median: Double {
    let sorted = sorted()
    guard let upper = sorted.dropFirst(count / 2).first else { return .nan }
    return count.isMultiple(of: 2) ? (upper + sorted[count / 2 - 1]) / 2 : upper
  }
}
