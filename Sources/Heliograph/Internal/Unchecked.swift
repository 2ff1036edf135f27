/// The box of a ``CopyOnWrite``.
///
/// It is `@unchecked Sendable`, because the compiler cannot verify that its value changes only while the changing
/// thread holds the single reference. Exclusive access to the reference is checked where it is stored.
final class ValueBox<Value: Sendable>: @unchecked Sendable {
  @exclusivity(unchecked) var value: Value

  init(_ value: consuming Value) { self.value = value }
}

#if canImport(FoundationNetworking)
import Dispatch
import Foundation

/// A serial delegate queue for sessions on Linux, which creates no `Operation` for each block: one costs as much as
/// twenty blocks.
///
/// It is `@unchecked Sendable` because its superclass is; its own state is one dispatch queue.
final class DeliveryQueue: OperationQueue, @unchecked Sendable {
  private let queue = DispatchQueue(label: "heliograph.session")

  override init() {
    super.init()
    // Applies only to operations that are added in another way.
    maxConcurrentOperationCount = 1
  }

  override func addOperation(_ block: @escaping @Sendable () -> Void) { queue.async(execute: block) }
}
#endif
