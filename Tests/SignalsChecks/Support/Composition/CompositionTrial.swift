import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport

/// How the subscription to a composition ends.
enum CompositionEnding: String, CaseIterable {
  case completion
  case completionWithLastValue = "completion with a last value"
  case failure
  case disposal
  case disposalAfterCompletion = "disposal after the source's completion"
  case completionWithoutHandle = "completion after the handle was dropped"
  case deallocation
  case deallocationWithoutHandle = "deallocation after the handle was dropped"

  /// The endings that a source can come to.
  static func all(of origin: Feed.Origin) -> [CompositionEnding] {
    switch origin {
    case .create, .shared: allCases.filter { !$0.isDeallocation }
    case .subject: allCases
    case .current: [.disposal, .deallocation, .deallocationWithoutHandle]
    }
  }

  var keepsHandle: Bool { self != .completionWithoutHandle && self != .deallocationWithoutHandle }

  /// The source is deallocated, which is silent.
  var isDeallocation: Bool { self == .deallocation || self == .deallocationWithoutHandle }
}

/// Where a composition stands.
enum Placement: String, CaseIterable {
  case root = "the whole chain"
  case merge = "an inner of merge"
  case latest = "an inner of latest"
  case concat = "an inner of concat"

  static let inner: [Placement] = [.merge, .latest, .concat]

  var strategy: FlattenStrategy {
    switch self {
    case .root, .merge: .merge
    case .latest: .latest
    case .concat: .concat
    }
  }
}

/// Subscribes to a composition, feeds and ends it, and finds what is alive then and should not be.
struct CompositionTrial {
  let parts = Parts()
  let feed: Feed
  let outer = Source<Void>()
  let placement: Placement
  let ending: CompositionEnding

  init(_ origin: Feed.Origin, _ placement: Placement, _ ending: CompositionEnding) {
    feed = Feed(origin, parts.census)
    self.placement = placement
    self.ending = ending
  }

  /// What is wrong afterwards, or `nil`.
  func problem(of composition: Stage.Transformation) -> String? {
    let handle = subscribe(composition)
    send()
    end(handle)
    var problems: [String] = []
    let alive = aliveCount
    if alive != 0 { problems.append("\(alive) alive") }
    if !feed.isIdle { problems.append("the source is not idle") }
    if !parts.side.isIdle { problems.append("the side source is not idle") }
    // Whether an abandoned source counts as a disposal is not promised.
    let (starts, teardowns) = (parts.starts.count, parts.teardowns.count)
    if teardowns > starts || (teardowns < starts && !ending.isDeallocation) {
      problems.append("\(teardowns) teardowns of \(starts) starts")
    }
    if let handle, mustBeDisposed, !handle.isDisposed { problems.append("the handle is not disposed") }
    withExtendedLifetime((handle, outer, feed)) {}
    if problems.isEmpty { return nil }
    return "over \(feed.origin), \(placement.rawValue), \(ending.rawValue): \(problems.joined(separator: ", "))"
  }

  private var aliveCount: Int { parts.census.alive - feed.keptCount }

  private var mustBeDisposed: Bool { placement == .root && !ending.isDeallocation }

  private func subscribe(_ composition: Stage.Transformation) -> Disposable? {
    let signal = composition(feed.signal(), parts)
    let handle: Disposable
    if placement == .root {
      let token = parts.token()
      handle = signal.subscribe { _ in token.use() }
    } else {
      // The transform must not keep the inner signal, and through it a subject.
      let inner = Later<Signal<Token, Fault>>()
      inner.value = signal
      handle = outer.signal.flatMap(placement.strategy) { _ in
        defer { inner.value = nil }
        return inner.value ?? .empty
      }.subscribe { _ in }
      outer.send(())
    }
    return ending.keepsHandle ? handle : nil
  }

  /// Feeds both sources twice; what was sent last still waits where time has to pass.
  private func send() {
    for number in 1...2 {
      parts.clock.advance()
      feed.send(parts.token(number))
      parts.side.send(parts.token(10 + number))
    }
  }

  private func end(_ handle: Disposable?) {
    // Repeatedly: retries, replacements and queued inners subscribe again. In vain if nothing is left that could end.
    var before = -1
    for _ in 1...50 {
      endOnce(handle)
      let isQuiet = feed.isIdle && parts.side.isIdle && parts.clock.pendingCount == 0
      if isQuiet && (aliveCount == 0 || aliveCount == before) { return }
      before = aliveCount
    }
  }

  private func endOnce(_ handle: Disposable?) {
    switch ending {
    case .completion, .completionWithoutHandle:
      feed.complete()
      parts.side.complete()
    case .completionWithLastValue:
      feed.complete(with: parts.token(4))
      parts.side.complete(with: parts.token(14))
    case .failure:
      feed.fail()
      parts.side.fail()
    case .disposal: dispose(handle)
    case .disposalAfterCompletion:
      feed.complete(with: parts.token(4))
      dispose(handle)
    case .deallocation, .deallocationWithoutHandle:
      feed.abandon()
      parts.side.complete()
      // It could still complete a signal whose source has been deallocated.
      parts.endLifetime()
    }
    parts.clock.run(limit: 20)
  }

  /// Disposes the composition: an inner of `latest` by a newer one, the others by the handle.
  private func dispose(_ handle: Disposable?) {
    if placement == .latest { outer.send(()) } else { handle?.dispose() }
  }
}
