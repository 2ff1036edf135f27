/// Disposes what was added to it when it is disposed or deallocated: the usual end of an owner's subscriptions.
///
/// ```swift
/// final class Screen {
///   let bag = DisposeBag()
///   func appear() { Signal<Int, Never>.just(1).subscribe(onValue: { print($0) }).disposed(by: bag) }
/// }
/// ```
/// Handles of terminated subscriptions are dropped as others are added, so a long-lived bag does not grow.
public final class DisposeBag: Sendable {
  private struct Contents {
    var handles: [Disposable] = []
    var isDisposed = false
    /// Ended handles are dropped when the count reaches this, which then doubles with what is left: O(1) per handle.
    var threshold = 16
  }

  private let contents = Guarded(Contents())

  /// Makes an empty bag.
  public init() {}

  deinit { dispose() }

  /// Keeps a handle until the bag is disposed; a bag that was disposed already disposes it at once.
  ///
  /// - Parameter disposable: the handle to keep.
  public func add(_ disposable: Disposable) {
    let (isKept, candidates) = contents.withLock { contents -> (Bool, [Disposable]) in
      if contents.isDisposed { return (false, []) }
      contents.handles.append(disposable)
      guard contents.handles.count > contents.threshold else { return (true, []) }
      defer { contents.handles = [] }
      return (true, contents.handles)
    }
    if !isKept { return disposable.dispose() }
    if !candidates.isEmpty { keep(candidates.filter { !$0.isDisposed }) }
  }

  /// Puts back the handles that are still needed: looking at them may free some, which is not done under the lock.
  private func keep(_ handles: [Disposable]) {
    let isKept = contents.withLock { contents in
      if contents.isDisposed { return false }
      contents.handles = handles + contents.handles
      contents.threshold = max(16, contents.handles.count * 2)
      return true
    }
    if !isKept { for handle in handles { handle.dispose() } }
  }

  /// Disposes all that was added, in that order, and from now on all that is added.
  public func dispose() {
    let handles = contents.withLock { contents in
      let handles = contents.handles
      contents = Contents(isDisposed: true)
      return handles
    }
    for handle in handles { handle.dispose() }
  }

  /// Whether it was disposed, so that all that is added is disposed at once.
  public var isDisposed: Bool { contents.withLock { $0.isDisposed } }

  /// How many handles are kept, those of ended subscriptions included until they are dropped.
  package var count: Int { contents.withLock { $0.handles.count } }
}

extension Disposable {
  /// Adds this handle to a bag.
  public func disposed(by bag: DisposeBag) { bag.add(self) }
}
