import Foundation
import Heliograph

/// The latest exchanges and their revisions, limited in number and in the total size of their bodies.
///
/// A plain value, guarded by its owner. An exchange has a key, counted from 1, and a position in a ring buffer: the
/// oldest one is overwritten. Each change has a revision, so that a page can request the changes since the last one
/// that it knows.
struct InspectorLog: Sendable {
  /// The changes since a revision.
  struct Changes: Sendable {
    /// The revision to pass to the next request.
    var revision: Int
    var firstKey: Int
    /// Whether more changes follow at once.
    var hasMore = false
    /// The changed exchanges, in the order of their revisions.
    var entries: [InspectorEntry] = []
  }

  /// The values that a batch of events has replaced, as they were before it.
  struct Replaced: Sendable {
    let revision: Int
    let exchanges: ExchangeLog
    var entries: [InspectorEntry] = []
  }

  /// The maximum number of exchanges in one reply.
  static let replyLimit = 2_000

  private let exchangeLimit: Int
  private let bodyByteLimit: Int
  private var log: ExchangeLog
  private var entries: [InspectorEntry] = []
  /// The revisions of the entries, stored separately: they are searched, and entries are large.
  private var revisions: [Int] = []
  private var lastKey = 0
  private var revision = 0
  /// The keys of exchanges in flight, by the numbers of their records.
  private var keys: [Int: Int] = [:]
  /// The keys of the last exchanges of requests in flight.
  private var lastKeys: [RequestID: Int] = [:]
  private var bodyByteCount = 0
  private var firstKeyWithBodies = 1
  /// The values that the batch of events in progress has replaced; `nil` outside of a batch.
  private var replaced: Replaced?

  /// Creates an empty log of at most `exchangeLimit` exchanges, at least 1, with a limit for the bytes of all bodies.
  init(exchangeLimit: Int, bodyByteLimit: Int) {
    self.exchangeLimit = max(1, exchangeLimit)
    self.bodyByteLimit = bodyByteLimit
    log = ExchangeLog(bodyLimit: min(max(0, bodyByteLimit), InspectorText.bodyByteLimit))
  }

  /// The key of the oldest exchange.
  var firstKey: Int { lastKey - entries.count + 1 }

  /// Processes events, and returns the values that they have replaced, which the caller frees outside its lock.
  mutating func process(_ elements: [PendingEvents.Element]) -> Replaced? {
    if elements.isEmpty { return nil }
    replaced = Replaced(revision: revision, exchanges: log)
    for element in elements { next(element.event, at: element.time) }
    return replaced.take()
  }

  /// Processes an event; the events of one request must come in order.
  mutating func next(_ event: MonitorEvent, at now: Date) {
    var changes: [ExchangeLog.Change] = []
    log.next(event, at: now) { changes.append($0) }
    for change in changes {
      switch change {
      case .began(let record): add(.exchange(record))
      case .updated(let record): replace(record)
      case .ended(let record): replace(record, isLast: true)
      case .requestEnded(let report):
        // A request that could not be built has no exchange.
        if report.attempt == 0 { add(.unbuilt(report.withoutBodies, endedAt: now)) } else { complete(report) }
      }
    }
  }

  /// Returns the exchanges that have changed after a revision, at most ``replyLimit`` of them.
  func changes(after known: Int) -> Changes {
    var changed = revisions.indices.filter { revisions[$0] > known }
    changed.sort { revisions[$0] < revisions[$1] }
    let hasMore = changed.count > InspectorLog.replyLimit
    changed = Array(changed.prefix(InspectorLog.replyLimit))
    let last = hasMore ? changed.last.map { revisions[$0] } : nil
    return Changes(
      revision: last ?? revision, firstKey: firstKey, hasMore: hasMore, entries: changed.map { entries[$0] })
  }

  /// Returns an exchange, unless it has been overwritten.
  func entry(_ key: Int) -> InspectorEntry? {
    key >= max(1, firstKey) && key <= lastKey ? entries[position(of: key)] : nil
  }

  /// The exchanges in the order in which they began.
  var all: [InspectorEntry] { (firstKey..<(lastKey + 1)).map { entries[position(of: $0)] } }

  private func position(of key: Int) -> Int { (key - 1) % exchangeLimit }

  /// Keeps an entry that is about to be replaced, unless its content is that of the batch's own events.
  private mutating func keep(at position: Int) {
    guard let before = replaced?.revision, revisions[position] <= before else { return }
    replaced?.entries.append(entries[position])
  }

  private mutating func add(_ content: InspectorEntry.Content) {
    lastKey += 1
    revision += 1
    let entry = InspectorEntry(key: lastKey, content: content)
    let position = position(of: lastKey)
    if position == entries.count {
      entries.append(entry)
      revisions.append(revision)
    } else {
      keep(at: position)
      bodyByteCount -= entries[position].bodyByteCount
      entries[position] = entry
      revisions[position] = revision
    }
    if case .exchange(let record) = content {
      keys[record.number] = lastKey
      lastKeys[record.requestID] = lastKey
    }
    bodyByteCount += entry.bodyByteCount
    removeBodies()
  }

  private mutating func replace(_ record: ExchangeRecord, isLast: Bool = false) {
    defer { if isLast { keys[record.number] = nil } }
    // An attempt that was not sent begins and ends at once.
    guard let key = keys[record.number] else { return add(.exchange(record)) }
    // The entry has been overwritten in the ring buffer.
    guard key >= firstKey else { return }
    let position = position(of: key)
    keep(at: position)
    revision += 1
    revisions[position] = revision
    bodyByteCount -= entries[position].bodyByteCount
    entries[position] = InspectorEntry(key: key, content: .exchange(record))
    let count = entries[position].bodyByteCount
    bodyByteCount += count
    if count > 0 { firstKeyWithBodies = min(firstKeyWithBodies, key) }
    removeBodies()
  }

  private mutating func complete(_ report: RequestReport) {
    guard let key = lastKeys.removeValue(forKey: report.id), key >= firstKey else { return }
    let position = position(of: key)
    keep(at: position)
    revision += 1
    revisions[position] = revision
    entries[position].report = report.withoutBodies
  }

  /// Removes the bodies of the oldest exchanges until those of all others are within the limit.
  private mutating func removeBodies() {
    firstKeyWithBodies = max(firstKeyWithBodies, firstKey)
    while bodyByteCount > bodyByteLimit, firstKeyWithBodies <= lastKey {
      let position = position(of: firstKeyWithBodies)
      firstKeyWithBodies += 1
      let count = entries[position].bodyByteCount
      // Entries are large, and a batch may pass the same ones again and again.
      if count == 0 { continue }
      keep(at: position)
      bodyByteCount -= count
      entries[position].removeBodies()
    }
  }
}
