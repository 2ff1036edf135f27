/// Ends when it is deallocated: as an owner's stored property it ends with the owner.
///
/// ```swift
/// final class Screen {
///   let lifetime = Lifetime()
///   func follow(_ clock: Signal<Int, Never>) {
///     clock.take(during: lifetime).subscribe(onValue: { print($0) })
///   }
/// }
/// ```
/// Signals never keep it alive.
public final class Lifetime: Sendable {
  let ending = Ending()

  /// Begins a lifetime.
  public init() {}

  deinit { ending.end() }
}

/// State that outlives a `Lifetime`: whether it has ended, and which handles to dispose when it does.
final class Ending: Sendable {
  private struct State {
    var observers: [Int: Disposable]? = [:]
    var nextKey = 0
  }

  private let state = Guarded(State())

  var hasEnded: Bool { state.withLock { $0.observers == nil } }

  /// Disposes the handle at the end, or now if that is past.
  ///
  /// Returns what withdraws it.
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
    return Disposable { [self] in
      let removed = state.withLock { $0.observers?.removeValue(forKey: key) }
      withExtendedLifetime(removed) {}
    }
  }

  func end() {
    let observers = state.withLock { $0.observers.take() }
    // In the order in which they came.
    for (_, observer) in (observers ?? [:]).sorted(by: { $0.key < $1.key }) { observer.dispose() }
  }

  var observerCount: Int { state.withLock { $0.observers?.count ?? 0 } }
}
