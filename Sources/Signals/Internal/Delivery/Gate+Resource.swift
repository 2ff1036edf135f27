public import Synchronization

/// The phases of a gate's resource.
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

  /// Disposes the resource.
  ///
  /// Idempotent; callable from any thread.
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
