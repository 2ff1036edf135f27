extension Signal {
  /// Pairs the values of two signals by position: the first with the first, the second with the second.
  ///
  /// The zipped signal subscribes to this signal first. Values are buffered until their partner arrives, so memory
  /// grows with the lead of one signal over the other. The zipped signal completes as soon as no further pair is
  /// possible. If one signal fails, the zipped signal fails and the other is disposed.
  ///
  /// A signal that sends without end while it is being started, such as `.from(0...)`, fills the memory, and
  /// `subscribe` does not return: number values with ``scan(into:_:)``.
  /// - Parameter other: The signal of the second element of each pair.
  /// - Returns: A signal of pairs.
  public func zip<Other: Sendable>(_ other: Signal<Other, Failure>) -> Signal<(Value, Other), Failure> {
    .joined(.zip, self, other)
  }

  /// Pairs the latest values of two signals whenever either sends a value, once both have sent one.
  ///
  /// The combined signal completes when both signals have completed, or when one completes without a value. If one
  /// signal fails, the combined signal fails and the other is disposed.
  /// - Parameter other: The signal of the second element of each pair.
  /// - Returns: A signal of pairs.
  public func combineLatest<Other: Sendable>(_ other: Signal<Other, Failure>) -> Signal<(Value, Other), Failure> {
    .joined(.combineLatest, self, other)
  }

  // Parameter packs only where the tuple is `Value`: a result of `(Value, repeat each Other)` is not inferred in
  // `a.zip(b, c).map { $0.2 }` (Swift 6.3).

  /// Combines the values of any number of signals by position: the first values, then the second ones, and so on.
  ///
  /// The zipped signal subscribes in the order of the parameters. Values are buffered until the other values of their
  /// tuple arrive, so memory grows with the lead of one signal over the others. The zipped signal completes as soon as
  /// no further tuple is possible; without signals, it completes immediately. If one signal fails, the zipped signal
  /// fails and the others are disposed.
  /// - Parameter signals: The signals, which may have values of different types.
  /// - Returns: A signal of tuples with one value of each signal.
  public static func zip<each Input: Sendable>(
    _ signals: repeat Signal<each Input, Failure>
  ) -> Signal where Value == (repeat each Input) {
    joined(.zip, repeat each signals)
  }

  /// Combines the latest values of any number of signals whenever one sends a value, once all have sent one.
  ///
  /// The combined signal subscribes in the order of the parameters. It completes when all signals have completed or
  /// when one completes without a value; without signals, it completes immediately. If one signal fails, the combined
  /// signal fails and the others are disposed.
  /// - Parameter signals: The signals, which may have values of different types.
  /// - Returns: A signal of tuples with the latest value of each signal.
  public static func combineLatest<each Input: Sendable>(
    _ signals: repeat Signal<each Input, Failure>
  ) -> Signal where Value == (repeat each Input) {
    joined(.combineLatest, repeat each signals)
  }

  /// Pairs each value of this signal with the latest value of another signal.
  ///
  /// Values before the first value of the other signal are dropped. The returned signal subscribes to the other signal
  /// first. It completes with this signal, or when the other signal completes without a value. If either signal fails,
  /// the returned signal fails.
  /// - Parameter other: The signal that provides the latest value.
  /// - Returns: A signal of pairs.
  public func withLatest<Other: Sendable>(from other: Signal<Other, Failure>) -> Signal<(Value, Other), Failure> {
    .stage { downstream in
      let join = LatestJoin<Value, Other, Failure>(downstream)
      // Only the latest value of `other` is kept and none is buffered, so `other` does not need to pause.
      other.run(
        in: Downstream<Other, Failure>(
          next: { join.sendOther($0) }, end: { join.endOther($0) }, scope: join.other,
          subscription: downstream.subscription, depth: downstream.depth))
      feed(downstream, scope: join.source, next: { join.send($0) }, end: { join.end($0) })
      return nil
    }
  }

  /// Combines the values of any number of signals of one type by position, as arrays.
  ///
  /// The rules are those for signals of different types. The order of the array is also that of the values. Each value
  /// costs O(1) amortized.
  /// - Parameter signals: The signals to combine.
  /// - Returns: A signal of arrays with one value of each signal.
  public static func zip(_ signals: [Signal]) -> Signal<[Value], Failure> {
    joined(.zip, signals)
  }

  /// Combines the latest values of any number of signals of one type, as arrays.
  ///
  /// The rules are those for signals of different types. The order of the array is also that of the values. Each value
  /// costs O(1), or a copy of the previous array if a subscriber has kept that array.
  /// - Parameter signals: The signals to combine.
  /// - Returns: A signal of arrays with the latest value of each signal.
  public static func combineLatest(_ signals: [Signal]) -> Signal<[Value], Failure> {
    joined(.combineLatest, signals)
  }

  /// Merges two or more signals, which run concurrently.
  ///
  /// If one fails, the merged signal fails and the others are disposed. The merged signal subscribes in the order of
  /// the parameters and completes when all signals have completed.
  /// - Parameters:
  ///   - first: The first signal to merge.
  ///   - second: The second signal.
  ///   - others: Further signals.
  /// - Returns: A signal of the values of all signals.
  public static func merge(_ first: Signal, _ second: Signal, _ others: Signal...) -> Signal {
    merge([first, second] + others)
  }

  /// Sends the events of the signal that sends an event first, and disposes the other signals.
  ///
  /// The returned signal subscribes in the order of the array; if a signal sends synchronously, the signals after it do
  /// not start. The others are disposed before the first event is delivered. That event may also be a failure or a
  /// completion without a value. Without signals, the returned signal completes immediately.
  /// - Parameter signals: The signals to choose from.
  /// - Returns: A signal of the events of one of the signals.
  public static func amb(_ signals: [Signal]) -> Signal {
    if signals.isEmpty { return .empty }
    return .stage { downstream in
      Amb(count: signals.count, downstream).start(signals, downstream)
      return nil
    }
  }

  /// Sends the events of this signal or of another, whichever sends an event first, and disposes the other.
  ///
  /// The returned signal subscribes to this signal first; see ``amb(_:)-([Signal<Value,Failure>])``.
  /// - Parameter other: The other signal.
  /// - Returns: A signal of the events of one of the signals.
  public func amb(_ other: Signal) -> Signal { .amb([self, other]) }
}
