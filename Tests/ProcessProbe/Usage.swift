import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// What a process holds at a moment.
struct Usage: CustomStringConvertible {
  /// Threads of our own; those of pools come and go.
  let threads: Int
  let descriptors: Int
  /// Kilobytes in memory, without pages that the allocator only keeps.
  let kilobytes: Int

  init() throws {
    #if canImport(Glibc)
    typealias Trim = @convention(c) (Int) -> CInt
    if let symbol = dlsym(nil, "malloc_trim") { _ = unsafeBitCast(symbol, to: Trim.self)(0) }
    #endif
    threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count { id in
      (try? String(contentsOfFile: "/proc/self/task/\(id)/comm", encoding: .utf8))?.hasPrefix("heliograph") == true
    }
    descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ").dropFirst().first
    kilobytes = (pages.flatMap { Int($0) } ?? 0) * 4
  }

  var description: String { "\(threads) threads, \(descriptors) descriptors, \(kilobytes) kB" }
}
