/// The source of a bound signal and the watch for the owner's deinit; both are disposed together.
final class Bound: Disposing {
  let source = Disposable()
  private let watching = Slot()
  /// The entry in the ownership log, if the log is enabled.
  private let record: OwnershipRecord?

  init(_ scope: Disposable, _ record: OwnershipRecord?) {
    self.record = record
    scope.hold(self)
  }

  // A subscription whose source was dropped is released without a disposal.
  deinit { withdraw() }

  var isDisposed: Bool { source.isCancelled }

  func watch(by watch: (Disposable) -> Disposable?, _ action: @escaping @Sendable () -> Void) {
    if let withdrawal = watch(Disposable(action)) { watching.put(withdrawal) }
  }

  func dispose() {
    source.dispose()
    withdraw()
  }

  private func withdraw() {
    watching.dispose()
    record?.end()
  }
}
