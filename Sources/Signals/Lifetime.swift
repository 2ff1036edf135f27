/// A token whose deallocation marks the end of its owner's lifetime; store it in a property of the owner.
///
/// ```swift
/// final class Screen {
///   let lifetime = Lifetime()
///   func follow(_ clock: Signal<Int, Never>) {
///     clock.take(during: lifetime).subscribe(onValue: { print($0) })
///   }
/// }
/// ```
/// Signals never retain the lifetime.
public final class Lifetime: Sendable {
  let ending = Ending()

  /// Creates a lifetime that ends when it is deallocated.
  public init() {}

  deinit { ending.end() }
}

/// State that outlives a `Lifetime`: whether the lifetime has ended, and the handles to dispose at its end.
final class Ending: Sendable {
  struct State {
    var observers: [Int: Disposable]? = [:]
    var nextKey = 0
  }

  let state = Guarded(State())

  var hasEnded: Bool { state.withLock { $0.observers == nil } }

  /// Disposes a handle when the lifetime ends, or immediately if it has ended; returns a handle that removes the
  /// registration.
  func add(_ observer: Disposable) -> Disposable? {
    let key = state.withLock { state -> Int? in
      guard state.observers != nil else { return nil }
      state.nextKey += 1
      state.observers?[state.nextKey] = observer
      return state.nextKey
    }
    guard let key else {
      observer.dispose()
      return nil
    }
    return Disposable { [self] in state.discardWithLock { $0.observers?.removeValue(forKey: key) } }
  }

  func end() {
    let observers = state.withLock { $0.observers.take() }
    // Newest first, because the disposal of running work starts work that waits for it.
    for (_, observer) in (observers ?? [:]).sorted(by: { $0.key > $1.key }) { observer.dispose() }
  }
}
