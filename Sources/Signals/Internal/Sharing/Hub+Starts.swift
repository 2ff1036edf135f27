public import Synchronization

/// The delivery of a hub's queued events, which defers the starts of inner signals downstream until the gate is left.
extension Hub {
  /// Delivers a queued value, whose sender has returned; a handler of an inner signal may send a newer one.
  @usableFromInline
  func deliverLater(_ value: Value, to entries: [Entry], _ hasStarts: Bool) {
    if hasStarts { for entry in entries { entry.starts?.hold() } }
    for entry in entries { entry.next(value) }
    if hasStarts { holdUntilLeft(entries) }
  }

  /// Delivers a queued end; the source is torn down first.
  func deliverLater(
    _ end: End<Value, Failure>, to entries: [Entry], _ hasStarts: Bool, from connection: Connection<Value, Failure>?
  ) {
    connection?.scope.dispose()
    if hasStarts { for entry in entries { entry.starts?.hold() } }
    for entry in entries { entry.end(end) }
    if hasStarts { holdUntilLeft(entries) }
  }

  /// Holds the starts of the receivers of a queued event until a thread has left the gate.
  ///
  /// Called after the delivery, so that any thread may release them.
  private func holdUntilLeft(_ entries: [Entry]) {
    let starts = entries.compactMap(\.starts)
    heldStarts.withLock { $0 += starts }
    hasHeldStarts.store(true, ordering: .relaxed)
  }

  /// Delivers the queued events, leaves the gate and starts the inner signals that the events have deferred.
  @inlinable
  func leave(_ entries: [Entry], _ hasStarts: Bool) {
    gate.leave()
    // A thread sees its own write; another thread's is seen by that thread.
    if hasStarts || hasHeldStarts.load(ordering: .relaxed) { startDeferred(by: entries) }
  }

  @usableFromInline
  func startDeferred(by entries: [Entry]) {
    let held = hasHeldStarts.load(ordering: .relaxed) ? takeHeldStarts() : []
    // All are released first, because a start may take a long time.
    for entry in entries { entry.starts?.release() }
    for starts in held { starts.release() }
    for entry in entries { entry.starts?.startDeferred() }
    for starts in held { starts.startDeferred() }
  }

  private func takeHeldStarts() -> [DeferredStarts] {
    heldStarts.withLock { held in
      hasHeldStarts.store(false, ordering: .relaxed)
      defer { held = [] }
      return held
    }
  }
}
