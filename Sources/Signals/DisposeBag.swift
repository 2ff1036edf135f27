/// A container that disposes its handles when it is disposed or deallocated.
///
/// An owner typically stores its subscriptions in one bag.
///
/// ```swift
/// final class Screen {
///   let bag = DisposeBag()
///   func appear() { Signal<Int, Never>.just(1).subscribe(onValue: { print($0) }).disposed(by: bag) }
/// }
/// ```
/// The last added handle is disposed first, so that the end of running work starts no work that waits behind it, as in
/// a lane. Adding handles also removes those of terminated subscriptions, so a long-lived bag does not grow.
public final class DisposeBag: Sendable {
  private struct Contents {
    var handles: [Disposable] = []
    var isDisposed = false
    /// The count at which terminated handles are removed.
    ///
    /// After each removal it is set to twice the remaining count: O(1) amortized per handle. During a removal it is
    /// infinite.
    var threshold = 16
  }

  private let contents = Guarded(Contents())

  /// Creates an empty bag.
  public init() {}

  deinit {
    for handle in contents.withLock({ $0.handles }).reversed() { handle.dispose() }
  }

  /// Adds a handle to the bag; a disposed bag disposes the handle immediately.
  public func add(_ disposable: Disposable) {
    let (isStored, candidates) = contents.withLock { contents -> (Bool, [Disposable]) in
      if contents.isDisposed { return (false, []) }
      contents.handles.append(disposable)
      guard contents.handles.count > contents.threshold else { return (true, []) }
      contents.threshold = .max
      return (true, contents.handles)
    }
    if !isStored { return disposable.dispose() }
    if !candidates.isEmpty { removeTerminated(candidates) }
  }

  /// Removes the handles of terminated subscriptions, which stay in the bag while they are checked outside the lock; a
  /// disposal in the meantime disposes them all.
  private func removeTerminated(_ candidates: [Disposable]) {
    let terminated = Set(candidates.filter(\.isDisposed))
    contents.withLock { contents in
      if contents.isDisposed { return }
      contents.handles.removeAll { terminated.contains($0) }
      contents.threshold = max(16, contents.handles.count * 2)
    }
    // Freed outside the lock.
    withExtendedLifetime(candidates) {}
  }

  /// Disposes all handles, the last added first; handles added later are disposed immediately.
  public func dispose() {
    let handles = contents.withLock { contents in
      let handles = contents.handles
      contents = Contents(isDisposed: true)
      return handles
    }
    for handle in handles.reversed() { handle.dispose() }
  }

  /// Whether the bag was disposed; a disposed bag disposes added handles immediately.
  public var isDisposed: Bool { contents.withLock { $0.isDisposed } }

  /// The number of handles in the bag, including handles of terminated subscriptions that are not yet removed.
  package var count: Int { contents.withLock { $0.handles.count } }
}

extension Disposable {
  /// Adds this handle to a bag.
  public func disposed(by bag: DisposeBag) { bag.add(self) }
}
