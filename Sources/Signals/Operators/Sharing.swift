extension Signal {
  /// Shares one subscription to this signal among all subscribers of the result.
  ///
  /// The first subscriber starts the source, even if several subscribe concurrently. If the last subscriber is disposed
  /// before the source has terminated, the source is disposed, and the next subscriber starts it again. The same
  /// applies after the deallocation of an owner or a subject has ended the source. A source that has terminated is
  /// never restarted: late subscribers receive the replayed values and the terminal event, including a failure. A
  /// source whose ``Observer`` was deallocated has not terminated: late subscribers receive the replayed values. The
  /// replayed values come on the subscriber's thread, and are dropped with a source that is disposed. Back-pressure
  /// stops here: no subscriber slows down the others. Put `retry` and `poll` before this operator: behind it they
  /// receive the same end again, and a `retry(when:)` that always allows a retry does not return.
  /// - Parameter count: The size of the replay buffer. A late subscriber first receives that many of the latest values.
  ///   Default: 0, no replay.
  /// - Returns: A signal that multicasts one subscription.
  @inlinable
  public func share(replay count: Int = 0) -> Signal {
    let hub = Hub<Value, Failure>(replaying: count)
    return .stage { downstream in
      hub.add(downstream, to: self)?.start(self, depth: downstream.depth)
      return nil
    }
  }

  /// Shares one subscription and replays all values from the start to every subscriber.
  ///
  /// The source starts with the first subscriber. If the last subscriber is disposed before the source has terminated,
  /// the source is disposed. Memory grows with the number of values.
  public func replayLazily() -> Signal { share(replay: .max) }
}
