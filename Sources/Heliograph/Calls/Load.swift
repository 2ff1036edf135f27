import Signals

/// A load in progress: one subscription that sets a property of an owner.
@MainActor
final class Load<Owner: AnyObject, Value: Sendable>: LoadInProgress {
  let key: LoadTable.Key
  private(set) weak var owner: Owner?
  private let keyPath: ReferenceWritableKeyPath<Owner, Loadable<Value>>
  private let work = SerialHandle()
  private var hasEvent = false

  init(_ keyPath: ReferenceWritableKeyPath<Owner, Loadable<Value>>, _ owner: Owner) {
    (self.keyPath, self.owner) = (keyPath, owner)
    key = LoadTable.Key(owner: ObjectIdentifier(owner), property: keyPath)
  }

  /// Replaces the load in progress for the property and subscribes.
  func start(_ signal: Signal<Value, NetworkError>, _ owner: Owner) -> Disposable {
    LoadTable.replace(by: self)
    let main: DispatchScheduler = .mainImmediate
    // The main queue is the main actor's executor. The signal is bound to the owner on the main queue, because a
    // delivery may release the owner last.
    let handle = signal.observe(on: .mainImmediate)
      .finally { main.schedule { MainActor.assumeIsolated { self.end() } } }
      .bound(to: owner)
      .subscribe { (event: Event<Value, NetworkError>) in MainActor.assumeIsolated { self.apply(event) } }
    work.set(handle)
    if isCurrent && !hasEvent && !owner[keyPath: keyPath].isLoading {
      owner[keyPath: keyPath] = .loading(previous: owner[keyPath: keyPath].value)
    }
    return handle
  }

  func cancel() { work.dispose() }

  private var isCurrent: Bool { LoadTable.loads[key] === self }

  private func apply(_ event: Event<Value, NetworkError>) {
    guard isCurrent, let owner else { return }
    let shown = owner[keyPath: keyPath]
    // At a synchronous first event, the property is not in the loading state yet.
    let state = hasEvent ? shown : .loading(previous: shown.value)
    hasEvent = true
    if let next = state.after(event) { owner[keyPath: keyPath] = next }
  }

  private func end() {
    guard isCurrent else { return }
    LoadTable.loads[key] = nil
    if let owner, owner[keyPath: keyPath].isLoading { owner[keyPath: keyPath] = owner[keyPath: keyPath].settled }
  }
}

@MainActor
protocol LoadInProgress: AnyObject {
  var key: LoadTable.Key { get }
  func cancel()
}

/// The loads in progress by owner and property.
///
/// A load removes its entry when it ends or its owner is deallocated. An entry may remain for up to 100 milliseconds
/// after the deallocation. A load for a new object at the same address replaces the entry, and the old load does not
/// remove the new one.
@MainActor
enum LoadTable {
  struct Key: Hashable {
    let owner: ObjectIdentifier
    let property: AnyKeyPath
  }

  static var loads: [Key: any LoadInProgress] = [:]

  static func replace(by load: some LoadInProgress) {
    let replaced = loads.updateValue(load, forKey: load.key)
    replaced?.cancel()
  }
}
