/// Holds one handle; a new one replaces it, and the one before is disposed.
package struct Slot: ~Copyable, Sendable {
  struct Contents {
    var handle: Disposable?
    var isDisposed = false
  }

  private let contents = Guarded(Contents())

  package init() {}

  /// Keeps a handle and disposes the one before it; a disposed slot disposes the new one at once.
  package func put(_ handle: Disposable) {
    let dropped = contents.withLock { contents -> Disposable? in
      if contents.isDisposed { return handle }
      let before = contents.handle
      contents.handle = handle
      return before
    }
    dropped?.dispose()
  }

  /// Disposes what is held, and from now on all that is put.
  package func dispose() {
    let dropped = contents.withLock { contents in
      let before = contents.handle
      contents = Contents(isDisposed: true)
      return before
    }
    dropped?.dispose()
  }
}
