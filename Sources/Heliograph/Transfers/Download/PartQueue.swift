import Foundation
import Signals

/// The serial queue of all downloads to one file, on which the part file is read, verified and written; the transport
/// does not wait for the disk, and a disposed download closes the part file before the next one opens it.
final class PartQueue: Sendable {
  private struct Entry {
    weak var queue: PartQueue?
  }

  private struct Table {
    var entries: [String: Entry] = [:]
    /// The number of entries from which those of ended downloads are removed: a visit of all costs a constant for each.
    var threshold = 16
  }

  private static let table = Guarded(Table())

  let scheduler = DispatchScheduler.serial("Heliograph.Download")

  static func queue(of file: URL) -> PartQueue {
    let path = file.standardizedFileURL.path
    return table.withLock { table in
      if let queue = table.entries[path]?.queue { return queue }
      if table.entries.count >= table.threshold {
        table.entries = table.entries.filter { $0.value.queue != nil }
        table.threshold = max(16, table.entries.count * 2)
      }
      let queue = PartQueue()
      table.entries[path] = Entry(queue: queue)
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
