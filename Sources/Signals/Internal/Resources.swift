/// What a stage disposes upstream when it ends: a teardown, the scopes of its inputs, timers.
@usableFromInline
struct Resources: ~Copyable, Sendable {
  @usableFromInline
  struct Contents {
    // The first stands apart: most stages have one, and need no array.
    @usableFromInline var first: (any Disposing)?
    @usableFromInline var others: [any Disposing] = []
    @usableFromInline var isDisposed = false

    @inlinable init() {}
  }

  @usableFromInline let contents: Guarded<Contents>

  @inlinable
  init() {
    contents = Guarded(Contents())
  }

  /// Keeps a resource; disposes it at once if the others have been.
  @inlinable
  func add(_ resource: any Disposing) {
    let isKept = contents.withLock { contents in
      if contents.isDisposed { return false }
      if contents.first == nil { contents.first = resource } else { contents.others.append(resource) }
      return true
    }
    if !isKept { resource.dispose() }
  }

  /// Disposes all of them, in the order in which they were added. Idempotent.
  @inlinable
  func dispose() {
    let contents = contents.withLock { contents in
      let before = contents
      contents = Contents()
      contents.isDisposed = true
      return before
    }
    contents.first?.dispose()
    for resource in contents.others { resource.dispose() }
  }
}
