import Signals

/// A client's calls in flight by their identifiers, including those of batches and chains.
final class ActiveCalls: Sendable {
  private let cancellations = Guarded<[RequestID: @Sendable () -> Void]>([:])

  /// The identifiers in the order in which the calls were started.
  var ids: [RequestID] {
    cancellations.withLock { Array($0.keys) }.sorted { $0.rawValue < $1.rawValue }
  }

  func cancel(_ id: RequestID) { cancellations.withLock { $0[id] }?() }

  func add(_ id: RequestID, _ cancel: @escaping @Sendable () -> Void) {
    cancellations.withLock { $0[id] = cancel }
  }

  func remove(_ id: RequestID) {
    let removed = cancellations.withLock { $0.removeValue(forKey: id) }
    withExtendedLifetime(removed) {}
  }
}
