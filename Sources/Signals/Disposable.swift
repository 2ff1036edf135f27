public import Synchronization

/// What a disposal reaches: a source, a stage that gathers several, a subscriber.
@usableFromInline
package protocol Cancellable: AnyObject, Sendable {
  /// Stops for good and frees what is held. Idempotent, callable from any thread.
  func cancel()
  /// Whether it has stopped, by cancelling or by itself.
  var isOver: Bool { get }
}

/// The handle of something that can be stopped: a subscription, a timer, a request.
///
/// - Disposing is silent: no event is sent because of it. After `dispose()` has returned no new delivery begins; one
///   that is under way on another thread may finish. On the thread that disposes nothing more is delivered.
/// - Disposing is idempotent and safe from any thread; the teardown runs exactly once.
/// - **Discarding it does not dispose**: keep it in a ``DisposeBag``, or use ``Signal/take(during:)`` or
///   ``Signal/bound(to:)`` when the work must end with its owner.
/// - It does not retain the signal that was subscribed to.
public final class Disposable: Sendable {
  @usableFromInline
  struct Contents {
    @usableFromInline var subscriber: (any Cancellable)?
    @usableFromInline var upstream: (any Cancellable)?

    @inlinable
    init(subscriber: (any Cancellable)? = nil) {
      self.subscriber = subscriber
    }
  }

  @usableFromInline let wasDisposed = Atomic<Bool>(false)
  @usableFromInline let contents: Guarded<Contents>
  /// The work itself, where there is nothing but that; it frees by itself what it holds.
  @usableFromInline let work: (any Cancellable)?
  // Touched at init, by the one thread whose `dispose` was the first, and by deinit.
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var action: (@Sendable () -> Void)?

  /// Makes a handle that runs a teardown when it is disposed.
  ///
  /// - Parameter action: runs once, on the thread that disposes; it is freed afterwards, and also, without being run,
  ///   with the last reference to the handle.
  @inlinable
  public init(_ action: @escaping @Sendable () -> Void) {
    contents = Guarded(Contents())
    work = nil
    self.action = action
  }

  /// Makes a handle for an upstream that is still to come; see `hold`.
  @inlinable
  init() {
    contents = Guarded(Contents())
    work = nil
  }

  /// Makes a handle for work that needs nothing else.
  @inlinable
  package init(work: any Cancellable) {
    contents = Guarded(Contents())
    self.work = work
  }

  @inlinable
  init(subscriber: any Cancellable) {
    contents = Guarded(Contents(subscriber: subscriber))
    work = nil
  }

  /// Stops the work behind this handle; every call after the first does nothing.
  @inlinable
  public func dispose() {
    guard !wasDisposed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    if let action {
      self.action = nil
      return action()
    }
    if let work { return work.cancel() }
    let (subscriber, upstream) = contents.withLock { ($0.subscriber.take(), $0.upstream.take()) }
    subscriber?.cancel()
    upstream?.cancel()
  }

  /// Whether it was disposed, or the subscription it stands for has ended.
  public var isDisposed: Bool {
    isCancelled || (work ?? contents.withLock { $0.subscriber })?.isOver == true
  }

  /// Whether `dispose()` was called: what loops ask between two values.
  @inlinable var isCancelled: Bool { wasDisposed.load(ordering: .acquiring) }

  /// Makes `upstream` what disposal stops, in place of one that has ended; stops it at once when already disposed.
  @inlinable
  func hold(_ upstream: any Cancellable) {
    // The one before is freed outside the lock: its deinit is somebody else's code.
    var before: (any Cancellable)?
    let isHeld = contents.withLock { contents in
      if wasDisposed.load(ordering: .acquiring) { return false }
      before = contents.upstream.take()
      contents.upstream = upstream
      return true
    }
    withExtendedLifetime(before) {}
    if !isHeld { upstream.cancel() }
  }

  /// Forgets the upstream, which has ended, without disposing anything: it may hold, through its place, this handle.
  @inlinable
  func letGo() {
    let (subscriber, upstream) = contents.withLock { ($0.subscriber.take(), $0.upstream.take()) }
    withExtendedLifetime((subscriber, upstream)) {}
  }

  /// A handle of something that is over already.
  @usableFromInline
  static func finished() -> Disposable {
    let handle = Disposable()
    handle.wasDisposed.store(true, ordering: .releasing)
    return handle
  }
}

extension Disposable: Cancellable {
  @usableFromInline
  package func cancel() { dispose() }

  @usableFromInline package var isOver: Bool { isDisposed }
}

extension Disposable: Hashable {
  /// Two handles are equal if they are the same one.
  public static func == (left: Disposable, right: Disposable) -> Bool { left === right }

  /// Hashes the handle's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
