/// A stage that sends one value for each value that it receives.
@usableFromInline
final class MapStage<Input: Sendable, Output: Sendable, Failure: Error>: Sendable {
  @usableFromInline let next: @Sendable (Output) -> Void
  @usableFromInline let finish: @Sendable (End<Output, Failure>) -> Void
  @usableFromInline let transform: @Sendable (Input) -> Output

  @inlinable
  init(_ downstream: Downstream<Output, Failure>, _ transform: @escaping @Sendable (Input) -> Output) {
    self.next = downstream.next
    self.finish = downstream.end
    self.transform = transform
  }

  @inlinable
  func end(_ end: End<Input, Failure>) {
    finish(end.map(transform))
  }
}

/// A stage that sends at most one value for each value that it receives.
@usableFromInline
final class CompactMapStage<Input: Sendable, Output: Sendable, Failure: Error>: Sendable {
  @usableFromInline let next: @Sendable (Output) -> Void
  @usableFromInline let finish: @Sendable (End<Output, Failure>) -> Void
  @usableFromInline let transform: @Sendable (Input) -> Output?

  @inlinable
  init(_ downstream: Downstream<Output, Failure>, _ transform: @escaping @Sendable (Input) -> Output?) {
    self.next = downstream.next
    self.finish = downstream.end
    self.transform = transform
  }

  @inlinable
  func receive(_ value: Input) {
    if let result = transform(value) { next(result) }
  }

  @inlinable
  func end(_ end: End<Input, Failure>) {
    if let end = end.withoutValue(Output.self) { return finish(end) }
    if case .last(let value) = end { finish(transform(value).map { .last($0) } ?? .completed) }
  }
}

extension Signal {
  /// Transforms each value with a closure, which runs for each subscription, on the delivering thread.
  @inlinable
  public func map<Output: Sendable>(
    _ transform: @escaping @Sendable (Value) -> Output
  ) -> Signal<Output, Failure> {
    switch kind {
    case .ready(let value): return .deferred { .just(transform(value)) }
    case .empty: return .empty
    case .failed(let failure): return .fail(failure)
    default:
      return .stage { downstream in
        let stage = MapStage(downstream, transform)
        feed(downstream, next: { stage.next(stage.transform($0)) }, end: { stage.end($0) })
        return nil
      }
    }
  }

  /// Sends only the values that satisfy a predicate, which runs on the delivering thread.
  @inlinable
  public func filter(_ isIncluded: @escaping @Sendable (Value) -> Bool) -> Signal {
    switch kind {
    case .ready(let value): return .deferred { isIncluded(value) ? .just(value) : .empty }
    case .empty, .failed: return self
    default: return compactMap { isIncluded($0) ? $0 : nil }
    }
  }

  /// Transforms each value with a closure, on the delivering thread, and drops `nil` results.
  @inlinable
  public func compactMap<Output: Sendable>(
    _ transform: @escaping @Sendable (Value) -> Output?
  ) -> Signal<Output, Failure> {
    .stage { downstream in
      let stage = CompactMapStage(downstream, transform)
      feed(downstream, next: { stage.receive($0) }, end: { stage.end($0) })
      return nil
    }
  }
}
