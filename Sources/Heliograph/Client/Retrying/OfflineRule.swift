import Signals

/// A rule for requests without a network: whether to refuse, send, hold or repeat them.
///
/// | status `unreachable` by a source that | a request | a request that waits for a network |
/// |---|---|---|
/// | refuses requests, such as Linux's routes | fails at once, and nothing of it is sent | is sent when the status changes |
/// | reports evidence only, such as Apple's paths | is sent; its transport fails it at once without a network | is sent |
///
/// If the transport of a waiting request fails with ``NetworkError/Code/unreachable``, the request is repeated at the
/// next change of the status, or after a pause, because the status may be stale. A network that was missing when the
/// attempt was built, and comes back during it, counts as a change.
struct OfflineRule: Sendable {
  let reachability: any Reachability

  /// The status by which requests are refused; unknown if the source only reports evidence.
  var status: ReachabilityStatus { refusing(reachability.status) }

  func refusing(_ status: ReachabilityStatus) -> ReachabilityStatus {
    status == .unreachable && !reachability.refusesRequests ? .unknown : status
  }

  /// Returns whether a request that failed may wait for a network and be repeated.
  ///
  /// A request that may have been sent, also before a redirect, is repeated only if it is idempotent, and never if its
  /// body cannot be read again. A request that a server has rejected with a challenge counts as not sent.
  func allowsWaiting(after error: NetworkError) -> Bool {
    guard error.code == .unreachable || isOfLostNetwork(error) else { return false }
    // The server has rejected the request, which is sent again after a refresh in any case.
    if error.isOfRefresh { return true }
    guard error.response == nil, !error.isBodySpent else { return false }
    if error.request?.isIdempotent == true { return true }
    return !error.marks.isAfterOrder && error.metrics?.isUnsent != false
  }

  /// Returns whether a failed connection is that of a network that was lost while the request waited in the client,
  /// such as for a slot; libcurl does not tell it from an unreachable server.
  private func isOfLostNetwork(_ error: NetworkError) -> Bool {
    [.cannotConnect, .cannotFindHost].contains(error.code) && status == .unreachable
      && error.request?.url.isLocal == false
  }

  /// Returns the maximum pause before a request is repeated; `nil` to wait for a change of the status.
  ///
  /// The pauses double from 1 second up to 30, because a transport without a network fails within milliseconds.
  func pause(after pauseCount: Int) -> Duration? {
    status == .unreachable ? nil : .seconds(min(1 << min(max(pauseCount, 0), 5), 30))
  }

  /// Returns a signal that sends a request's waits, with this one, when the request is worth repeating; `former` is the
  /// status of the source when the failed attempt was built.
  func online(
    after waits: NetworkWaits, since former: ReachabilityStatus, on scheduler: any SignalScheduler
  ) -> Signal<NetworkWaits, NetworkError> {
    Signal { observer in
      let pause = pause(after: waits.pauseCount)
      // Skips the first value, the current status, which may be stale. If there is no pause, the status is
      // `unreachable`: the filter drops it, and anything else is a change.
      let changes = reachability.changes.skip(pause == nil ? 0 : 1).filter { $0 != .unreachable }.take(1)
        .subscribe(onValue: { _ in observer.complete(with: waits.adding(isEndedByChange: true)) })
      // Read after subscribing, so that no change is missed.
      let now = reachability.status
      if now == .reachable && former != .reachable || now == .unknown && former == .unreachable {
        observer.complete(with: waits.adding(isEndedByChange: true))
      }
      guard let pause, !observer.isDisposed else { return changes }
      let timer = scheduler.schedule(after: pause) { observer.complete(with: waits.adding(isEndedByChange: false)) }
      return Disposable {
        changes.dispose()
        timer.dispose()
      }
    }
  }
}

extension Metrics {
  /// Whether nothing of the request was sent that a server has not rejected with a challenge.
  ///
  /// The instants are those of the last exchange; before it, another one may have been sent.
  var isUnsent: Bool {
    sentAt == nil && firstByteAt == nil && hasSentAll != true && redirectCount == 0 && resendCount == challengeCount
  }
}

struct NetworkWaits: Sendable {
  private(set) var count = 0
  /// The number of pauses since the last change of the status, by which the next pause grows.
  private(set) var pauseCount = 0

  /// Returns the waits with another one, which a change of the status or a pause has ended.
  func adding(isEndedByChange: Bool) -> NetworkWaits {
    NetworkWaits(count: count + 1, pauseCount: isEndedByChange ? 0 : pauseCount + 1)
  }
}
