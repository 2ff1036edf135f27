public import Signals

/// A monitor that counts requests in flight and decides when a loading indicator is visible.
///
/// ```swift
/// let activity = ActivityMonitor()
/// let client = NetworkClient(baseURL: apiURL) { $0.monitors = [activity] }
/// activity.isVisible.signal.assign(to: \.showsSpinner, on: screen)
/// ```
/// A request counts from its start until it ends: by success, failure, cancellation or a stored response. An event stream
/// counts only until its response begins, because it may stay open for hours; so does any other successful response of
/// the type `text/event-stream`. Several clients may share a monitor. The operator `counted(by:)` counts other work.
///
/// Changes are sent serially and in order, on the thread that causes them; delayed changes are sent on the scheduler.
/// If several threads change the count at once, intermediate states are coalesced. A timer runs only while the
/// indicator is waiting to appear or to be hidden.
public final class ActivityMonitor: Monitor {
  private let startDelay: Duration
  private let minimumVisibleTime: Duration
  private let scheduler: any SignalScheduler
  private let state = Guarded(ActivityState())
  /// The requests in flight that no longer count, because their event stream is open.
  private let openStreams = Guarded<Set<RequestID>>([])
  private let publishing = Drain()
  private let currentCount = CurrentValue(0)
  private let currentIsActive = CurrentValue(false)
  private let currentIsVisible = CurrentValue(false)

  /// Creates a monitor with the delays of its indicator.
  ///
  /// - Parameters:
  ///   - startDelay: The time of activity before the indicator becomes visible; a pause of less than a tenth of a second
  ///     does not interrupt it. Default: 300 milliseconds; zero shows it at once.
  ///   - minimumVisibleTime: The minimum time that the indicator is visible, so that it does not flicker. Work that
  ///     restarts within this time, or within a tenth of a second, keeps it visible. Default: 500 milliseconds; zero
  ///     hides it at once.
  ///   - scheduler: The scheduler that times both delays. Default: `.global`.
  public init(
    startDelay: Duration = .milliseconds(300), minimumVisibleTime: Duration = .milliseconds(500),
    scheduler: any SignalScheduler = .global
  ) {
    (self.startDelay, self.minimumVisibleTime, self.scheduler) = (startDelay, minimumVisibleTime, scheduler)
  }

  deinit { state.withLock { $0.cancelTimer() }?.dispose() }

  /// The number of requests and other work in flight.
  public var count: Property<Int> { currentCount.property }

  /// Whether anything is in flight; the property's signal omits repeated values.
  public var isActive: Property<Bool> { currentIsActive.property }

  /// Whether a loading indicator should be visible; the property's signal omits repeated values.
  public var isVisible: Property<Bool> { currentIsVisible.property }

  /// Counts the starts and ends of requests.
  public func observe(_ event: MonitorEvent) {
    switch event {
    case .started: begin()
    case .responded(let request, let response) where response.isEventStream:
      if openStreams.withLock({ $0.insert(request.id).inserted }) { end() }
    case .ended(let report):
      if openStreams.withLock({ $0.remove(report.id) }) == nil { end() }
    default: break
    }
  }

  /// Records that one activity has begun; balance each call with one of `end()`.
  package func begin() { update { $0.count += 1 } }

  package func end() { update { $0.count -= 1 } }

  private func update(firedAt: Duration? = nil, _ change: (inout ActivityState) -> Void = { _ in }) {
    let now = scheduler.now
    let (due, obsolete) = state.withLock { state in
      change(&state)
      return state.update(now, startDelay, minimumVisibleTime, firedAt: firedAt)
    }
    obsolete?.dispose()
    if let due {
      let timer = scheduler.schedule(after: due - now) { [weak self] in self?.update(firedAt: due) }
      state.withLock { $0.store(timer, for: due) }?.dispose()
    }
    publishing.run {
      while let (before, after) = state.withLock({ $0.nextPublished() }) {
        if after.count != before.count { currentCount.send(after.count) }
        if after.isActive != before.isActive { currentIsActive.send(after.isActive) }
        if after.isVisible != before.isVisible { currentIsVisible.send(after.isVisible) }
      }
    }
  }
}

extension HTTPResponse {
  fileprivate var isEventStream: Bool {
    (200..<300).contains(statusCode) && headers.isEventStream
  }
}

extension Signal {
  /// Counts each subscription in an activity monitor, from its start until it completes, fails or is disposed.
  ///
  /// A flow of several requests counts once, including the time between them. Requests of clients with the same monitor
  /// are counted separately. The count changes after the terminal event is delivered.
  /// - Parameter monitor: The monitor; subscriptions retain it.
  /// - Returns: A signal of the same events.
  public func counted(by monitor: ActivityMonitor) -> Signal {
    .deferred {
      monitor.begin()
      let activity = EndAction { monitor.end() }
      return finally { activity.end() }
    }
  }
}
