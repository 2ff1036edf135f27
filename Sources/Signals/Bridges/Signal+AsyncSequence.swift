extension Signal {
  /// Makes a signal that iterates an async sequence.
  ///
  /// ```swift
  /// let (lines, input) = AsyncStream.makeStream(of: String.self)
  /// Signal(lines).subscribe(onValue: { print($0) })
  /// input.yield("hello")
  /// ```
  /// - Each subscription iterates the sequence anew, in a task of its own. A sequence that can be iterated only once, such
  ///   as an `AsyncStream`, serves one subscription.
  /// - Values are delivered on the threads of that task; its end and its failure end the signal. The failure has the
  ///   sequence's own type: `Never` if it cannot throw, `any Error` if it may throw anything.
  /// - Disposal cancels the task and is silent. The task keeps the sequence until that has answered the cancellation.
  /// - Where values wait downstream (``observe(on:)``, ``values``) no more are read while 16 or more do; reading goes on at
  ///   4 or fewer.
  /// - Parameters:
  ///   - sequence: what to iterate.
  ///   - priority: the task's priority. Default: the subscriber's.
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
