import Foundation
public import Signals

/// A presenter that decides which errors to show, and publishes them as values for the user interface.
///
/// ```swift
/// let presenter = ErrorPresenter(style: { $0.domain == .client ? .dialog : .toast })
/// presenter.dialog.subscribeOnMain(onValue: { print($0?.text ?? "no dialog") })
/// presenter.toasts.subscribeOnMain(onValue: { print($0.text) })
/// presenter.present(NetworkError(.timedOut))
/// ```
/// - Equal errors, those with the same style and text, are shown once; inline ones once for each owner. While the first
///   is shown or queued, the others are counted.
/// - Dialogs are shown one after another: the next one when the previous one is dismissed. While the queue is full,
///   further dialogs are dropped.
/// - Shown and queued presentations are withdrawn when their owner is deallocated. Owners are never retained.
/// - A cancellation is never shown, nor are ``NetworkError/Code/contextChanged``, after which the app reloads, and a
///   304 to a conditional request, because the app has the content.
/// - A silent error still reaches the subscriber of its signal.
///
/// It may be used on any thread. Its signals deliver events serially, on the thread that presents or dismisses, or that
/// detects the end of a toast or the deallocation of an owner. They send the current state, so changes faster than the
/// consumer are coalesced.
public final class ErrorPresenter: Sendable {
  private let silentPaths: Set<String>
  private let style: @Sendable (NetworkError) -> PresentationStyle
  private let toastDuration: Duration
  private let scheduler: any SignalScheduler
  private let queue: Guarded<PresentationQueue>
  private let publishing = Drain()
  let shown = CurrentValue<[ErrorPresentation]>([])

  /// Creates a presenter with nothing to show.
  ///
  /// At most 64 KiB of the body of each error's response are retained, and no longer or streamed body of its request.
  ///
  /// - Parameters:
  ///   - toastDuration: The time for which a toast is shown unless it is dismissed; equal errors are counted meanwhile.
  ///     Default: 3 seconds.
  ///   - waitingLimit: The maximum number of dialogs queued behind the shown one. Default: 1,000.
  ///   - silentPaths: The paths whose errors are not shown. `/beat` matches exactly that path; `/log/` matches every
  ///     path below it. They are compared with the decoded path of the request as sent, before redirects; for a failed
  ///     token refresh, with that of the request that waited for it. Default: none.
  ///   - scheduler: The scheduler that times toasts. Default: `.global`.
  ///   - style: Returns the style of an error that has none; runs on the thread that presents the error. Default: a
  ///     toast.
  public init(
    toastDuration: Duration = .seconds(3), waitingLimit: Int = 1_000, silentPaths: Set<String> = [],
    scheduler: any SignalScheduler = .global,
    style: @escaping @Sendable (NetworkError) -> PresentationStyle = { _ in .toast }
  ) {
    self.silentPaths = silentPaths
    self.style = style
    self.toastDuration = toastDuration
    self.scheduler = scheduler
    queue = Guarded(PresentationQueue(waitingLimit: max(waitingLimit, 0)))
  }

  /// All presentations that are shown, in order of arrival: toasts, inline errors, and at most one dialog.
  ///
  /// Its signal sends the current ones at once, then every change. It retains the presentations, but not the presenter.
  public var presentations: Property<[ErrorPresentation]> { distinct { $0 } }

  /// Shows an error, or counts it if an equal one is shown or queued.
  ///
  /// Complexity: O(n), where n is the number of presentations that are shown or queued.
  /// - Parameters:
  ///   - error: The error to show.
  ///   - style: The style. Default: the request's style, else silent if the request's path is a silent one, else
  ///     decided by the presenter's `style` closure; without an owner a toast instead of an inline error.
  ///   - owner: The object whose deallocation withdraws the presentation: at its deinit on Apple's platforms and for
  ///     a `Lifetime`, elsewhere and for an actor within 100 milliseconds. A presentation with several owners is
  ///     withdrawn with the last one. One that was also presented without an owner remains until it is dismissed.
  ///     Default: no owner.
  public func present(_ error: NetworkError, as style: PresentationStyle? = nil, for owner: AnyObject? = nil) {
    let found = self.style(of: error, preferred: style ?? error.presentation)
    // Without an owner there is nothing beside which it could be shown.
    let style = style == nil && owner == nil && found == .inline ? .toast : found
    if style == .silent { return }
    // A new object may have the address of a deallocated one, whose presentations must be withdrawn first.
    withdrawForDeallocatedOwners()
    let key = ErrorPresentation.Key(
      style: style, text: error.message, owner: style == .inline ? owner.map { ObjectIdentifier($0) } : nil)
    let ownership = owner.map { PresentationQueue.Owner($0) }
    // The error may stay in the queue for a long time, so long bodies are freed.
    let error = error.withoutBodies(over: 65_536)
    let addition = queue.withLock { $0.add(error, key, for: ownership) }
    guard let addition else { return publish() }
    if let owner, let ownership, addition.isOwnerNew { watch(owner, ownership, addition) }
    publish()
    if style == .toast, addition.isNew {
      // The closure captures the number only: a queued presentation must not retain the bag that stops it.
      addition.watches.add(
        scheduler.schedule(after: toastDuration) { [weak self, id = addition.id] in self?.dismiss(id) })
    }
  }

  /// Returns the style of an error.
  ///
  /// A cancellation is silent, and so are a change of the account or environment, after which the app loads again, and
  /// a 304 to a conditional request, because the app has the content. Otherwise the requested style applies. Without
  /// one, an error of a silent path is silent, and the rule decides on all others.
  private func style(of error: NetworkError, preferred: PresentationStyle?) -> PresentationStyle {
    if error.reportsCancellation || error.code == .contextChanged || error.isExpected304 { return .silent }
    if let preferred { return preferred }
    if let path = error.marks.firstPath ?? error.request?.url.path, isSilent(path) { return .silent }
    return style(error)
  }

  private func isSilent(_ path: String) -> Bool {
    if silentPaths.isEmpty { return false }
    // All forms that match `/a/b`: itself, and each folder above it.
    if silentPaths.contains(path) { return true }
    return path.indices.contains { path[$0] == "/" && silentPaths.contains(String(path[...$0])) }
  }

  /// Withdraws a presentation; if it is the shown dialog, the next one is shown.
  ///
  /// - Parameter id: The identity of the presentation; no effect if it is no longer shown.
  public func dismiss(_ id: ErrorPresentation.ID) {
    withdrawForDeallocatedOwners()
    update { $0.remove { $0.presentation.id == id } }
  }

  /// Withdraws the presentations for an owner, such as a form that is sent again.
  ///
  /// - Parameter owner: The owner. Presentations that also have other owners remain, and those that were also presented
  ///   without an owner.
  public func dismissAll(for owner: AnyObject) {
    let identity = ObjectIdentifier(owner)
    withdrawForDeallocatedOwners()
    update { $0.removeOwners { $0.identity == identity } }
    withExtendedLifetime(owner) {}
  }

  /// Withdraws all presentations, shown and queued.
  public func dismissAll() { update { $0.remove { _ in true } } }

  /// Withdraws a presentation for an owner when the owner is deallocated.
  private func watch(_ owner: AnyObject, _ ownership: PresentationQueue.Owner, _ addition: PresentationQueue.Addition) {
    let end = Signal<Void, Never> { [weak self, id = addition.id, link = ownership.link] _ in
      Disposable { [weak self] in self?.withdraw(id, link) }
    }
    addition.watches.add(end.bound(to: owner).subscribe { _ in })
    // Otherwise the owner could be deallocated before the subscription, which would miss the deallocation.
    withExtendedLifetime(owner) {}
  }

  private func withdraw(_ id: ErrorPresentation.ID, _ link: WeakOwner) {
    update { $0.removeOwners(where: { $0.link === link }, id) }
  }

  private func withdrawForDeallocatedOwners() {
    // Outside the lock, because reading a weak reference may release the owner.
    for (id, owner) in queue.withLock({ $0.owners }) where owner.link.isDeallocated { withdraw(id, owner.link) }
  }

  private func update(_ edit: (inout PresentationQueue) -> [PresentationQueue.Entry]) {
    let removed = queue.withLock { edit(&$0) }
    if removed.isEmpty { return }
    for entry in removed { entry.watches.dispose() }
    publish()
  }

  /// Sends the shown presentations, on one thread at a time, so that the last ones sent are current.
  private func publish() {
    publishing.run { shown.send(queue.withLock { $0.shown }) }
  }

  /// The shown dialog; `nil` if none is shown.
  ///
  /// Its signal sends the dialog at once, then every change: another dialog, none, or a new count of the same one. When
  /// the user has confirmed the dialog, call ``dismiss(_:)``.
  public var dialog: Property<ErrorPresentation?> { distinct { $0.first { $0.style == .dialog } } }

  /// A signal of the toasts, each sent once, when it is first shown.
  ///
  /// A late subscriber first receives the toasts that are still shown. The signal reports neither the end of a toast
  /// nor counted equal errors; ``presentations`` does.
  public var toasts: Signal<ErrorPresentation, Never> {
    shown.signal
      .scan((latestID: 0, added: [ErrorPresentation]())) { last, presentations in
        let added = presentations.filter { $0.style == .toast && $0.id > last.latestID }
        return (added.map(\.id).max() ?? last.latestID, added)
      }
      .flatMap(.concat) { .concat($0.added.map { .just($0) }) }
  }

  /// Returns a property derived from the shown presentations, whose signal sends a value only if it has changed.
  func distinct<Value: Equatable & Sendable>(
    _ transform: @escaping @Sendable ([ErrorPresentation]) -> Value
  ) -> Property<Value> {
    Property(shown.signal.map(transform).distinctUntilChanged()) { [shown] in transform(shown.value) }
  }

  /// Returns a signal of the inline errors of an owner, in order of arrival.
  ///
  /// The signal sends the current ones at once, and then every change. It does not retain the owner, and ends silently
  /// when the owner is deallocated.
  /// - Parameter owner: The owner for which the errors were presented.
  /// - Returns: The signal.
  public func inlines(for owner: AnyObject) -> Signal<[ErrorPresentation], Never> {
    let identity = ObjectIdentifier(owner)
    // Those of a deallocated object that had the address of this one.
    withdrawForDeallocatedOwners()
    return shown.signal.map { presentations in
      presentations.filter { $0.style == .inline && $0.key.owner == identity }
    }
    .distinctUntilChanged().bound(to: owner)
  }
}

extension ErrorPresenter: Monitor {
  /// Presents every error of a client that the presenter monitors, in the request's style, or else the presenter's.
  ///
  /// The failure of a ``Recovery`` is presented by the requests that waited for it; a request sent with the client
  /// passed to its closure is presented only if it has a ``RequestOptions/presentation`` of its own.
  /// An inline error is shown as a toast, because a monitor has no owner for it; the operator `presentingErrors` has
  /// one. Give a request with that operator the style ``PresentationStyle/silent``, or its error is shown twice.
  public func observe(_ event: MonitorEvent) {
    guard case .ended(let report) = event, let error = report.error else { return }
    // The requests that waited for a refresh present its failure.
    if report.isOfRefresh, error.presentation == nil { return }
    present(error)
  }
}

extension Signal where Failure == NetworkError {
  /// Presents a failure before forwarding it; every event passes unchanged.
  ///
  /// Nothing is presented if the owner has been deallocated by then.
  /// - Parameters:
  ///   - presenter: The presenter.
  ///   - style: The style. Default: the request's style, or else the presenter's.
  ///   - owner: The object whose deallocation withdraws the presentation; it is not retained. Default: no owner.
  /// - Returns: The same signal, with its failure presented.
  public func presentingErrors(
    with presenter: ErrorPresenter, as style: PresentationStyle? = nil, for owner: AnyObject? = nil
  ) -> Signal {
    guard let owner else { return on(failure: { presenter.present($0, as: style) }) }
    let link = WeakOwner(owner)
    return on(failure: { error in
      if let owner = link.owner { presenter.present(error, as: style, for: owner) }
    })
  }
}
