import Signals

/// Ends the requests of a world that is left: of another environment, or of another account.
///
/// A world is what a request's answer is true for; nothing crosses from one to another. Requirement P9.
final class Fence: Sendable {
  private enum Change: Sendable {
    case environment(EnvironmentStore.State)
    case account
  }

  private let environments: EnvironmentStore?
  private let accountCount = Guarded(0)
  private let changes = Subject<Change, Never>()
  private let watches = DisposeBag()

  /// Makes a fence that watches; `nil` if there is nothing to watch.
  init?(_ environments: EnvironmentStore?, _ account: CurrentValue<String?>?) {
    if environments == nil && account == nil { return nil }
    self.environments = environments
    // The fence must not be kept by what it watches.
    if let environments {
      watches.add(environments.states.subscribe(onValue: { [weak self] in self?.changes.send(.environment($0)) }))
    }
    if let account {
      // The first value is the present one.
      watches.add(
        account.signal.distinctUntilChanged().skip(1).subscribe(onValue: { [weak self] _ in self?.leaveAccount() }))
    }
  }

  /// How often the account has changed: to be asked for before a request is built.
  var generation: Int { accountCount.withLock { $0 } }

  private func leaveAccount() {
    accountCount.withLock { $0 += 1 }
    changes.send(.account)
  }

  /// A request's signal, which fails when its world is left.
  ///
  /// - Parameters:
  ///   - signal: what is under way.
  ///   - request: for the error.
  ///   - generation: that of before it was built.
  ///   - environment: what it was built for; `nil` if that does not matter to it.
  /// - Returns: the signal.
  func guarding<Value>(
    _ signal: Signal<Value, NetworkError>, _ request: HTTPRequest, since generation: Int,
    in environment: EnvironmentStore.State?
  ) -> Signal<Value, NetworkError> {
    Signal { [self] observer in
      let leave: @Sendable (String) -> Void = { what in
        if !observer.isDisposed { observer.fail(Fence.failure(what, request)) }
      }
      let watch = changes.signal.subscribe(onValue: { change in
        switch change {
        case .account: leave("account")
        // It may have been built for the new one before all have been told of it.
        case .environment(let now): if let environment, now != environment { leave("environment") }
        }
      })
      // It may have been left between the look-up and now.
      if self.generation != generation { leave("account") }
      if let environment, environments?.state != environment { leave("environment") }
      if observer.isDisposed { return watch }
      let exchange = signal.subscribe(under: observer.pressure) { observer.send($0) }
      return Disposable {
        watch.dispose()
        exchange.dispose()
      }
    }
  }

  private static func failure(_ what: String, _ request: HTTPRequest) -> NetworkError {
    NetworkError(
      .client, .worldChanged, reason: "the \(what) has changed while the request was under way", request: request)
  }
}
