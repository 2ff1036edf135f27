#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A job in the queue of a gate, with the thread that queued it; nodes are linked by plain pointers, so that long lists
/// are freed in a loop and not by recursion.
@usableFromInline
final class Node: Sendable {
  @usableFromInline let job: @Sendable () -> Void
  private let thread = Node.currentThread
  // Part of the gate: written before the node is published, or while one thread owns its list.
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var older: UInt = 0

  init(_ job: @escaping @Sendable () -> Void) {
    self.job = job
  }

  func retainedBits() -> UInt { UInt(bitPattern: Unmanaged.passRetained(self).toOpaque()) }

  /// Returns the list reversed, with the oldest node first.
  static func reversed(_ newest: UInt) -> UInt {
    var result: UInt = 0
    var current = newest
    while let pointer = UnsafeRawPointer(bitPattern: current) {
      let node = Unmanaged<Node>.fromOpaque(pointer).takeUnretainedValue()
      (current, node.older, result) = (node.older, result, current)
    }
    return result
  }

  private static var currentThread: UInt {
    #if canImport(Glibc)
    pthread_self()
    #else
    UInt(bitPattern: pthread_self())
    #endif
  }

  /// Whether a handler of the current thread queued the job, and not another thread.
  var isOfThisThread: Bool { thread == Node.currentThread }

  /// Returns the number of jobs that other threads queued.
  static func countOfOthers(_ list: UInt) -> Int {
    var (count, current) = (0, list)
    while let pointer = UnsafeRawPointer(bitPattern: current) {
      let node = Unmanaged<Node>.fromOpaque(pointer).takeUnretainedValue()
      if !node.isOfThisThread { count += 1 }
      current = node.older
    }
    return count
  }

  static func take(_ list: inout UInt) -> Node? {
    guard let pointer = UnsafeRawPointer(bitPattern: list) else { return nil }
    let node = Unmanaged<Node>.fromOpaque(pointer).takeRetainedValue()
    list = node.older
    return node
  }

  /// Releases the nodes of a list up to, but not including, the given one.
  @usableFromInline
  static func discard(_ list: UInt, upTo end: UInt = 0) {
    var current = list
    while current != end, take(&current) != nil {}
  }
}

/// The subscriber at the end of a chain of stages: its handler receives no event after the end or after disposal; the
/// root and the handle retain each other through the stages, until termination or disposal cuts the references.
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
