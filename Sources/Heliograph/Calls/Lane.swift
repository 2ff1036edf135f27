public import Signals

/// A queue for signals that must not all run at once: searches, form submissions, uploads.
///
/// ```swift
/// private let search = Lane(.latestWins(debounce: .milliseconds(300)), name: "search")
///
/// func results(for text: String) -> Signal<Response<[Product]>, NetworkError> {
///   let request = Request(.get, "/search", query: ["q": text])
///   return search.enqueue(client.enqueue(request: request, resultType: [Product].self))
/// }
/// ```
/// Create a lane as a property of the object that sends the requests, such as an engine or a view model. Signals of
/// different types may share it. A signal that is replaced or dropped by the ``Policy`` **completes without a
/// value**; it does not fail.
///
/// A running signal occupies the lane until it terminates or its subscription is disposed. A value that comes with the
/// end, as that of ``NetworkClient/enqueue(request:resultType:)-(RequestConvertible,_)``, is delivered when an
/// exclusive lane is free. A signal must not wait for another signal of the same lane: with ``Policy/serial`` and
/// ``Duplicate/join`` it would wait for itself until it is disposed. A lane may be used from any thread. It retains its
/// queued and running signals, and they retain the lane.
public final class Lane: Sendable {
  /// The rule for a signal that is subscribed to while others of the lane are waiting or running.
  public enum Policy: Sendable, Hashable {
    /// The new signal replaces the previous one, which is cancelled and completes without a value.
    ///
    /// With a `debounce`, a signal starts on the lane's clock once no other one has been subscribed to for that time.
    /// By default (zero), a signal starts at once on the subscriber's thread. If another thread is just starting the
    /// previous signal, that signal ends when its start has returned, so both may run briefly.
    case latestWins(debounce: Duration = .zero)
    /// The running signal continues; `Duplicate` determines what happens to the new one.
    case exclusive(Duplicate = .drop)
    /// The new signal waits until all previous ones have ended: the same as a limit of one.
    case serial
    /// At most this number of signals run at once, and the rest wait; values below 1 count as 1.
    case limit(Int)
  }

  /// The rule for a signal that is subscribed to while an exclusive lane is occupied.
  public enum Duplicate: Sendable, Hashable {
    /// The duplicate completes without a value, and is never started.
    case drop
    /// The duplicate receives all events of the running signal, which is cancelled when its last subscription is
    /// disposed.
    ///
    /// A duplicate whose type differs from that of the running signal is dropped. Bind the result of `enqueue` to an
    /// owner, not the signal: the deallocation of the signal's owner ends it for all subscriptions. The events are kept
    /// in memory until the signal ends: share an endless signal, such as a stream of events, with `share(replay:)`.
    case join
  }

  /// The name for logs; may be empty.
  public let name: String
  /// The rule for concurrent signals.
  public let policy: Policy

  private let scheduler: any SignalScheduler
  private let slots: SlotQueue<LaneSubscription>
  /// Ends the latest subscription with ``Policy/latestWins(debounce:)``, when another one replaces it.
  private let latest = Guarded<Disposable?>(nil)
  private let occupation = LaneOccupation()

  /// Creates a lane.
  ///
  /// - Parameters:
  ///   - policy: The rule for concurrent signals.
  ///   - name: The name for logs. Default: empty.
  ///   - scheduler: The clock for the debounce. Default: `.global`.
  public init(_ policy: Policy, name: String = "", scheduler: any SignalScheduler = .global) {
    self.policy = policy
    self.name = name
    self.scheduler = scheduler
    slots = if case .limit(let count) = policy { SlotQueue(slotCount: max(count, 1)) } else { SlotQueue(slotCount: 1) }
  }

  /// Returns a signal that runs in the lane.
  ///
  /// Each subscription enters the lane. Disposing it removes the signal from the queue, or cancels the running signal
  /// and starts the next one. The signal is subscribed to when its turn comes: its request belongs to the account and
  /// environment of that time. A ``Call`` belongs to those at its start, also while it waits. Bind the result to an
  /// owner, not the signal: a signal that ends silently completes its result, also after the deinit of the owner to
  /// which the signal is bound.
  /// - Parameters:
  ///   - signal: The signal to run. It starts on the subscriber's thread, or on the thread on which another signal of
  ///     the lane ended.
  ///   - priority: The priority in the queue of ``Policy/serial`` and ``Policy/limit(_:)``; signals of the same
  ///     priority start in the order of their subscriptions. Default: ``RequestPriority/normal``.
  /// - Returns: The events of the signal; if it is replaced or dropped, it completes without a further value.
  public func enqueue<Value, Failure>(
    _ signal: Signal<Value, Failure>, priority: RequestPriority = .normal
  ) -> Signal<Value, Failure> {
    enqueue(signal, priority, orEnd: .completed)
  }

  /// Returns a signal that runs in the lane, and ends with `end` if it is replaced or dropped.
  ///
  /// If it joins another signal, it receives the former events of that signal, and all others, on `joining`.
  package func enqueue<Value, Failure>(
    _ signal: Signal<Value, Failure>, _ priority: RequestPriority, orEnd end: Event<Value, Failure>,
    joiningOn joining: (any SignalScheduler)? = nil
  ) -> Signal<Value, Failure> {
    switch policy {
    case .latestWins(let debounce):
      let pause = Signal<Void, Failure>.timer(after: debounce, on: scheduler)
      return replacing(with: debounce > .zero ? pause.flatMap { signal } : signal, orEnd: end)
    case .exclusive(let duplicate): return exclusive(signal, joins: duplicate == .join, on: joining, orEnd: end)
    case .serial, .limit: return queued(signal, priority, orEnd: end)
    }
  }

  private func queued<Value, Failure>(
    _ signal: Signal<Value, Failure>, _ priority: RequestPriority, orEnd end: Event<Value, Failure>
  ) -> Signal<Value, Failure> {
    Signal { [slots] observer in
      let subscription = LaneSubscription(in: slots) { subscription in
        signal.deliver(to: observer, with: subscription.handle, orEnd: end) { [weak subscription] in
          subscription?.leave()
        }
      }
      observer.hold(Disposable { subscription.leave() })
      slots.join(subscription, priority)
      return nil
    }
  }

  private func replacing<Value, Failure>(
    with signal: Signal<Value, Failure>, orEnd end: Event<Value, Failure>
  ) -> Signal<Value, Failure> {
    Signal { [self] observer in
      let handle = Disposable()
      let replacement = Disposable {
        handle.dispose()
        // Dropped if the disposal has sent it; a signal that has not started has sent nothing.
        observer.send(end)
      }
      let previous = latest.withLock { latest in
        defer { latest = replacement }
        return latest
      }
      previous?.dispose()
      observer.hold(
        Disposable { [self] in
          handle.dispose()
          latest.withLock { if $0 === replacement { $0 = nil } }
        })
      signal.deliver(to: observer, with: handle, orEnd: end) {}
      return nil
    }
  }

  private func exclusive<Value, Failure>(
    _ signal: Signal<Value, Failure>, joins: Bool, on scheduler: (any SignalScheduler)?,
    orEnd end: Event<Value, Failure>
  ) -> Signal<Value, Failure> {
    Signal { [occupation] observer in
      guard let (entry, signal) = occupation.enter(signal, joins: joins, on: scheduler) else {
        observer.send(end)
        return nil
      }
      let handle = Disposable()
      observer.hold(
        Disposable {
          handle.dispose()
          occupation.leave(entry)
        })
      signal.deliver(to: observer, with: handle, orEnd: end) { occupation.leave(entry) }
      return nil
    }
  }
}

extension ClientScope {
  /// Returns a signal of this scope that waits in a lane, and is cancelled if the lane replaces or drops it.
  ///
  /// While it waits, it fails as soon as the identity of a bound scope changes. Once it has started, its request does
  /// so: monitors are told, and that failure has the request if it was built. If it joins another signal, its events
  /// are delivered where responses are read. For one subscription.
  func queued<Value>(
    _ signal: Signal<Value, NetworkError>, in lane: Lane, priority: RequestPriority = .normal,
    for request: any RequestConvertible
  ) -> Signal<Value, NetworkError> {
    let hasStarted = Once()
    let starting = signal.on(start: { hasStarted.claim() })
    return guarding(
      lane.enqueue(starting, priority, orEnd: .failed(.cancellation), joiningOn: parts.processing), for: request,
      unless: hasStarted)
  }
}

extension Lane: CustomStringConvertible {
  /// The name and the policy on one line.
  public var description: String {
    name.isEmpty ? "Lane(\(policy))" : "Lane(\(policy), name: \(name.debugDescription))"
  }
}

extension Signal {
  /// Subscribes and forwards all events.
  ///
  /// `end` is sent if the signal ends silently. `ended` runs once when the signal has terminated, was disposed or has
  /// ended silently.
  fileprivate func deliver(
    to observer: Observer<Value, Failure>, with handle: Disposable, orEnd end: Event<Value, Failure>,
    _ ended: @escaping @Sendable () -> Void
  ) {
    let ending = finally {
      ended()
      // Dropped after a terminal event, and after the subscription was disposed.
      observer.send(end)
    }
    ending.subscribe(with: handle, under: observer.pressure) { observer.send($0) }
  }
}
