public import Synchronization

/// How far a gate's resource has come.
@usableFromInline
enum ResourcePhase {
  @inlinable static var none: UInt8 { 0 }
  @inlinable static var writing: UInt8 { 1 }
  @inlinable static var held: UInt8 { 2 }
  @inlinable static var disposed: UInt8 { 3 }
}

/// The one thing that a stage disposes upstream when it ends: a teardown, or the scopes of its inputs.
extension Gate {
  /// Keeps the resource; disposes it at once if the stage has ended.
  @inlinable
  func hold(_ resource: any Disposing) {
    guard exchange(ResourcePhase.none, for: ResourcePhase.writing) else { return resource.dispose() }
    self.resource = resource
    guard !exchange(ResourcePhase.writing, for: ResourcePhase.held) else { return }
    self.resource = nil
    resource.dispose()
  }

  /// Idempotent; callable from any thread.
  @inlinable
  func disposeResource() {
    // Mostly it has been: a look is cheaper than an exchange.
    if resourcePhase.load(ordering: .acquiring) == ResourcePhase.disposed { return }
    guard resourcePhase.exchange(ResourcePhase.disposed, ordering: .acquiringAndReleasing) == ResourcePhase.held
    else { return }
    resource.take()?.dispose()
  }

  /// Takes the resource out without disposing it.
  func takeResource() -> (any Disposing)? {
    let before = resourcePhase.exchange(ResourcePhase.disposed, ordering: .acquiringAndReleasing)
    return before == ResourcePhase.held ? resource.take() : nil
  }

  @inlinable
  func exchange(_ expected: UInt8, for phase: UInt8) -> Bool {
    resourcePhase.compareExchange(expected: expected, desired: phase, ordering: .acquiringAndReleasing).exchanged
  }
}
