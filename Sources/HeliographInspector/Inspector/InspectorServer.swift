import Foundation
import Heliograph
import HeliographTesting

/// The replies of an inspector, and the exchanges that it has recorded.
///
/// The monitor writes on the threads of the events. Replies are rendered in tasks, outside the lock, only when a page asks.
final class InspectorServer: Sendable {
  private struct State {
    /// The events since the last request of a page; `nil` after the stop.
    var pending: PendingEvents?
    /// Whether a page waits for a change.
    var isAwaited = false
  }

  /// The maximum wait for a change; then the page asks again.
  private static let maximumWait = Duration.seconds(25)

  private let gate: InspectorGate
  private let text: InspectorText
  private let state: Guarded<State>
  /// The exchanges, as of a page's last request; locked before `state`.
  private let log: Guarded<InspectorLog>
  /// Counts the changes for which a page has waited.
  private let wakeups = CurrentValue(0)

  init(_ pending: PendingEvents, _ log: InspectorLog, _ gate: InspectorGate, _ text: InspectorText) {
    state = Guarded(State(pending: pending))
    self.log = Guarded(log)
    self.gate = gate
    self.text = text
  }

  func observe(_ event: MonitorEvent) {
    guard event.concernsExchanges else { return }
    let (time, byteCount) = (Date(), event.bodyByteCount)
    let (wasAwaited, removed, hasExcessBodies) = state.withLock { state in
      defer { state.isAwaited = false }
      // Created inside the closure: a captured element would be copied once more into the ring.
      let removed = state.pending?.append(PendingEvents.Element(event: event, time: time, byteCount: byteCount))
      return (state.isAwaited, removed, state.pending?.hasExcessBodies == true)
    }
    // The removed event is deallocated outside the lock.
    withExtendedLifetime(removed) {}
    // Processed at once, because a record stores only the beginning of a large body, and the log drops the oldest bodies.
    if hasExcessBodies || byteCount > InspectorText.bodyByteLimit { _ = readLog { _ in 0 } }
    if wasAwaited { wakeups.modify { $0 += 1 } }
  }

  /// Forgets all exchanges and ignores further events.
  func stop() {
    state.discardWithLock { $0.pending.take() }
    log.set(InspectorLog(exchangeLimit: 1, bodyByteLimit: 0))
  }

  /// Returns a value read from the log after it has processed all events; `nil` after the stop.
  private func readLog<Result: Sendable>(_ read: (InspectorLog) -> Result) -> Result? {
    var elements: [PendingEvents.Element]?
    var replaced: InspectorLog.Replaced?
    // Freed outside the lock, because their requests may hold the last reference to an app's object.
    defer { withExtendedLifetime((elements, replaced)) {} }
    return log.withLock { log in
      elements = state.withLock { $0.pending?.takeAll() }
      guard let elements else { return nil }
      replaced = log.process(elements)
      return read(log)
    }
  }

  func respond(to request: LoopbackRequest) async -> LoopbackResponse {
    let response =
      switch gate.resource(for: request) {
      case .page: LoopbackResponse.data(InspectorPage.html, contentType: "text/html; charset=utf-8")
      case .changes(let revision): json(await changes(after: revision).map { InspectorReply($0, text, at: Date()) })
      case .exchange(let key):
        json(readLog { $0.entry(key) }?.map { InspectorDetails($0, text, at: Date()) })
      case .archive: archive
      case .refused(let status): LoopbackResponse.status(status)
      }
    return
      response
      .header("Content-Security-Policy", InspectorPage.policy)
      .header("Cross-Origin-Resource-Policy", "same-origin")
      .header("Referrer-Policy", "no-referrer")
      .header("X-Content-Type-Options", "nosniff")
      .header("Cache-Control", "no-store")
  }

  /// Returns the changes after a revision, as soon as there are any, or none after the maximum wait; `nil` after the
  /// stop.
  private func changes(after revision: Int) async -> InspectorLog.Changes? {
    let count = wakeups.value
    let changes = readLog { $0.changes(after: revision) }
    guard changes?.entries.isEmpty == true else { return changes }
    state.withLock { $0.isAwaited = true }
    // Read again, because another reader may have taken an event that came before.
    if readLog({ $0.changes(after: revision) })?.entries.isEmpty == true {
      _ = await wakeups.signal.filter { $0 != count }.take(until: .timer(after: InspectorServer.maximumWait)).first()
    }
    return readLog { $0.changes(after: revision) }
  }

  /// All exchanges as a HAR file.
  private var archive: LoopbackResponse {
    let now = Date()
    var writer = HAREntryWriter(includingSecrets: !text.isRedacted)
    var (isFirst, started) = (true, now)
    for entry in readLog({ $0.all }) ?? [] {
      guard case .exchange(let record) = entry.content else { continue }
      if isFirst { started = record.startedAt }
      writer.append(record, isFirst: isFirst, at: now)
      isFirst = false
    }
    let data = Data(HAREntryWriter.opening(at: started)) + writer.take() + Data(HAREntryWriter.closing.utf8)
    return .data(data, contentType: "application/json")
      .header("Content-Disposition", "attachment; filename=\"requests.har\"")
  }

  private func json(_ value: (some Encodable)?) -> LoopbackResponse {
    guard let value else { return .status(404) }
    guard let data = try? JSONEncoder().encode(value) else { return .status(500) }
    return .json(data)
  }
}

/// The reply to a page that asks for changes.
struct InspectorReply: Encodable, Sendable {
  let revision: Int
  let firstKey: Int
  let hasMore: Bool
  /// The app's current time, in milliseconds since 1970.
  let now: Double
  let rows: [InspectorRow]

  init(_ changes: InspectorLog.Changes, _ text: InspectorText, at now: Date) {
    revision = changes.revision
    firstKey = changes.firstKey
    hasMore = changes.hasMore
    self.now = now.timeIntervalSince1970 * 1000
    rows = changes.entries.map { InspectorRow($0, text, at: now) }
  }
}
