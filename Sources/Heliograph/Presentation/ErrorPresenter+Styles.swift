public import Signals

extension ErrorPresenter {
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
    return shown.signal.map { presentations in
      presentations.filter { $0.style == .inline && $0.key.owner == identity }
    }
    .distinctUntilChanged().bound(to: owner)
  }
}

extension ErrorPresenter: Monitor {
  /// Presents every error of a client that the presenter monitors, in the request's style, or else the presenter's.
  ///
  /// An inline error is shown as a toast, because a monitor has no owner for it; the operator `presentingErrors` has
  /// one. Use either the monitor or the operator, not both.
  public func observe(_ event: MonitorEvent) {
    guard case .ended(let report) = event, let error = report.error else { return }
    let style = rules.style(of: error, preferred: error.presentation)
    present(error, as: style == .inline ? .toast : style)
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
