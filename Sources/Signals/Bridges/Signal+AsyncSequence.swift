extension Signal {
  /// Creates a signal that sends the elements of an async sequence.
  ///
  /// ```swift
  /// let (lines, input) = AsyncStream.makeStream(of: String.self)
  /// Signal(lines).subscribe(onValue: { print($0) })
  /// input.yield("hello")
  /// ```
  /// - Each subscription iterates the sequence anew in its own task. A sequence that can be iterated only once, such as
  ///   an `AsyncStream`, serves one subscription: two at the same time trap for an `AsyncThrowingStream`, and share the
  ///   elements of an `AsyncStream`. Multicast it with
  ///   ``share(replay:)``.
  /// - Values are delivered on the threads of that task. The end of the sequence completes the signal, and a thrown
  ///   error fails it. The failure type is that of the sequence: `Never` if the sequence cannot throw, `any Error` if
  ///   it may throw any error.
  /// - Disposal cancels the task silently. The task retains the sequence until it has responded to the cancellation.
  /// - If values are buffered downstream (`observe(on:)`, ``values``), iteration pauses at 16 buffered values and
  ///   resumes at 4 or fewer.
  /// - Parameters:
  ///   - sequence: The sequence to iterate.
  ///   - priority: The priority of the task. Default: the subscriber's priority.
  public init<Sequence: AsyncSequence & Sendable>(_ sequence: Sequence, priority: TaskPriority? = nil)
  where Sequence.Element == Value, Sequence.Failure == Failure {
    self.init { observer in
      let task = Task(priority: priority) {
        do throws(Failure) {
          for try await value in sequence {
            observer.send(value)
            if let pressure = observer.pressure, pressure.isHigh { await pressure.waitUntilLow() }
            if observer.isDisposed { return }
          }
          observer.complete()
        } catch {
          observer.fail(error)
        }
      }
      return Disposable { task.cancel() }
    }
  }
}

extension Pressure {
  /// Returns when at most 4 values are buffered, when a boundary has closed or when the task is cancelled.
  fileprivate func waitUntilLow() async {
    let low = Signal<Void, Never> { [self] observer in
      whenLow { observer.complete(with: ()) }
      return nil
    }
    _ = await low.first()
  }
}

/// A rule for the buffer of an async sequence when values arrive faster than the loop consumes them.
///
/// Terminal events are never dropped.
public struct BufferingPolicy: Sendable, Hashable {
  private enum Kind: Hashable {
    case unbounded
    case newest(Int)
    case oldest(Int)
  }

  private let kind: Kind

  /// A policy that buffers all values.
  ///
  /// Memory grows with the backlog unless the source pauses.
  public static let unbounded = BufferingPolicy(kind: .unbounded)

  /// Creates a policy that buffers the latest `limit` values, at least 1, and drops older ones.
  public static func newest(_ limit: Int) -> BufferingPolicy { BufferingPolicy(kind: .newest(max(1, limit))) }

  /// Creates a policy that buffers the first `limit` values, at least 1, and drops newer ones while the buffer is full.
  public static func oldest(_ limit: Int) -> BufferingPolicy { BufferingPolicy(kind: .oldest(max(1, limit))) }

  var isUnbounded: Bool { kind == .unbounded }

  /// Adds a value to a buffer and returns the value that is dropped in exchange, if any.
  func admit<Value>(_ value: Value, to buffer: inout FIFOQueue<Value>) -> Value? {
    switch kind {
    case .oldest(let limit) where buffer.count >= limit: return value
    case .newest(let limit) where buffer.count >= limit:
      let oldest = buffer.popFirst()
      buffer.append(value)
      return oldest
    default:
      buffer.append(value)
      return nil
    }
  }
}
