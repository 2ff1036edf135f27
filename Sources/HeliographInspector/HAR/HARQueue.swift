import Foundation
import Heliograph

/// The queue between the threads of a client and the file: it takes records at once, and writes them on its own thread.
///
/// Records of a tenth of a second are one batch, or the first thousand of them. Beyond a limit they are left out, so that
/// the memory is bounded however slow the disk is.
final class HARQueue: Sendable {
  /// What the serial queue works with; it is taken out of the state while it is used.
  fileprivate struct Desk {
    var file: HARFile
    var entries: HAREntryWriter
    /// Whether the last batch could not be written, which is reported once.
    var hasFailed = false
  }

  private struct State {
    var desk: Desk?
    var records: [ExchangeRecord] = []
    var byteCount = 0
    var isScheduled = false
    /// The number of records that were left out since the last batch.
    var skippedCount = 0

    /// Removes and returns the records, with the number of those that were left out.
    mutating func takeBatch() -> (records: [ExchangeRecord], skippedCount: Int) {
      let batch = (records, skippedCount)
      (records, byteCount, skippedCount, isScheduled) = ([], 0, 0, false)
      return batch
    }
  }

  /// The maximum number of records in the queue, and of bytes of their bodies.
  private static let limits = (count: 4_000, byteCount: 33_554_432)
  /// The number of records that are written without a wait for more.
  private static let batchCount = 1_000
  /// The maximum number of bytes of entries in one write.
  private static let writeByteCount = 262_144
  private static let delay = Duration.milliseconds(100)

  private let scheduler: any SignalScheduler = .serial("Heliograph.HAR")
  private let report: @Sendable (String) -> Void
  private let state: Guarded<State>

  /// Creates a queue.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - includesSecrets: Whether secrets are written.
  ///   - report: Receives notices about the file, on the queue's thread.
  init(_ file: HARFile, includingSecrets includesSecrets: Bool, report: @escaping @Sendable (String) -> Void) {
    self.report = report
    state = Guarded(State(desk: Desk(file: file, entries: HAREntryWriter(includingSecrets: includesSecrets))))
  }

  /// Adds a record, or leaves it out if too many are in the queue.
  func add(_ record: ExchangeRecord) {
    let byteCount = record.heldByteCount
    let delay: Duration? = state.withLock { state in
      let count = state.byteCount + byteCount
      if state.records.count >= HARQueue.limits.count || (count > HARQueue.limits.byteCount && count > byteCount) {
        state.skippedCount += 1
        return nil
      }
      state.records.append(record)
      state.byteCount = count
      defer { state.isScheduled = true }
      if state.records.count == HARQueue.batchCount { return .zero }
      return state.isScheduled ? nil : HARQueue.delay
    }
    if let delay { scheduler.schedule(after: delay) { [self] in turn() } }
  }

  /// Writes all records, and ends the file; records that are added later are ignored.
  ///
  /// - Parameter completion: Is called afterwards, on the queue's thread.
  func close(_ completion: @escaping @Sendable () -> Void = {}) {
    scheduler.schedule { [self] in
      turn()
      state.withLock { $0.desk.take() }?.file.close()
      completion()
    }
  }

  /// Writes the records in the queue.
  private func turn() {
    let (taken, batch) = state.withLock { ($0.desk.take(), $0.takeBatch()) }
    guard var desk = taken else { return }
    var writtenCount = 0
    var problem: NetworkError?
    do throws(NetworkError) {
      try desk.write(batch.records, upTo: HARQueue.writeByteCount) { writtenCount = $0 }
    } catch {
      problem = error
    }
    let hadFailed = desk.hasFailed
    desk.hasFailed = problem != nil
    // It is still the only thread of the queue.
    state.withLock { [desk] in $0.desk = desk }
    if let problem, !hadFailed {
      report("HAR file: \(batch.records.count - writtenCount) entries are missing: \(problem.reason)")
    }
    if batch.skippedCount > 0 { report("HAR file: \(batch.skippedCount) entries are missing: too many at a time") }
  }
}

extension HARQueue.Desk {
  /// Writes records in pieces of about a size.
  ///
  /// - Parameters:
  ///   - records: The records.
  ///   - byteCount: The size of a piece in bytes.
  ///   - progress: Receives the number of records written so far.
  /// - Throws: The error of the file; the records that are not written are dropped.
  fileprivate mutating func write(
    _ records: [ExchangeRecord], upTo byteCount: Int, progress: (Int) -> Void
  ) throws(NetworkError) {
    _ = entries.take()
    for (index, record) in records.enumerated() {
      let isFirst = !file.hasEntries && entries.bytes.isEmpty
      entries.append(record, isFirst: isFirst, at: record.endedAt ?? record.startedAt)
      if entries.bytes.count < byteCount, index < records.count - 1 { continue }
      try file.rotate(before: entries.bytes.count)
      // The first entry of a new file has no comma.
      let bytes = entries.take()
      try file.append(file.hasEntries ? bytes : Array(bytes.drop { $0 == UInt8(ascii: ",") }))
      progress(index + 1)
    }
  }
}

extension ExchangeRecord {
  /// The number of bytes of bodies that the record keeps in memory.
  fileprivate var heldByteCount: Int { (requestBody?.beginning.count ?? 0) + (responseBody?.beginning.count ?? 0) }
}
