// Operators between a signal that cannot fail and one that can. They are members of the protocol, because the compiler
// prefers members of `Signal` itself: nothing is ambiguous when both signals cannot fail.

/// Operators whose other signal cannot fail, and may be a ``CurrentValue``, a ``Property`` or a ``PublishSubject``.
extension SignalConvertible {
  /// Transforms each value into an inner signal that cannot fail; see ``Signal/flatMap(_:_:)``.
  @inlinable
  public func flatMap<Output: Sendable>(
    _ strategy: FlattenStrategy = .merge, _ transform: @escaping @Sendable (Value) -> Signal<Output, Never>
  ) -> Signal<Output, Failure> {
    signal.flatMap(strategy) { transform($0).setFailureType(to: Failure.self) }
  }

  /// When this signal has completed, runs one that cannot fail; see ``Signal/then(_:)``.
  public func then<Output: Sendable>(_ next: some SignalConvertible<Output, Never>) -> Signal<Output, Failure> {
    signal.then(next.signal.setFailureType(to: Failure.self))
  }

  /// Continues with a signal that cannot fail; see ``Signal/concat(_:)-(Signal<Value,Failure>)``.
  public func concat(_ next: some SignalConvertible<Value, Never>) -> Signal<Value, Failure> {
    signal.concat(next.signal.setFailureType(to: Failure.self))
  }

  /// Merges this signal with others that cannot fail; see ``Signal/merge(_:_:)-(Signal<Value,Failure>,_)``.
  public func merge(
    _ other: any SignalConvertible<Value, Never>, _ others: any SignalConvertible<Value, Never>...
  ) -> Signal<Value, Failure> {
    .merge([signal] + ([other] + others).map { $0.signal.setFailureType(to: Failure.self) })
  }

  /// Pairs the values by position with those of a signal that cannot fail; see
  /// ``Signal/zip(_:)-(Signal<Other,Failure>)``.
  public func zip<Other: Sendable>(
    _ other: some SignalConvertible<Other, Never>
  ) -> Signal<(Value, Other), Failure> {
    signal.zip(other.signal.setFailureType(to: Failure.self))
  }

  /// Pairs the latest values with those of a signal that cannot fail; see
  /// ``Signal/combineLatest(_:)-(Signal<Other,Failure>)``.
  public func combineLatest<Other: Sendable>(
    _ other: some SignalConvertible<Other, Never>
  ) -> Signal<(Value, Other), Failure> {
    signal.combineLatest(other.signal.setFailureType(to: Failure.self))
  }

  /// Pairs each value with the latest value of a signal that cannot fail; see ``Signal/withLatest(from:)``.
  public func withLatest<Other: Sendable>(
    from other: some SignalConvertible<Other, Never>
  ) -> Signal<(Value, Other), Failure> {
    signal.withLatest(from: other.signal.setFailureType(to: Failure.self))
  }

  /// Sends values until a signal that cannot fail sends one; see ``Signal/take(until:)-(Signal<Other,Failure>)``.
  public func take<Other: Sendable>(until trigger: some SignalConvertible<Other, Never>) -> Signal<Value, Failure> {
    signal.take(until: trigger.signal.setFailureType(to: Failure.self))
  }

  /// Drops values until a signal that cannot fail sends one; see ``Signal/skip(until:)``.
  public func skip<Other: Sendable>(until trigger: some SignalConvertible<Other, Never>) -> Signal<Value, Failure> {
    signal.skip(until: trigger.signal.setFailureType(to: Failure.self))
  }

  /// Sends the latest value whenever a signal that cannot fail sends one; see ``Signal/sample(on:)``.
  public func sample<Other: Sendable>(on sampler: some SignalConvertible<Other, Never>) -> Signal<Value, Failure> {
    signal.sample(on: sampler.signal.setFailureType(to: Failure.self))
  }
}

/// Operators of a signal that cannot fail with one that can: the result has the other's failure type.
extension SignalConvertible where Failure == Never {
  /// Transforms each value into an inner signal that can fail; see ``Signal/flatMap(_:_:)``.
  @inlinable
  public func flatMap<Output: Sendable, Problem: Error>(
    _ strategy: FlattenStrategy = .merge, _ transform: @escaping @Sendable (Value) -> Signal<Output, Problem>
  ) -> Signal<Output, Problem> {
    signal.setFailureType(to: Problem.self).flatMap(strategy, transform)
  }

  /// Flattens a signal of signals that can fail; see ``Signal/flatten(_:)``.
  @inlinable
  public func flatten<Inner: Sendable, Problem: Error>(
    _ strategy: FlattenStrategy = .merge
  ) -> Signal<Inner, Problem> where Value == Signal<Inner, Problem> {
    flatMap(strategy) { $0 }
  }

  /// When this signal has completed, runs one that can fail; see ``Signal/then(_:)``.
  public func then<Output: Sendable, Problem: Error>(
    _ next: some SignalConvertible<Output, Problem>
  ) -> Signal<Output, Problem> {
    signal.setFailureType(to: Problem.self).then(next.signal)
  }

  /// Continues with a signal that can fail; see ``Signal/concat(_:)-(Signal<Value,Failure>)``.
  public func concat<Problem: Error>(_ next: some SignalConvertible<Value, Problem>) -> Signal<Value, Problem> {
    signal.setFailureType(to: Problem.self).concat(next.signal)
  }

  /// Merges this signal with others that can fail; see ``Signal/merge(_:_:)-(Signal<Value,Failure>,_)``.
  public func merge<Problem: Error>(
    _ other: any SignalConvertible<Value, Problem>, _ others: any SignalConvertible<Value, Problem>...
  ) -> Signal<Value, Problem> {
    .merge([signal.setFailureType(to: Problem.self), other.signal] + others.map { $0.signal })
  }

  /// Pairs the values by position with those of a signal that can fail; see ``Signal/zip(_:)-(Signal<Other,Failure>)``.
  public func zip<Other: Sendable, Problem: Error>(
    _ other: some SignalConvertible<Other, Problem>
  ) -> Signal<(Value, Other), Problem> {
    signal.setFailureType(to: Problem.self).zip(other.signal)
  }

  /// Pairs the latest values with those of a signal that can fail; see
  /// ``Signal/combineLatest(_:)-(Signal<Other,Failure>)``.
  public func combineLatest<Other: Sendable, Problem: Error>(
    _ other: some SignalConvertible<Other, Problem>
  ) -> Signal<(Value, Other), Problem> {
    signal.setFailureType(to: Problem.self).combineLatest(other.signal)
  }

  /// Pairs each value with the latest value of a signal that can fail; see ``Signal/withLatest(from:)``.
  public func withLatest<Other: Sendable, Problem: Error>(
    from other: some SignalConvertible<Other, Problem>
  ) -> Signal<(Value, Other), Problem> {
    signal.setFailureType(to: Problem.self).withLatest(from: other.signal)
  }

  /// Sends values until a signal that can fail sends one; see ``Signal/take(until:)-(Signal<Other,Failure>)``.
  public func take<Other: Sendable, Problem: Error>(
    until trigger: some SignalConvertible<Other, Problem>
  ) -> Signal<Value, Problem> {
    signal.setFailureType(to: Problem.self).take(until: trigger.signal)
  }
}

/// The static forms, for a ``CurrentValue``, a ``Property`` or a ``PublishSubject``.
extension SignalConvertible {
  /// Combines the values of several sources by position.
  public static func zip<each Input: Sendable>(
    _ inputs: repeat any SignalConvertible<each Input, Failure>
  ) -> Signal<(repeat each Input), Failure> where Value == (repeat each Input) {
    .joined(.zip, repeat source(each inputs))
  }

  /// Combines the latest values of several sources.
  public static func combineLatest<each Input: Sendable>(
    _ inputs: repeat any SignalConvertible<each Input, Failure>
  ) -> Signal<(repeat each Input), Failure> where Value == (repeat each Input) {
    .joined(.combineLatest, repeat source(each inputs))
  }

  // Compilers before 6.3 fail to open an existential in the expansion of a pack.
  private static func source<Input: Sendable>(
    _ input: any SignalConvertible<Input, Failure>
  ) -> Signal<Input, Failure> {
    input.signal
  }

  /// Merges several sources; see ``Signal/merge(_:_:_:)``.
  public static func merge(
    _ first: any SignalConvertible<Value, Failure>, _ second: any SignalConvertible<Value, Failure>,
    _ others: any SignalConvertible<Value, Failure>...
  ) -> Signal<Value, Failure> {
    .merge([first.signal, second.signal] + others.map { $0.signal })
  }
}
