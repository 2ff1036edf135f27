#if canImport(ObjectiveC)
import ObjectiveC
#endif

/// Runs a closure and releases what Foundation autoreleases in it; on Linux it only runs the closure.
///
/// The thread of an endless loop has no pool of its own that would ever be drained.
func pooled<Result>(_ work: () -> Result) -> Result {
  #if canImport(ObjectiveC)
  autoreleasepool(invoking: work)
  #else
  work()
  #endif
}
