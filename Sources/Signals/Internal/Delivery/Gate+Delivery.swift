public import Synchronization

/// Methods of the thread inside the gate.
extension Gate {
  @inlinable
  func send(_ value: Value) {
    // Moving the closure out and back costs two stores; calling the property directly costs a retain and a release.
    // (`take()` is not used: a closure that passes through a generic function comes back wrapped in another one.)
    if let next {
      self.next = nil
      next(value)
      self.next = next
    } else if let subscriber {
      self.subscriber = nil
      subscriber(.value(value))
      self.subscriber = subscriber
    }
  }

  /// Terminates the stage: closes the gate, disposes the upstream and delivers the end; an unreachable end disposes
  /// nothing: the teardown runs when the subscription is disposed.
  @inlinable
  func finish(_ end: End<Value, Failure>) {
    guard let deliver = self.end, close() else { return }
    cut()
    if !end.isUnreachable { disposeResource() }
    deliver(end)
  }

  /// Runs a job inside the gate, now or after the thread that is inside.
  @inlinable
  func run(_ job: @escaping @Sendable () -> Void) {
    guard enter() else { return enqueue(job) }
    job()
    leave()
  }
}

/// The modes in which a source defers the starts of inner signals downstream while it delivers.
@usableFromInline
enum Deferral {
  /// No flattening downstream defers starts.
  @inlinable static var none: UInt8 { 0 }
  /// The flattening watches the gate, which costs nothing for each event.
  @inlinable static var watched: UInt8 { 1 }
  /// The source marks each delivery.
  @inlinable static var marked: UInt8 { 2 }
}

/// A gate that reports whether a thread is inside, for `DeferredStarts`.
@usableFromInline
protocol WatchedGate: AnyObject, Sendable {
  /// Whether a thread is inside an open gate.
  var isBusy: Bool { get }
  /// The number of deliveries that have begun.
  var deliveryCount: Int { get }
  /// Marks that a start is deferred until the thread inside has left.
  func setDeferred(_ isDeferred: Bool)
}

// A thread that leaves the gate changes the word and then reads the mark. A thread that defers a start sets the mark
// and then reads the word. All four accesses are sequentially consistent, so one of the two threads sees the other's
// write.
extension Gate: WatchedGate {
  @usableFromInline var isBusy: Bool {
    let current = word.load(ordering: .sequentiallyConsistent)
    return current != GatePhase.idle && current != GatePhase.closed
  }

  @usableFromInline var deliveryCount: Int { deliveries.load(ordering: .relaxed) }

  @usableFromInline
  func setDeferred(_ isDeferred: Bool) {
    if isDeferred {
      _ = deferredMark.exchange(true, ordering: .sequentiallyConsistent)
    } else {
      deferredMark.store(false, ordering: .relaxed)
    }
  }

  @inlinable var hasNoDeferral: Bool { deferral.load(ordering: .relaxed) == Deferral.none }
  @inlinable var isWatched: Bool { deferral.load(ordering: .relaxed) == Deferral.watched }
  @inlinable var hasDeferred: Bool { deferredMark.load(ordering: .sequentiallyConsistent) }

  /// Counts a delivery; called inside the gate.
  @inlinable
  func countDelivery() {
    deliveries.store(deliveries.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
  }
}

@usableFromInline
enum ResourcePhase {
  @inlinable static var none: UInt8 { 0 }
  @inlinable static var writing: UInt8 { 1 }
  @inlinable static var held: UInt8 { 2 }
  @inlinable static var disposed: UInt8 { 3 }
}

/// The resource that a stage disposes upstream when it terminates: a teardown, or the scopes of its inputs.
extension Gate {
  /// Stores the resource, or disposes it immediately if the stage has terminated.
  @inlinable
  func hold(_ resource: consuming any Disposing) {
    guard exchange(ResourcePhase.none, for: ResourcePhase.writing) else { return resource.dispose() }
    self.resource = resource
    guard !exchange(ResourcePhase.writing, for: ResourcePhase.held) else { return }
    // Disposed in the meantime, so no other thread uses it.
    let late = self.resource
    self.resource = nil
    late?.dispose()
  }

  /// Disposes the resource; idempotent, callable from any thread.
  @inlinable
  func disposeResource() {
    // Checked first, because it is usually disposed already and a load is cheaper than an exchange.
    if resourcePhase.load(ordering: .acquiring) == ResourcePhase.disposed { return }
    guard resourcePhase.exchange(ResourcePhase.disposed, ordering: .acquiringAndReleasing) == ResourcePhase.held
    else { return }
    resource.take()?.dispose()
  }

  /// Removes and returns the resource without disposing it.
  func takeResource() -> (any Disposing)? {
    let before = resourcePhase.exchange(ResourcePhase.disposed, ordering: .acquiringAndReleasing)
    return before == ResourcePhase.held ? resource.take() : nil
  }

  @inlinable
  func exchange(_ expected: UInt8, for phase: UInt8) -> Bool {
    resourcePhase.compareExchange(expected: expected, desired: phase, ordering: .acquiringAndReleasing).exchanged
  }
}
