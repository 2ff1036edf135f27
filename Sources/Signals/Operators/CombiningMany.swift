extension Signal {
  /// Sends arrays of the values of any number of signals: first the first value of each, then the second of each.
  ///
  /// It subscribes in the order of the array, which is also the order of the values. Values wait for the others, so memory
  /// grows with how far one signal is ahead. It completes as soon as no further array is possible, at once for no signals;
  /// a failure of any fails it and disposes the others. A value costs O(1) amortized.
  /// - Parameter signals: the signals whose values are joined.
  /// - Returns: a signal of arrays with a value of each signal.
  public static func zip(_ signals: [Signal]) -> Signal<[Value], Failure> {
    join(signals) { ZipBuffer(count: $0) }
  }

  /// Sends an array of the latest values of any number of signals, whenever one sends a value and all have sent one.
  ///
  /// It subscribes in the order of the array, which is also the order of the values. It completes when all have completed or
  /// when one completes without a value, at once for no signals; a failure of any fails it and disposes the others. A value
  /// costs O(1), or a copy of the array that was sent last if somebody keeps that.
  /// - Parameter signals: the signals whose latest values are joined.
  /// - Returns: a signal of arrays with the latest value of each signal.
  public static func combineLatest(_ signals: [Signal]) -> Signal<[Value], Failure> {
    join(signals) { LatestBuffer(count: $0) }
  }

  private static func join<Buffer: JoinBuffer<Value>>(
    _ signals: [Signal], _ makeBuffer: @escaping @Sendable (Int) -> Buffer
  ) -> Signal<[Value], Failure> {
    if signals.isEmpty { return .empty }
    return .stage { downstream in
      ArrayJoin<Buffer, Failure>(makeBuffer(signals.count), count: signals.count, downstream).start(signals, downstream)
      return nil
    }
  }

  /// Pairs the values of two signals; see ``zip(_:)-(Signal<Other,Failure>)``.
  ///
  /// - Parameters:
  ///   - first: the signal that the first half of each pair comes from.
  ///   - second: the signal that the second half of each pair comes from.
  /// - Returns: a signal of pairs.
  public static func zip<First: Sendable, Second: Sendable>(
    _ first: Signal<First, Failure>, _ second: Signal<Second, Failure>
  ) -> Signal where Value == (First, Second) {
    first.zip(second)
  }

  /// Pairs the latest values of two signals; see ``combineLatest(_:)-(Signal<Other,Failure>)``.
  ///
  /// - Parameters:
  ///   - first: the signal that the first half of each pair comes from.
  ///   - second: the signal that the second half of each pair comes from.
  /// - Returns: a signal of pairs.
  public static func combineLatest<First: Sendable, Second: Sendable>(
    _ first: Signal<First, Failure>, _ second: Signal<Second, Failure>
  ) -> Signal where Value == (First, Second) {
    first.combineLatest(second)
  }

  /// Runs two or more signals at once and sends their values; any failure fails it and disposes the others.
  ///
  /// It subscribes in the order of the parameters and completes when all have completed.
  /// - Parameters:
  ///   - first: a signal.
  ///   - second: another signal.
  ///   - others: more signals.
  /// - Returns: a signal of the values of all.
  public static func merge(_ first: Signal, _ second: Signal, _ others: Signal...) -> Signal {
    merge([first, second] + others)
  }

  /// Sends the events of the first of several signals that sends any event, and disposes the others.
  ///
  /// It subscribes in the order of the array; a signal that sends at once keeps those after it from being started. The others
  /// are disposed before the first event is delivered; that may be a completion without a value, or a failure. No signals
  /// complete at once.
  /// - Parameter signals: the signals, of which one is chosen.
  /// - Returns: a signal of the events of one of them.
  public static func amb(_ signals: [Signal]) -> Signal {
    if signals.isEmpty { return .empty }
    return .stage { downstream in
      Amb(count: signals.count, downstream).start(signals, downstream)
      return nil
    }
  }

  /// Sends the events of this signal or of another, whichever sends any event first, and disposes the other.
  ///
  /// It subscribes to this signal first; see ``amb(_:)-([Signal<Value,Failure>])``.
  /// - Parameter other: the other signal.
  /// - Returns: a signal of the events of one of them.
  public func amb(_ other: Signal) -> Signal { .amb([self, other]) }
}
