import Signals

/// Ends the requests of a world that is left: of another environment, or of another account.
///
/// A world is what a request's answer is true for; nothing crosses from one to another. Requirement P9.
final class Fence: Sendable {
  private enum Change: Sendable {
    case environment
    case account
  }

  private struct State {
    var environmentCount = 0
    var accountCount = 0
  }

  /// A moment in the history of worlds.
  struct Moment: Sendable, Equatable {
    fileprivate let environmentCount: Int
    fileprivate let accountCount: Int
  }

  private let state = Guarded(State())
  private let changes = Subject<Change, Never>()
  private let watches = DisposeBag()

  /// Makes a fence that watches; `nil` if there is nothing to watch.
  init?(_ environments: EnvironmentStore?, _ account: CurrentValue<String?>?) {
    if environments == nil && account == nil { return nil }
    // The first value is the present one. The fence must not be kept by what it watches.
    if let environments {
      watches.add(
        environments.states.distinctUntilChanged().skip(1).subscribe { [weak self] _ in self?.leave(.environment) })
    }
    if let account {
      watches.add(account.signal.distinctUntilChanged().skip(1).subscribe { [weak self] _ in self?.leave(.account) })
    }
  }

  /// Now: to be asked for before the environment is looked up.
  var now: Moment {
    state.withLock { Moment(environmentCount: $0.environmentCount, accountCount: $0.accountCount) }
  }

  private func leave(_ change: Change) {
    state.withLock { state in
      switch change {
      case .environment: state.environmentCount += 1
      case .account: state.accountCount += 1
      }
    }
    changes.send(change)
  }

  /// A request's signal, which fails when its world is left.
  ///
  /// - Parameters:
  ///   - signal: what is under way.
  ///   - request: for the error.
  ///   - moment: when its world was looked up.
  ///   - hasService: whether the environment matters to it.
  ///   - report: tells the monitors of the failure.
  /// - Returns: the signal.
  func guarding<Value>(
    _ signal: Signal<Value, NetworkError>, _ request: HTTPRequest, since moment: Moment, hasService: Bool,
    _ report: @escaping @Sendable (NetworkError) -> NetworkError
  ) -> Signal<Value, NetworkError> {
    Signal { [self] observer in
      let leave: @Sendable (Change) -> Void = { change in
        if change == .environment && !hasService { return }
        if !observer.isDisposed { observer.fail(report(Fence.failure(change, request))) }
      }
      let watch = changes.signal.subscribe { event in
        if case .value(let change) = event { leave(change) }
      }
      // It may have been left between the look-up and now.
      let now = now
      if now.environmentCount != moment.environmentCount { leave(.environment) }
      if now.accountCount != moment.accountCount { leave(.account) }
      if observer.isDisposed { return watch }
      let exchange = signal.subscribe(under: observer.pressure) { observer.send($0) }
      return Disposable {
        watch.dispose()
        exchange.dispose()
      }
    }
  }

  private static func failure(_ change: Change, _ request: HTTPRequest) -> NetworkError {
    let what = change == .environment ? "environment" : "account"
    return NetworkError(
      .client, .worldChanged, reason: "the \(what) has changed while the request was under way", request: request)
  }
}
