#if canImport(FoundationNetworking)
import Dispatch
import Foundation

/// Where a session calls its delegate: a serial queue that makes no `Operation` of each call.
///
/// On Linux a session adds nothing but blocks, up to four for each exchange, and an operation costs as much as
/// twenty of them on a queue of Dispatch's. Apple's sessions need no help.
///
/// `@unchecked Sendable` because its superclass is; its own state is one queue, which any thread may use.
final class DeliveryQueue: OperationQueue, @unchecked Sendable {
  private let queue = DispatchQueue(label: "heliograph.session")

  override init() {
    super.init()
    // For what it is asked to do in any other way.
    maxConcurrentOperationCount = 1
  }

  override func addOperation(_ block: @escaping @Sendable () -> Void) { queue.async(execute: block) }
}
#endif
