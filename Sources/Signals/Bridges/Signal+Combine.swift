#if canImport(Combine)
public import Combine

extension Signal {
  /// A Combine publisher of this signal: each subscriber starts the work anew and controls its demand.
  ///
  /// - Each subscriber starts the signal's work, immediately after it has received its subscription.
  /// - Values are buffered until the subscriber demands them; the completion or failure follows the last value. A
  ///   source that can pause, such as ``Signal/from(_:)``, does so at 16 buffered values. Any other source fills the
  ///   buffer without a limit.
  /// - Cancelling the Combine subscription disposes the signal's subscription and frees the buffer. Nothing is
  ///   delivered afterwards.
  /// - If the signal's source is deallocated before it has terminated, the subscriber receives the buffered values that
  ///   it demands and is then released without a completion.
  /// - Values arrive on the thread from which the signal sends, or on the thread that demands buffered values.
  public var publisher: some Publisher<Value, Failure> & Sendable { SignalPublisher(signal: self) }

  /// Creates a signal from a Combine publisher; each subscription attaches its own subscriber.
  ///
  /// The demand is always unlimited, even while values are buffered downstream, because a `PassthroughSubject` drops
  /// values without demand. The publisher's completion and failure terminate the signal. Disposing the subscription
  /// cancels the publisher's subscription and drops further values.
  ///
  /// Combine does not mark its publishers `Sendable`, but a signal may be subscribed to from any thread. Combine's own
  /// publishers allow that. Your own publishers must allow it too, and so must the closures that you pass to Combine's
  /// operators. If such a closure belongs to the main actor, put it after `subscribe(on: DispatchQueue.main)`.
  /// - Parameter publisher: The publisher to subscribe to, at each subscription, on the subscriber's thread.
  public init<P: Publisher>(_ publisher: P) where P.Output == Value, P.Failure == Failure {
    let attach = CombineBox { (subscriber: ObservingSubscriber<Value, Failure>) in publisher.subscribe(subscriber) }
    self.init { observer in
      let subscriber = ObservingSubscriber(observer)
      let handle = Disposable { subscriber.cancel() }
      attach.content(subscriber)
      return handle
    }
  }
}

struct SignalPublisher<Output: Sendable, Failure: Error>: Publisher, Sendable {
  let signal: Signal<Output, Failure>

  /// Starts the signal for a subscriber; called by Combine.
  func receive<S>(subscriber: S) where S: Subscriber, S.Input == Output, S.Failure == Failure {
    let subscription = CombineSubscription<Output, Failure>(subscriber)
    subscriber.receive(subscription: subscription)
    subscription.start(signal)
  }
}

/// A `Sendable` box for a Combine object, because Combine marks nothing `Sendable`.
struct CombineBox<Content>: Sendable {
  // Safe by Combine's contract instead of a type check: publishers and subscriptions may be used from any thread, and a
  // subscriber is called by one thread at a time, which `CombineSubscription` ensures.
  private let cell: Cell<Content>

  var content: Content { cell.value }

  init(_ content: Content) {
    cell = Cell(content)
  }
}

/// The Combine subscriber that forwards all events to a signal's observer.
private final class ObservingSubscriber<Value: Sendable, Failure: Error>: Subscriber, Sendable {
  private enum State {
    case waiting
    case attached(CombineBox<any Subscription>)
    case terminated
  }

  private let observer: Observer<Value, Failure>
  private let state = Guarded(State.waiting)

  init(_ observer: Observer<Value, Failure>) {
    self.observer = observer
  }

  func receive(subscription: any Subscription) {
    let carried = CombineBox(subscription)
    let isFirst = state.withLock { state in
      guard case .waiting = state else { return false }
      state = .attached(carried)
      return true
    }
    if isFirst { carried.content.request(.unlimited) } else { carried.content.cancel() }
  }

  func receive(_ input: Value) -> Combine.Subscribers.Demand {
    observer.send(input)
    // Stops a publisher that sends all its values before `subscribe` has returned the handle.
    if observer.isDisposed { cancel() }
    return .none
  }

  func receive(completion: Combine.Subscribers.Completion<Failure>) {
    _ = end()
    switch completion {
    case .finished: observer.complete()
    case .failure(let failure): observer.fail(failure)
    }
  }

  func cancel() {
    if case .attached(let subscription) = end() { subscription.content.cancel() }
  }

  private func end() -> State {
    state.withLock { state in
      let previous = state
      state = .terminated
      return previous
    }
  }
}
#endif
