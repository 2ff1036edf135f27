/// A holder of one handle: setting a new handle disposes the previous one.
package struct SerialHandle: ~Copyable, Sendable {
  struct Contents {
    var handle: Disposable?
    var isDisposed = false
  }

  private let contents = Guarded(Contents())

  package init() {}

  /// Stores a handle and disposes the previous one; once disposed, it disposes the new handle immediately.
  package func set(_ handle: Disposable) {
    let dropped = contents.withLock { contents -> Disposable? in
      if contents.isDisposed { return handle }
      defer { contents.handle = handle }
      return contents.handle
    }
    dropped?.dispose()
  }

  /// Disposes the stored handle; handles stored later are disposed immediately.
  package func dispose() {
    let dropped = contents.withLock { contents in
      defer { contents = Contents(isDisposed: true) }
      return contents.handle
    }
    dropped?.dispose()
  }
}
