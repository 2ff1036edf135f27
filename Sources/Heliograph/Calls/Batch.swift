public import Signals

/// A batch of signals or calls that run concurrently and end together.
///
/// ```swift
/// let batch = Batch(ids.map { client.enqueue(request: "/products/\($0)", resultType: Product.self) })
/// batch.start(for: self) { model, batch in
///   model.products = batch.values.map(\.value)
/// } onFailure: { model, batch in
///   model.message = batch.error?.message
/// }
/// ```
/// The results are in the order of the signals. A batch without signals succeeds at once. A batch may be restarted
/// when it has ended. ``Startable/signal`` is the batch as a signal. With a concurrency limit, a signal is subscribed to
/// and a call starts when its turn comes, and belongs to the account and environment of that time.
public final class Batch<Value: Sendable>: StartableObject, Startable {
  /// How failures are handled.
  public enum Mode: Sendable, Hashable {
    /// The first failure cancels the others and fails the batch.
    case failFast
    /// All signals run until they terminate, and the batch succeeds; ``Batch/results`` contains the failures, with the
    /// code ``NetworkError/Code/cancelled`` for a call that was cancelled on its own.
    case collect
  }

  private struct State {
    var results: [Result<Value, NetworkError>?]
    var failedIndex: Int?
  }

  /// How failures are handled.
  public nonisolated let mode: Mode
  private nonisolated let signals: [Signal<Value, NetworkError>]
  private nonisolated let concurrencyLimit: Int
  private nonisolated let state: Guarded<State>

  /// Creates a batch of signals.
  ///
  /// - Parameters:
  ///   - signals: The signals. The result of a signal is its last value; a signal that completes without a value fails
  ///     with ``NetworkError/Code/noValue``.
  ///   - mode: How failures are handled. Default: ``Mode/failFast``.
  ///   - concurrencyLimit: The maximum number of signals in flight; values below 1 count as 1. Default: no limit.
  public nonisolated init(
    _ signals: some Sequence<Signal<Value, NetworkError>>, mode: Mode = .failFast, concurrencyLimit: Int? = nil
  ) {
    self.signals = Array(signals)
    self.mode = mode
    self.concurrencyLimit = concurrencyLimit ?? .max
    state = Guarded(State(results: Array(repeating: nil, count: self.signals.count)))
    super.init()
  }

  /// Creates a batch of calls of one type, or of other batches or chains; each value is the call itself.
  ///
  /// - Parameters:
  ///   - calls: The calls. Each also reports to its own delegate and accessories. A call that is already in flight
  ///     fails. If a call is cancelled on its own, ``Mode/failFast`` cancels the batch, which calls no closure.
  ///   - mode: How failures are handled. Default: ``Mode/failFast``.
  ///   - concurrencyLimit: The maximum number of calls in flight; values below 1 count as 1. Default: no limit.
  public nonisolated convenience init(_ calls: [Value], mode: Mode = .failFast, concurrencyLimit: Int? = nil)
  where Value: Startable {
    self.init(calls.map(\.signal), mode: mode, concurrencyLimit: concurrencyLimit)
  }

  /// Creates a batch of calls of several types; the parameters are those of the initializer for calls of one type.
  public nonisolated convenience init(_ calls: [any Startable], mode: Mode = .failFast, concurrencyLimit: Int? = nil)
  where Value == any Startable {
    self.init(calls.map { $0.anySignal }, mode: mode, concurrencyLimit: concurrencyLimit)
  }

  /// The results of the latest run so far, in the order of the signals; `nil` for signals that have not ended.
  public nonisolated var results: [Result<Value, NetworkError>?] { state.withLock { $0.results } }
  /// The values of the latest run so far, in the order of the signals.
  public nonisolated var values: [Value] { results.compactMap { try? $0?.get() } }
  /// The index of the signal that failed the batch, or whose call was cancelled on its own; `nil` if there is none.
  public nonisolated var failedIndex: Int? { state.withLock { $0.failedIndex } }

  override nonisolated func reset(_ id: RequestID) {
    state.discardWithLock { state in
      let previous = state
      // Inside the lock: the next run resets the results after it has become the current one.
      if isCurrent(id) { state = State(results: Array(repeating: nil, count: signals.count)) }
      return previous
    }
  }

  /// Returns the signals of one run as a signal that sends no values.
  override nonisolated func work(_ id: RequestID, in scope: ClientScope?) -> Signal<Void, NetworkError> {
    let ended = Signal<Int, IndexedFailure>.from(signals.indices)
      .sharedFlatMap(.merge(maxConcurrent: concurrencyLimit)) { [self] index in run(index, id) }
    return ended.mapError { [self] failure in
      state.withLock { if isCurrent(id) { $0.failedIndex = failure.index } }
      return failure.error
    }
    .map { _ in }
  }

  private nonisolated func run(_ index: Int, _ id: RequestID) -> Signal<Never, IndexedFailure> {
    let value = ending(index).last().map { Optional($0) }.ifEmpty(nil)
    return value.sharedFlatMap(.concat) { [self] value -> Signal<Never, NetworkError> in
      guard let value else { return .fail(.noValue(index)) }
      store(.success(value), at: index, id)
      return .empty
    }
    .catch { [self] error in
      store(.failure(error), at: index, id)
      return mode == .collect ? .empty : .fail(IndexedFailure(index: index, error: error))
    }
  }

  /// Returns a signal that fails if the original ends silently, such as when its owner is deallocated.
  private nonisolated func ending(_ index: Int) -> Signal<Value, NetworkError> {
    Signal { [signals] observer in
      signals[index].finally { observer.fail(.noValue(index)) }
        .subscribe(for: observer, under: observer.pressure) { observer.send($0) }
    }
  }

  /// Stores a result, unless another run has begun.
  private nonisolated func store(_ result: Result<Value, NetworkError>, at index: Int, _ id: RequestID) {
    state.withLock { if isCurrent(id) { $0.results[index] = result } }
  }
}

private struct IndexedFailure: Error {
  let index: Int
  let error: NetworkError
}

extension NetworkError {
  fileprivate static func noValue(_ index: Int) -> NetworkError {
    NetworkError(.noValue, reason: "signal \(index) of the batch completed without a value")
  }
}

extension Startable {
  /// A signal that starts the work and sends it type-erased; see ``signal``.
  nonisolated var anySignal: Signal<any Startable, NetworkError> { signal.map { $0 } }
}
