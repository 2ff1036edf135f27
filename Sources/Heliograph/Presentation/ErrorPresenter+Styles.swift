public import Signals

extension ErrorPresenter {
  /// The dialog that is shown; `nil` for none.
  ///
  /// Sends the current one at once, and then every change: another dialog, none, or another count of the same one. When
  /// the person has confirmed the dialog, call ``dismiss(_:)``.
  public var current: Signal<ErrorPresentation?, Never> {
    shown.signal.map { $0.first { $0.style == .dialog } }.distinctUntilChanged()
  }

  /// The toasts, each sent once, when it is first shown.
  ///
  /// A late subscriber first receives the toasts that are still shown. The signal reports neither the end of a toast
  /// nor equal errors that are counted; ``presentations`` does.
  public var toasts: Signal<ErrorPresentation, Never> {
    Signal { [shown] observer in
      let latest = Guarded(0)
      return shown.signal.subscribe(onValue: { presentations in
        let toasts = presentations.filter { $0.style == .toast }
        let before = latest.withLock { latest in
          defer { latest = toasts.reduce(latest) { max($0, $1.id) } }
          return latest
        }
        for toast in toasts where toast.id > before { observer.send(toast) }
      })
    }
  }

  /// Returns the inline errors that are shown beside an owner, in order of arrival.
  ///
  /// The signal sends the current ones at once, and then every change. It does not retain the owner, and ends silently
  /// when the owner is deallocated.
  /// - Parameter owner: The owner for which they were presented.
  /// - Returns: The signal.
  public func inlines(for owner: AnyObject) -> Signal<[ErrorPresentation], Never> {
    let place = ObjectIdentifier(owner)
    return shown.signal.map { presentations in
      presentations.filter { $0.style == .inline && $0.key.place == place }
    }
    .distinctUntilChanged().bound(to: owner)
  }
}

extension ErrorPresenter: Monitor {
  /// Presents every error of a client that the presenter monitors, in the style that the request sets.
  ///
  /// A monitor knows no owner, beside which an inline error would be shown: it is a toast. `presentingErrors` takes one.
  /// Use either this or the operator `presentingErrors`, not both.
  public func observe(_ event: MonitorEvent) {
    guard case .ended(let report) = event, let error = report.error else { return }
    present(error, as: error.presentation == .inline ? .toast : error.presentation)
  }
}
