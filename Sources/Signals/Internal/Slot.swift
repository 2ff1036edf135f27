/// A slot for one handle: storing a new handle disposes the previous one.
package struct Slot: ~Copyable, Sendable {
  struct Contents {
    var handle: Disposable?
    var isDisposed = false
  }

  private let contents = Guarded(Contents())

  package init() {}

  /// Stores a handle and disposes the previous one; a disposed slot disposes the new handle immediately.
  package func put(_ handle: Disposable) {
    let dropped = contents.withLock { contents -> Disposable? in
      if contents.isDisposed { return handle }
      let former = contents.handle
      contents.handle = handle
      return former
    }
    dropped?.dispose()
  }

  /// Disposes the stored handle; handles stored later are disposed immediately.
  package func dispose() {
    let dropped = contents.withLock { contents in
      let former = contents.handle
      contents = Contents(isDisposed: true)
      return former
    }
    dropped?.dispose()
  }
}
