import Signals

/// The calls of a client in flight, by their identifiers; batches and chains are not listed, only their calls.
///
/// It may be used from any thread.
public final class ActiveCalls: Sendable {
  private let cancellations = Guarded<[RequestID: @Sendable () -> Void]>([:])

  init() {}

  /// The identifiers of the calls in flight, in the order in which they were started.
  ///
  /// Complexity: O(n log n).
  public var ids: [RequestID] {
    cancellations.withLock { Array($0.keys) }.sorted { $0.rawValue < $1.rawValue }
  }

  /// The number of calls in flight.
  public var count: Int { cancellations.withLock { $0.count } }

  /// Cancels a call; an identifier that is unknown, or whose call has ended, has no effect.
  ///
  /// - Parameter id: The identifier of the run.
  public func cancel(_ id: RequestID) { cancellations.withLock { $0[id] }?() }

  /// Cancels several calls; identifiers that are unknown, or whose calls have ended, have no effect.
  ///
  /// - Parameter ids: The identifiers of the runs.
  public func cancel(_ ids: some Sequence<RequestID>) { for id in ids { cancel(id) } }

  /// Cancels all calls in flight; calls that are started meanwhile continue.
  public func cancelAll() { cancel(ids) }

  func add(_ id: RequestID, _ cancel: @escaping @Sendable () -> Void) {
    cancellations.withLock { $0[id] = cancel }
  }

  func remove(_ id: RequestID) {
    let removed = cancellations.withLock { $0.removeValue(forKey: id) }
    withExtendedLifetime(removed) {}
  }
}
