import Foundation
import Heliograph
import Signals
import StoreFixtures

/// Writes, reads and removes entries of a disk store at random, and checks each that it finds.
///
/// Arguments: folder, capacity, number of different entries, number of threads, and the seconds until the end.
struct Storing {
  private let folder: URL
  private let capacity: Int
  private let entries: StoredEntries
  private let threadCount: Int
  private let seconds: Int

  init(_ arguments: [String]) throws {
    folder = URL(fileURLWithPath: try arguments.text(0))
    capacity = try arguments.number(1)
    entries = StoredEntries(count: try arguments.number(2))
    threadCount = try arguments.number(3)
    seconds = try arguments.number(4)
  }

  func run() throws {
    let store = try DiskStore(folder: folder, capacity: capacity, reserve: 0) { _, _ in }
    let end = ContinuousClock.now + .seconds(seconds)
    // Tells the test that the writes begin.
    FileHandle.standardOutput.write(Data("started\n".utf8))
    let wrong = Guarded<[String]>([])
    DispatchQueue.concurrentPerform(iterations: threadCount) { _ in
      while ContinuousClock.now < end {
        guard let found = entries.act(on: store) else { continue }
        wrong.withLock { $0.append(found) }
        return
      }
    }
    if let first = wrong.withLock({ $0.first }) { throw Failure(first) }
  }
}
