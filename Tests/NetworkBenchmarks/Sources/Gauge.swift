import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// Reads what the system knows of this process; memory and descriptors only on Linux, elsewhere they are 0.
enum Gauge {
  /// The time on the wall, in nanoseconds.
  @inline(__always)
  static var nanoseconds: Int { read(CLOCK_MONOTONIC) }

  /// The processor time of all threads, user and system, in nanoseconds.
  static var cpuNanoseconds: Int { read(CLOCK_PROCESS_CPUTIME_ID) }

  @inline(__always)
  private static func read(_ clock: clockid_t) -> Int {
    var time = timespec()
    clock_gettime(clock, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  /// The resident memory, in megabytes.
  static var resident: Double { status("VmRSS:") }

  /// The most that was ever resident since the start or `resetPeak()`, in megabytes.
  static var peak: Double { status("VmHWM:") }

  private static func status(_ name: String) -> Double {
    guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return 0 }
    let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
    let kibibytes = line?.split { !$0.isNumber }.first.flatMap { Double($0) }
    return (kibibytes ?? 0) * 1024 / 1e6
  }

  /// Makes the peak count from now on; without effect where the kernel does not allow that.
  static func resetPeak() {
    guard let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else { return }
    try? file.write(contentsOf: Data("5".utf8))
    try? file.close()
  }

  /// Gives freed pages back, so that what is resident tells of what is held and not of the allocator's habits.
  static func trim() {
    #if canImport(Glibc)
    typealias Trim = @convention(c) (Int) -> CInt
    if let symbol = dlsym(nil, "malloc_trim") { _ = unsafeBitCast(symbol, to: Trim.self)(0) }
    #endif
  }

  /// How many descriptors are open, the one that is needed for counting left out.
  static var descriptorCount: Int {
    #if os(Linux)
    guard let folder = opendir("/proc/self/fd") else { return 0 }
    defer { closedir(folder) }
    var count = 0
    while let entry = readdir(folder) { if entry.pointee.d_name.0 != UInt8(ascii: ".") { count += 1 } }
    return count - 1
    #else
    return 0
    #endif
  }

  /// Allows as many open descriptors as the system lets us.
  static func raiseDescriptorLimit() {
    #if os(Linux)
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = min(limit.rlim_max, 65_536)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    #endif
  }
}
