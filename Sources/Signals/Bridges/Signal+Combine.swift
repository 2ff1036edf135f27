#if canImport(Combine)
public import Combine
import Synchronization

extension Signal {
  /// The signal as a Combine publisher: each subscriber starts the work anew and gets as many values as it asks for.
  public var publisher: SignalPublisher<Value, Failure> { SignalPublisher(self) }

  /// Makes a signal from a Combine publisher, to which each subscription attaches a subscriber of its own.
  ///
  /// The publisher is asked for unlimited values, also while values wait downstream: a `PassthroughSubject` drops what is
  /// not demanded. Its completion and failure end the signal; disposing the subscription cancels the publisher's, and what
  /// it still sends is dropped.
  ///
  /// Combine does not mark its publishers `Sendable`, while a signal may be subscribed to from any thread. Combine's
  /// own publishers allow that; a publisher of yours must allow it too, and so must the closures given to Combine's
  /// operators: one written on the main actor belongs after `subscribe(on: DispatchQueue.main)`.
  /// - Parameter publisher: attached to at each subscription, on the subscriber's thread.
  public init<P: Publisher>(_ publisher: P) where P.Output == Value, P.Failure == Failure {
    let attach = Carried { (subscriber: ObservingSubscriber<Value, Failure>) in publisher.subscribe(subscriber) }
    self.init { observer in
      let subscriber = ObservingSubscriber(observer)
      let handle = Disposable { subscriber.cancel() }
      attach.content(subscriber)
      return handle
    }
  }
}

/// A signal as a Combine publisher; made by ``Signal/publisher``.
///
/// - Each subscriber starts the signal's work, right after it has received its subscription.
/// - Values wait in a buffer until the subscriber demands them; the completion follows the last of them. A source that can
///   pause, such as ``Signal/from(_:)``, does so while 16 or more wait; any other fills the buffer without a limit.
/// - Cancelling the Combine subscription disposes the signal's and frees what waits; nothing is delivered afterwards.
/// - When the signal's source is deallocated before it has ended, the subscriber gets what it still demands of the waiting
///   values and is then released without a completion.
/// - Values arrive on the thread that the signal sends from, or on the one that asks for values that wait.
public struct SignalPublisher<Output: Sendable, Failure: Error>: Publisher, Sendable {
  private let signal: Signal<Output, Failure>

  init(_ signal: Signal<Output, Failure>) {
    self.signal = signal
  }

  /// Starts the signal for a subscriber; called by Combine.
  ///
  /// - Parameter subscriber: receives its subscription, then as many values as it asks for, then the ending.
  public func receive<S>(subscriber: S) where S: Subscriber, S.Input == Output, S.Failure == Failure {
    let subscription = CombineSubscription<Output, Failure>(subscriber)
    subscriber.receive(subscription: subscription)
    subscription.start(signal)
  }
}

/// Something of Combine's, which marks nothing `Sendable`, on its way into a closure or a lock of ours.
struct Carried<Content>: Sendable {
  // Combine's contract stands in for the type check: publishers and subscriptions may be used from any thread, and a
  // subscriber is called by one thread at a time, which `CombineSubscription` sees to.
  private let cell: Cell<Content>

  var content: Content { cell.value }

  init(_ content: Content) {
    cell = Cell(content)
  }
}

/// The Combine subscriber that passes everything to a signal's observer.
private final class ObservingSubscriber<Value: Sendable, Failure: Error>: Subscriber, Sendable {
  private enum State {
    case waiting
    case attached(Carried<any Subscription>)
    case over
  }

  private let observer: Observer<Value, Failure>
  private let state = Guarded(State.waiting)

  init(_ observer: Observer<Value, Failure>) {
    self.observer = observer
  }

  func receive(subscription: any Subscription) {
    let carried = Carried(subscription)
    let isWanted = state.withLock { state in
      guard case .waiting = state else { return false }
      state = .attached(carried)
      return true
    }
    if isWanted { carried.content.request(.unlimited) } else { carried.content.cancel() }
  }

  func receive(_ input: Value) -> Subscribers.Demand {
    observer.send(input)
    // A publisher that sends everything before it returns is stopped here: the handle has not been returned yet.
    if observer.isDisposed { cancel() }
    return .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
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
      let old = state
      state = .over
      return old
    }
  }
}
#endif
