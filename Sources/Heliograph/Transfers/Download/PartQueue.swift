import Foundation
import Signals

/// The serial queue of all downloads to one file, on which the part file is read, verified and written.
///
/// The transport does not wait for the disk, and a disposed download closes the part file before the next one opens it.
final class PartQueue: Sendable {
  private struct Entry {
    weak var queue: PartQueue?
  }

  private static let queues = Guarded<[String: Entry]>([:])

  let scheduler = DispatchScheduler.serial("Heliograph.Download")

  static func queue(of file: URL) -> PartQueue {
    let path = file.standardizedFileURL.path
    return queues.withLock { queues in
      if let queue = queues[path]?.queue { return queue }
      queues = queues.filter { $0.value.queue != nil }
      let queue = PartQueue()
      queues[path] = Entry(queue: queue)
      return queue
    }
  }

  /// Runs work after all earlier work of the file.
  func schedule(_ work: @escaping @Sendable () -> Void) {
    scheduler.schedule { [self] in
      withExtendedLifetime(self, work)
    }
  }
}
