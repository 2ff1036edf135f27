/// Signals one after another, as `a.concat(b).concat(c)` nests them: a list from the last to the first.
///
/// Persistent, so that a prefix can be shared; freed in a loop, because 100,000 nested releases need more stack than a
/// thread has.
@usableFromInline
final class Chain<Value: Sendable, Failure: Error>: Sendable {
  private struct Links {
    var before: Chain?
    /// The very first signal, in the link after it: a pair is one link.
    var first: Signal<Value, Failure>?
    var last: Signal<Value, Failure>?
    /// All signals from the first to the last, put together at the first subscription.
    var row: [Signal<Value, Failure>]?

    /// The chains that this link refers to, by its list or nested in a signal.
    var chains: [Chain] {
      var result = before.map { [$0] } ?? []
      for signal in [first, last] {
        if case .chain(let chain)? = signal?.kind { result.append(chain) }
      }
      return result
    }
  }

  private let count: Int
  private let links: Guarded<Links>

  @usableFromInline
  init(_ signal: Signal<Value, Failure>, after before: Chain) {
    links = Guarded(Links(before: before, last: signal))
    count = before.count + 1
  }

  @usableFromInline
  init(_ first: Signal<Value, Failure>, then signal: Signal<Value, Failure>) {
    links = Guarded(Links(first: first, last: signal))
    count = 2
  }

  deinit {
    var rest = takeApart()
    while var chain = rest.popLast() {
      if isKnownUniquelyReferenced(&chain) { rest += chain.takeApart() }
    }
  }

  private func takeApart() -> [Chain] {
    let before = links.withLock { links in
      let before = links
      links = Links()
      return before
    }
    return before.chains
  }

  /// Runs the signals; returns the last as the tail.
  @usableFromInline
  func run(in downstream: Downstream<Value, Failure>) -> Signal<Value, Failure>? {
    let pair = links.withLock { $0.first == nil ? nil : ($0.first, $0.last) }
    guard let (first, last) = pair, let first, let last else {
      return Successors.run(signals, from: 0, in: downstream)
    }
    return Successors.run(first, then: last, in: downstream)
  }

  /// Complexity: O(n), later O(1).
  private var signals: [Signal<Value, Failure>] {
    if let known = links.withLock({ $0.row }) { return known }
    var result: [Signal<Value, Failure>] = []
    result.reserveCapacity(count)
    var link: Chain? = self
    while let current = link {
      let (before, first, last) = current.links.withLock { ($0.before, $0.first, $0.last) }
      if let last { result.append(last) }
      if let first { result.append(first) }
      link = before
    }
    result.reverse()
    links.withLock { $0.row = result }
    return result
  }
}
