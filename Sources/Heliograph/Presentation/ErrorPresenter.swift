public import Signals

/// Says which errors a person is to see now, as values; whoever has a screen shows them.
///
/// ```swift
/// let presenter = ErrorPresenter(style: { $0.domain == .client ? .dialog : .toast })
/// presenter.current.subscribeOnMain(onValue: { print($0?.text ?? "no dialog") })
/// presenter.toasts.subscribeOnMain(onValue: { print($0.text) })
/// presenter.present(NetworkError(.network, .timedOut))
/// ```
/// - Equal errors, of the same style and text, are shown once and counted for as long as the first is shown or waits.
/// - Dialogs are shown one after another: the next when you have dismissed the one before. While too many wait, further
///   ones are dropped.
/// - What belongs to an owner that was deallocated is withdrawn, shown or not. Owners are never retained.
/// - A cancellation is never shown.
/// - To be silent about an error does not swallow it: a signal's subscriber gets it in any case.
///
/// It may be used from any thread. Its signals deliver, one event at a time, on the thread that presents or dismisses, or
/// that noticed the time or an owner's end; they tell what is to be seen now, so changes that come faster than they are
/// taken become one. Requirements S0-38, S0-39, S2-9, S2-10 and P7.
public final class ErrorPresenter: Sendable {
  private struct State {
    var line: PresentationLine
    var isStale = false
    var isPublishing = false
  }

  private let rules: PresentationRules
  private let toastDuration: Duration
  private let scheduler: any SignalScheduler
  private let state: Guarded<State>
  /// What is to be seen.
  let shown = CurrentValue<[ErrorPresentation]>([])

  /// Makes a presenter that has nothing to show.
  ///
  /// - Parameters:
  ///   - toastDuration: how long a toast is shown unless it is dismissed; an equal one is counted meanwhile.
  ///     Default: 3 seconds.
  ///   - waitingLimit: the maximum number of dialogs that wait behind the one that is shown. Default:
  ///     1,000. Of the body of each error at most 64 KiB are kept.
  ///   - silentPaths: the addresses whose errors are not shown, by the path of the request, decoded: `/beat` is that path,
  ///     `/log/` all below it. Default: none.
  ///   - scheduler: whose clock counts the time of toasts. Default: `.global`.
  ///   - style: how an error is shown for which nothing else is said; runs on the thread that presents it.
  ///     Default: as a toast.
  public init(
    toastDuration: Duration = .seconds(3), waitingLimit: Int = 1_000, silentPaths: Set<String> = [],
    scheduler: any SignalScheduler = .global,
    style: @escaping @Sendable (NetworkError) -> PresentationStyle = { _ in .toast }
  ) {
    rules = PresentationRules(silentPaths: silentPaths, style: style)
    self.toastDuration = toastDuration
    self.scheduler = scheduler
    state = Guarded(State(line: PresentationLine(waitingLimit: max(waitingLimit, 0))))
  }

  /// All that is to be seen, in the order in which it came: toasts, inline ones, and at most one dialog.
  ///
  /// Sends what there is at once, and then every change. Keeps what it shows, not the presenter.
  public var presentations: Signal<[ErrorPresentation], Never> { shown.signal.distinctUntilChanged() }

  /// Shows an error, or counts it if an equal one is shown or waits.
  ///
  /// Complexity: O(what is shown and waits).
  /// - Parameters:
  ///   - error: what went wrong.
  ///   - style: how to show it. Default: not at all if its address is a silent one, else what the presenter's rule says.
  ///   - owner: whose end withdraws it: at its deinit on Apple's systems and for a `Lifetime`, elsewhere within 100
  ///     milliseconds. An equal error of another owner's stays for that one. Default: nobody's.
  public func present(_ error: NetworkError, as style: PresentationStyle? = nil, for owner: AnyObject? = nil) {
    let style = rules.style(of: error, wished: style)
    if style == .silent { return }
    // A new object may stand where one was that has gone: then nothing of the old one's may be left.
    forgetGoneOwners()
    let key = ErrorPresentation.Key(
      style: style, text: error.message, place: style == .inline ? owner.map { ObjectIdentifier($0) } : nil)
    let ownership = owner.map { PresentationLine.Owner($0) }
    // It may stay in the queue for long.
    var error = error
    error.response = error.response?.beginning
    let added = state.withLock { [error] state in
      state.isStale = true
      return state.line.add(error, key, for: ownership)
    }
    guard let place = added else { return publish() }
    if let owner, let ownership, place.isOwnerNew { watch(owner, ownership, place) }
    publish()
    if style == .toast, place.isNew {
      // Its number alone: what waits must not keep the bag that is to stop it.
      place.watches.add(scheduler.schedule(after: toastDuration) { [weak self, id = place.id] in self?.dismiss(id) })
    }
  }

  /// Takes a presentation away, and shows the next dialog if it was one that was shown.
  ///
  /// - Parameter id: which one; if it is not shown any more, nothing happens.
  public func dismiss(_ id: ErrorPresentation.ID) {
    forgetGoneOwners()
    change { $0.remove { $0.presentation.id == id } }
  }

  /// Takes away what is shown or waits for an owner, such as a form that is sent again.
  ///
  /// - Parameter owner: whose presentations; those that are also for others stay.
  public func dismissAll(for owner: AnyObject) {
    let identity = ObjectIdentifier(owner)
    forgetGoneOwners()
    change { $0.leave { $0.identity == identity } }
    withExtendedLifetime(owner) {}
  }

  /// Takes away all that is shown or waits.
  public func dismissAll() {
    change { $0.remove { _ in true } }
  }

  /// Takes an error away for an owner that ends.
  private func watch(_ owner: AnyObject, _ ownership: PresentationLine.Owner, _ place: PresentationLine.Place) {
    let end = Signal<Void, Never> { [weak self, id = place.id, link = ownership.link] _ in
      Disposable { [weak self] in self?.withdraw(id, link) }
    }
    place.watches.add(end.bound(to: owner).subscribe { _ in })
    // Or it could go between the making of the signal and its subscription, which would then not be told.
    withExtendedLifetime(owner) {}
  }

  private func withdraw(_ id: ErrorPresentation.ID, _ link: WeakOwner) {
    change { $0.leave({ $0.link === link }, id) }
  }

  private func forgetGoneOwners() {
    // Outside the lock: to look at an owner may be to release it.
    for (id, owner) in state.withLock({ $0.line.owners }) where owner.link.isGone { withdraw(id, owner.link) }
  }

  private func change(_ edit: (inout PresentationLine) -> [PresentationLine.Entry]) {
    let removed = state.withLock { state in
      let removed = edit(&state.line)
      if !removed.isEmpty { state.isStale = true }
      return removed
    }
    if removed.isEmpty { return }
    for entry in removed { entry.watches.dispose() }
    publish()
  }

  /// Sends what is to be seen, in one place at a time, so that the last that is sent is also the latest.
  private func publish() {
    var hasSent = false
    while true {
      let news = state.withLock { state -> [ErrorPresentation]? in
        if hasSent { state.isPublishing = false }
        guard state.isStale, !state.isPublishing else { return nil }
        state.isStale = false
        state.isPublishing = true
        return state.line.shown
      }
      guard let news else { return }
      shown.send(news)
      hasSent = true
    }
  }
}
