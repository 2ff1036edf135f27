public import Synchronization

/// Anything a `Disposable` can dispose: a source, a stage, another handle.
@usableFromInline
package protocol Disposing: AnyObject, Sendable {
  /// Stops the work silently and frees its resources; idempotent, callable from any thread.
  func dispose()
  /// Whether the work was disposed or has terminated.
  var isDisposed: Bool { get }
  /// The handle that holds the bonds to owners; `nil` if this is not a subscription.
  var bondHolder: Disposable? { get }
}

extension Disposing {
  /// `nil`: this is not a subscription.
  @usableFromInline package var bondHolder: Disposable? { nil }
}

/// A handle that stops a subscription, a timer or a request.
///
/// - Disposal is silent: it sends no event. After a call of `dispose()` has returned, no new delivery begins. A
///   delivery in flight on another thread may finish. On the thread that disposes, nothing more is delivered.
/// - Disposal is idempotent and safe from any thread. The teardown runs exactly once.
/// - **Discarding the handle does not dispose it.** Store the handle in a ``DisposeBag``, or use
///   ``Signal/take(during:)`` or ``Signal/bound(to:)-(AnyObject)`` if the work must end with its owner.
/// - The handle retains what its subscription still needs: the running source, and the signals that `concat` or `retry`
///   may start later. Both are released when the subscription terminates or is disposed.
public final class Disposable: Sendable {
  @usableFromInline
  struct Contents {
    @usableFromInline var upstream: (any Disposing)?
    @usableFromInline var action: (@Sendable () -> Void)?
    /// The owners; the subscription ends with the first one that is deallocated.
    @usableFromInline var bonds: [OwnerBond] = []

    @inlinable
    init(action: (@Sendable () -> Void)? = nil) {
      self.action = action
    }

    /// Moves the contents out, which saves a retain and a release of each member.
    @inlinable
    mutating func takeAll() -> Contents {
      let taken = consume self
      self = Contents()
      return taken
    }

    @inlinable
    mutating func replaceUpstream(by new: any Disposing) -> (any Disposing)? {
      let before = upstream.take()
      upstream = new
      return before
    }
  }

  @usableFromInline
  enum Phase {
    @inlinable static var active: UInt8 { 0 }
    /// Active, and each delivery must check that the owners exist.
    @inlinable static var guarded: UInt8 { 1 }
    @inlinable static var disposed: UInt8 { 2 }
  }

  @usableFromInline let phase = Atomic<UInt8>(0)
  @usableFromInline let contents: Guarded<Contents>
  /// The source itself, if the subscription has no other stage.
  @usableFromInline let source: (any Disposing)?

  /// Creates a handle that runs a teardown when it is disposed.
  ///
  /// - Parameter action: The teardown. It runs at most once, on the disposing thread, and is then released. If the last
  ///   reference to the handle is released first, the action is released without running. It must not wait for a thread
  ///   or queue that sends: if a task awaits the signal, Swift holds a lock of that task while the task is cancelled, and
  ///   the thread that sends may need the same lock.
  @inlinable
  public init(_ action: @escaping @Sendable () -> Void) {
    contents = Guarded(Contents(action: action))
    source = nil
  }

  /// Creates the scope of a subscription or of a part of it; `hold` sets its upstream.
  @inlinable
  package init() {
    contents = Guarded(Contents())
    source = nil
  }

  /// Creates the handle of a subscription that consists only of its source.
  @inlinable
  package init(source: any Disposing) {
    contents = Guarded(Contents())
    self.source = source
  }

  /// Stops the work behind this handle; further calls have no effect.
  @inlinable
  public func dispose() {
    // A second caller disposes the source too, because it may overtake the first.
    if let source { return source.dispose() }
    if claim() { release() }
  }

  /// Whether the handle was disposed or its subscription has terminated.
  public var isDisposed: Bool { source?.isDisposed ?? isCancelled }

  /// Whether `dispose()` was called on this scope; sources that loop check it between two values.
  @inlinable var isCancelled: Bool { phase.load(ordering: .acquiring) == Phase.disposed }

  /// Marks the handle as disposed and returns whether this call was the first; the first caller must then call
  /// `release()`.
  @inlinable
  package func claim() -> Bool {
    phase.exchange(Phase.disposed, ordering: .acquiringAndReleasing) != Phase.disposed
  }

  /// Runs the teardown, disposes the upstream and releases both, after `claim()`.
  @inlinable
  package func release() {
    let held = contents.withLock { $0.takeAll() }
    held.action?()
    held.upstream?.dispose()
  }

  /// Replaces the upstream of this scope and disposes the previous one; a disposed scope disposes both.
  @inlinable
  package func hold(_ upstream: any Disposing) {
    let dropped = contents.withLock { isCancelled ? upstream : $0.replaceUpstream(by: upstream) }
    dropped?.dispose()
  }

  /// Disposes the upstream, but not the scope.
  @inlinable
  package func clear() {
    let before = contents.withLock { $0.upstream.take() }
    before?.dispose()
  }

  /// Marks the scope as disposed and frees its contents; another scope disposes the upstream.
  @inlinable
  func retire() {
    if claim() { contents.discardWithLock { $0.takeAll() } }
  }

  /// Creates a handle for work that has already terminated.
  @usableFromInline
  static func finished() -> Disposable {
    let handle = Disposable()
    handle.phase.store(Phase.disposed, ordering: .releasing)
    return handle
  }

  /// Whether a delivery may skip the checks for owners and for disposal.
  @inlinable var isActive: Bool { phase.load(ordering: .acquiring) == Phase.active }
  /// Whether each delivery must check that the owners exist.
  @inlinable var isGuarded: Bool { phase.load(ordering: .acquiring) == Phase.guarded }
}

extension Disposable: Disposing {
  @usableFromInline package var bondHolder: Disposable? { self }
}

extension Disposable: Hashable {
  /// Returns whether two handles are the same object.
  public static func == (left: Disposable, right: Disposable) -> Bool { left === right }

  /// Hashes the handle's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A pair that is disposed together, `first` before `second`.
final class DisposablePair: Disposing {
  private let first: any Disposing
  private let second: any Disposing

  init(_ first: any Disposing, _ second: any Disposing) {
    self.first = first
    self.second = second
  }

  var isDisposed: Bool { first.isDisposed && second.isDisposed }

  func dispose() {
    first.dispose()
    second.dispose()
  }
}
