/// The source of a bound signal, with its entry in the ownership log.
final class Bound: Disposing {
  let source = Disposable()
  /// The entry in the ownership log, if the log is enabled.
  private let record: OwnershipRecord?
  /// The bond of an inner signal, which ends with its stage.
  private let bond = Guarded<OwnerBond?>(nil)

  init(_ scope: Disposable, _ record: OwnershipRecord?) {
    self.record = record
    scope.hold(self)
  }

  // A subscription whose source was dropped is released without a disposal.
  deinit { record?.end() }

  var isDisposed: Bool { source.isCancelled }

  /// Keeps a bond until the stage ends.
  func hold(_ bond: OwnerBond) { self.bond.withLock { if !isDisposed { $0 = bond } } }

  func dispose() {
    source.dispose()
    let ended = bond.withLock { $0.take() }
    withExtendedLifetime(ended) {}
    record?.end()
  }
}
