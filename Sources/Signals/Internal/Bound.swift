/// The source of a bound signal and the watch for the owner's deinit; both are disposed together.
final class Bound: Disposing {
  let source = Disposable()
  private let watching = Slot()

  init(_ scope: Disposable) {
    scope.hold(self)
  }

  var isDisposed: Bool { source.isCancelled }

  func watch(by watch: (Disposable) -> Disposable?, _ action: @escaping @Sendable () -> Void) {
    if let withdrawal = watch(Disposable(action)) { watching.put(withdrawal) }
  }

  func dispose() {
    source.dispose()
    watching.dispose()
  }
}
