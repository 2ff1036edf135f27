extension Signal {
  /// Shares one subscription to this signal among all who subscribe to the result.
  ///
  /// The first subscriber starts the source, also when several come at the same moment; the last one to leave before
  /// the end disposes it, and the next one after that starts it again. Once the source has ended it is never restarted: who
  /// comes late gets what is replayed and the ending, a failure too.
  /// - Parameter count: how many of the latest values a late subscriber gets first. Default: 0, only what comes.
  /// - Returns: a signal that all subscribers share.
  @inlinable
  public func share(replay count: Int = 0) -> Signal {
    let hub = Hub<Value, Failure>(replaying: count, isFedByHand: false)
    return .stage { downstream in
      hub.add(downstream, to: self)?.start(self, depth: downstream.depth)
      return nil
    }
  }

  /// Shares one subscription and gives everybody all values from the start, however late they come.
  ///
  /// Nothing is started before the first subscriber; the last one to leave before the end cancels the source.
  /// Memory grows with the number of values.
  public func replayLazily() -> Signal { share(replay: .max) }
}
