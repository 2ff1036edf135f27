import TestSupport

#if canImport(Glibc)
import Glibc
#endif

/// How many bytes of the process are in memory, without those that the allocator merely keeps; 0 where that cannot be told.
package func residentByteCount() -> Int {
  #if canImport(Glibc)
  // Freed pages are given back first, or the figure would tell of the allocator's habits and not of a leak.
  typealias Trim = @convention(c) (Int) -> CInt
  if let symbol = dlsym(nil, "malloc_trim") { _ = unsafeBitCast(symbol, to: Trim.self)(0) }
  #endif
  return ProcessMemory.residentByteCount
}
