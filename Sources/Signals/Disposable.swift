public import Synchronization

/// Anything a `Disposable` can dispose: a source, a stage, another handle.
@usableFromInline
package protocol Disposing: AnyObject, Sendable {
  /// Stops it silently and frees what it holds. Idempotent; callable from any thread.
  func dispose()
  /// Whether it was disposed or has terminated.
  var isDisposed: Bool { get }
}

/// The handle of something that can be stopped: a subscription, a timer, a request.
///
/// - Disposing is silent: it sends no event. After any call of `dispose()` has returned, no new delivery begins; a delivery
///   in flight on another thread may finish. On the thread that disposes nothing more is delivered.
/// - Disposing is idempotent and safe from any thread; the teardown runs exactly once.
/// - **Discarding the handle does not dispose**: keep it in a ``DisposeBag``, or use ``Signal/take(during:)`` or
///   ``Signal/bound(to:)`` when the work must end with its owner.
/// - The handle retains what its subscription still needs: the running source, and the signals that `concat` or `retry`
///   may have to start later. All of it is released when the subscription terminates or is disposed.
public final class Disposable: Sendable {
  @usableFromInline
  struct Contents {
    @usableFromInline var upstream: (any Disposing)?
    @usableFromInline var action: (@Sendable () -> Void)?
    /// Nothing is delivered once one of them is gone.
    @usableFromInline var owners: [WeakOwner] = []

    @inlinable
    init(action: (@Sendable () -> Void)? = nil) {
      self.action = action
    }
  }

  @usableFromInline
  enum Phase {
    @inlinable static var active: UInt8 { 0 }
    /// Active, and each delivery has to ask for the owners.
    @inlinable static var guarded: UInt8 { 1 }
    @inlinable static var disposed: UInt8 { 2 }
  }

  @usableFromInline let phase = Atomic<UInt8>(0)
  @usableFromInline let contents: Guarded<Contents>
  /// The source itself, for a subscription that has no other stage.
  @usableFromInline let source: (any Disposing)?

  /// Makes a handle that runs a teardown when it is disposed.
  ///
  /// - Parameter action: runs once, on the thread that disposes. It is released afterwards; it is also released, without
  ///   being run, with the last reference to the handle.
  @inlinable
  public init(_ action: @escaping @Sendable () -> Void) {
    contents = Guarded(Contents(action: action))
    source = nil
  }

  /// Makes the scope of a subscription, or of a part of it, whose upstream is set by `hold`.
  @inlinable
  init() {
    contents = Guarded(Contents())
    source = nil
  }

  /// Makes the handle of a subscription that consists of its source.
  @inlinable
  package init(source: any Disposing) {
    contents = Guarded(Contents())
    self.source = source
  }

  /// Stops the work behind this handle; every call after the first does nothing.
  @inlinable
  public func dispose() {
    // A second caller stops the source, too: it may be ahead of the first.
    if let source { return source.dispose() }
    if claim() { release() }
  }

  /// Whether it was disposed, or the subscription it stands for has terminated.
  public var isDisposed: Bool { source?.isDisposed ?? isCancelled }

  /// Whether `dispose()` was called on a scope: sources that loop ask this between two values.
  @inlinable var isCancelled: Bool { phase.load(ordering: .acquiring) == Phase.disposed }

  /// Marks the handle as disposed; returns whether this call was the first, whose caller goes on to `release()`.
  @inlinable
  package func claim() -> Bool {
    phase.exchange(Phase.disposed, ordering: .acquiringAndReleasing) != Phase.disposed
  }

  /// Disposes and drops what is held, after `claim()`.
  @inlinable
  package func release() {
    let contents = contents.withLock { contents in
      let before = contents
      contents = Contents()
      return before
    }
    contents.action?()
    contents.upstream?.dispose()
  }

  /// Makes `upstream` what this scope disposes, and disposes the upstream before it; a disposed scope disposes both.
  @inlinable
  func hold(_ upstream: any Disposing) {
    let dropped = contents.withLock { contents -> (any Disposing)? in
      if isCancelled { return upstream }
      let before = contents.upstream
      contents.upstream = upstream
      return before
    }
    dropped?.dispose()
  }

  /// Disposes the upstream that has terminated, before its successor is started.
  @inlinable
  func clear() {
    let before = contents.withLock { $0.upstream.take() }
    before?.dispose()
  }

  /// A handle of something that has terminated already.
  @usableFromInline
  static func finished() -> Disposable {
    let handle = Disposable()
    handle.phase.store(Phase.disposed, ordering: .releasing)
    return handle
  }

  /// Whether a delivery need not ask for owners, nor whether it is disposed.
  @inlinable var isActive: Bool { phase.load(ordering: .acquiring) == Phase.active }

  /// Delivers from now on only while an owner exists.
  func guardDeliveries(by owner: WeakOwner) {
    contents.withLock { contents in
      contents.owners.append(owner)
      _ = phase.compareExchange(
        expected: Phase.active, desired: Phase.guarded, ordering: .acquiringAndReleasing)
    }
  }

  /// Runs a delivery, while all owners exist, which are retained meanwhile; otherwise disposes.
  @usableFromInline
  func deliver(_ delivery: () -> Void) {
    let owners = contents.withLock { $0.owners }.map(\.owner)
    if isCancelled { return }
    guard owners.allSatisfy({ $0 != nil }) else { return dispose() }
    withExtendedLifetime(owners, delivery)
  }
}

extension Disposable: Disposing {}

extension Disposable: Hashable {
  /// Two handles are equal if they are the same one.
  public static func == (left: Disposable, right: Disposable) -> Bool { left === right }

  /// Hashes the handle's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
