/// The source of a bound signal, with its entry in the ownership log.
final class Bound: Disposing {
  let source = Disposable()
  /// The entry in the ownership log, if the log is enabled.
  private let record: OwnershipRecord?

  init(_ scope: Disposable, _ record: OwnershipRecord?) {
    self.record = record
    scope.hold(self)
  }

  // A subscription whose source was dropped is released without a disposal.
  deinit { record?.end() }

  var isDisposed: Bool { source.isCancelled }

  func dispose() {
    source.dispose()
    record?.end()
  }
}
