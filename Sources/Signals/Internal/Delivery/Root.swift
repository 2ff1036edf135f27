/// The subscriber at the end of a chain of stages: its handler receives no event after the end or after disposal.
///
/// The root and the handle retain each other through the stages, until termination or disposal cuts the references.
@usableFromInline
final class Root<Value: Sendable, Failure: Error>: Sendable {
  @usableFromInline let handle: Disposable
  @usableFromInline let handler: @Sendable (Event<Value, Failure>) -> Void

  @inlinable
  init(_ handle: Disposable, _ handler: @escaping @Sendable (Event<Value, Failure>) -> Void) {
    self.handle = handle
    self.handler = handler
  }

  @inlinable
  func downstream(under pressure: Pressure? = nil) -> Downstream<Value, Failure> {
    Downstream(
      next: { self.next($0) }, end: { self.end($0) }, scope: handle, subscription: handle, pressure: pressure)
  }

  @inlinable
  func next(_ value: Value) {
    if handle.isActive { return handler(.value(value)) }
    handle.deliver { handler(.value(value)) }
  }

  @inlinable
  func end(_ end: End<Value, Failure>) {
    if end.isUnreachable { return handle.retainByOwners() }
    if case .last(let value) = end { next(value) }
    if !handle.isActive { return handle.deliver { finish(end) } }
    finish(end)
  }

  @inlinable
  func finish(_ end: End<Value, Failure>) {
    guard handle.claim() else { return }
    switch end {
    case .failed(let failure): handler(.failed(failure))
    case .last, .completed: handler(.completed)
    case .abandoned, .unreachable: break
    }
    handle.release()
  }
}
