import Foundation
import Heliograph

/// The queue between the threads of a client and the file: it turns events into records at once, and writes them on its
/// own thread.
///
/// A batch is written after a tenth of a second, or at once when it reaches a thousand records. Beyond a limit records
/// are dropped, so that the memory is bounded however slow the disk is.
final class HARQueue: Sendable {
  /// The file and the writer of its entries; taken out of the state while the serial queue uses them.
  fileprivate struct Output {
    var file: HARFile
    var entries: HAREntryWriter
    /// Whether the last batch could not be written, which is reported once.
    var hasFailed = false
  }

  private struct State {
    var output: Output?
    var log: ExchangeLog
    var batch = Batch()
  }

  /// The records that are written next.
  private struct Batch {
    var records: [ExchangeRecord] = []
    private var byteCount = 0
    private var isScheduled = false
    /// The number of records that were dropped.
    private(set) var skippedCount = 0

    /// Adds the record that an event completes, if any, or drops it if there are too many; returns the delay after
    /// which the batch is to be written, `nil` if it is scheduled already.
    mutating func add(
      _ event: MonitorEvent, of log: inout ExchangeLog, at now: Date, dropping dropped: inout ExchangeRecord?
    ) -> Duration? {
      var delay: Duration?
      log.next(event, at: now) { change in
        if case .ended(let record) = consume change { delay = add(record, &dropped) }
      }
      return delay
    }

    private mutating func add(_ record: consuming ExchangeRecord, _ dropped: inout ExchangeRecord?) -> Duration? {
      let count = byteCount + record.bodyByteCount
      let isOverLimit = count > HARQueue.limits.byteCount && byteCount > 0
      if records.count >= HARQueue.limits.count || isOverLimit {
        skippedCount += 1
        dropped = record
        return nil
      }
      records.append(record)
      byteCount = count
      defer { isScheduled = true }
      if records.count == HARQueue.batchCount { return .zero }
      return isScheduled ? nil : HARQueue.delay
    }
  }

  /// The maximum number of records in the queue, and the maximum size of their bodies in bytes.
  private static let limits = (count: 4_000, byteCount: 33_554_432)
  /// The number of records at which a batch is written at once.
  private static let batchCount = 1_000
  /// The maximum number of bytes of entries in one write.
  private static let writeByteCount = 262_144
  private static let delay = Duration.milliseconds(100)

  private let scheduler: any SignalScheduler = .serial("Heliograph.HAR")
  private let report: @Sendable (String) -> Void
  private let state: Guarded<State>

  /// Creates a queue, on whose thread `report` receives notices about the file.
  init(
    _ file: HARFile, _ log: ExchangeLog, includingSecrets includesSecrets: Bool,
    report: @escaping @Sendable (String) -> Void
  ) {
    self.report = report
    let output = Output(file: file, entries: HAREntryWriter(includingSecrets: includesSecrets))
    state = Guarded(State(output: output, log: log))
  }

  /// Records an event; a record that it completes is written later.
  func observe(_ event: MonitorEvent) {
    guard event.concernsExchanges else { return }
    let now = Date()
    // Freed outside the lock: its error may hold the last reference to an app's object.
    var dropped: ExchangeRecord?
    let delay = state.withLock { $0.batch.add(event, of: &$0.log, at: now, dropping: &dropped) }
    if let delay { scheduler.schedule(after: delay) { [self] in writeBatch() } }
  }

  /// Writes all records, closes the file, and calls a closure on the queue's thread; records added later are ignored.
  func close(_ completion: @escaping @Sendable () -> Void = {}) {
    scheduler.schedule { [self] in
      writeBatch()
      state.withLock { $0.output.take() }?.file.close()
      completion()
    }
  }

  private func writeBatch() {
    let (taken, batch) = state.withLock { state in
      defer { state.batch = Batch() }
      return (state.output.take(), state.batch)
    }
    guard var output = taken else { return }
    var writtenCount = 0
    var problem: NetworkError?
    do throws(NetworkError) {
      try output.write(batch.records, upTo: HARQueue.writeByteCount) { writtenCount = $0 }
    } catch {
      problem = error
    }
    let hadFailed = output.hasFailed
    output.hasFailed = problem != nil
    // The queue is serial, so no other batch has begun.
    state.withLock { [output] in $0.output = output }
    if let problem, !hadFailed {
      report("HAR file: \(batch.records.count - writtenCount) entries are missing: \(problem.reason)")
    }
    if batch.skippedCount > 0 { report("HAR file: \(batch.skippedCount) entries are missing: too many at a time") }
  }
}

extension HARQueue.Output {
  /// Writes records in pieces up to a given size that fit into a file; a longer entry is a piece of its own.
  ///
  /// `progress` receives the number of records written so far; after an error of the file the others are dropped.
  fileprivate mutating func write(
    _ records: [ExchangeRecord], upTo byteCount: Int, progress: (Int) -> Void
  ) throws(NetworkError) {
    _ = entries.take()
    let limit = min(byteCount, file.entryByteLimit)
    // By index, because an iterator would copy each record.
    for index in records.indices {
      let count = entries.bytes.count
      let isFirst = !file.hasEntries && count == 0
      entries.append(records[index], isFirst: isFirst, at: records[index].endedAt ?? records[index].startedAt)
      if count == 0 || entries.bytes.count <= limit { continue }
      try writePiece(count)
      progress(index)
    }
    if entries.bytes.isEmpty { return }
    try writePiece(entries.bytes.count)
    progress(records.count)
  }

  /// Writes the first bytes of the entries.
  private mutating func writePiece(_ byteCount: Int) throws(NetworkError) {
    try file.rotate(before: byteCount)
    let bytes = entries.take(byteCount)
    // The first entry of a new file has no comma.
    try file.append(file.hasEntries ? bytes : Array(bytes.drop { $0 == UInt8(ascii: ",") }))
  }
}
