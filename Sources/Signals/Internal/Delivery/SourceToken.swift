public import Synchronization

/// A token that only the observers of one source share and retain.
///
/// Its deinit marks the source as unreachable, which frees downstream buffers. A source without a downstream stage and
/// without a buffer needs no token.
@usableFromInline
final class SourceToken<Value: Sendable, Failure: Error>: Sendable {
  @usableFromInline let gate: Gate<Value, Failure>
  @usableFromInline let pressure: Pressure?
  @usableFromInline let starts: DeferredStarts?
  @inlinable
  init(_ gate: Gate<Value, Failure>, under pressure: Pressure?, _ starts: DeferredStarts?) {
    self.gate = gate
    self.pressure = pressure
    self.starts = starts
    if let starts { gate.deferral.store(starts.watch(gate) ? Deferral.watched : Deferral.marked, ordering: .relaxed) }
  }

  @inlinable
  deinit {
    if gate.isWatched { starts?.unwatch() }
    if !gate.isDisposed { gate.reportUnreachable() }
  }
}

/// The operations of a source on its gate, whose resource is the teardown of the source's work.
extension Gate {
  /// Runs a source's work and stores its teardown, which runs immediately if the signal has already terminated.
  ///
  /// The token outlives the work, so that the teardown is stored before a stage can be notified that the source is
  /// unreachable.
  @inlinable
  func start(_ work: (Observer<Value, Failure>) -> Disposable?, _ token: SourceToken<Value, Failure>?) {
    if let teardown = work(Observer(self, token)) { hold(teardown) }
    withExtendedLifetime(token) {}
  }

  @inlinable
  func emit(_ value: Value) {
    guard enter() else { return sendLater(value) }
    send(value)
    leave()
  }

  /// Queues a value after `enter` has returned `false`; out of line, because it is rare.
  @inlinable @inline(never)
  func sendLater(_ value: Value, counts: Bool = false) {
    enqueue {
      if counts { self.countDelivery() }
      self.send(value)
    }
  }

  @inlinable
  func emit(_ end: End<Value, Failure>) {
    guard enter() else { return enqueue { self.deliver(end) } }
    deliver(end)
    // The gate is usually closed by now.
    if isDisposed { free() } else { leave() }
  }

  /// Delivers a last value, if any, and the end, then runs the teardown.
  @inlinable
  func deliver(_ end: End<Value, Failure>) {
    if let subscriber {
      // The last value is delivered first, because its handler may dispose.
      if case .last(let value) = end { send(value) }
      if close() {
        if case .failed(let failure) = end { subscriber(.failed(failure)) } else { subscriber(.completed) }
      }
    } else if let deliver = self.end, close() {
      cut()
      deliver(end)
    }
    disposeResource()
  }

  /// Frees the downstream closures and reports the source as unreachable; the teardown runs at disposal.
  @usableFromInline
  func reportUnreachable() {
    run {
      let end = self.end
      self.cut()
      end?(.unreachable)
      self.free()
    }
  }
}

/// A source that creates its signal at subscription, as `deferred` does, and has a name for logs.
@usableFromInline
package protocol NamedSource<Value, Failure>: AnyObject, Sendable {
  associatedtype Value: Sendable
  associatedtype Failure: Error

  /// The name; computed on access.
  var name: String { get }

  /// Creates the signal to run; called once for each subscription, on the subscriber's thread.
  func makeSignal() -> Signal<Value, Failure>
}

extension Signal {
  @inlinable
  package init(_ source: any NamedSource<Value, Failure>) {
    self.init(.named(source))
  }

  /// The name for logs and debuggers, such as the method and path of a request, or `nil` if the signal has none.
  ///
  /// Signals that operators return have no name.
  public var name: String? {
    if case .named(let source) = kind { source.name } else { nil }
  }
}
