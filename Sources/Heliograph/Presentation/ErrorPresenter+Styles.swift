public import Signals

extension ErrorPresenter {
  /// The dialog that is to be seen; `nil` for none.
  ///
  /// Sends the present one at once, and then every change: another dialog, none, or another count of the same one. When the
  /// person has confirmed it, call ``dismiss(_:)``.
  public var current: Signal<ErrorPresentation?, Never> {
    shown.signal.map { $0.first { $0.style == .dialog } }.distinctUntilChanged()
  }

  /// The toasts, each once, when it begins to be seen.
  ///
  /// Who subscribes later gets those first that are still to be seen. It does not tell of their end, nor of equal ones that
  /// are counted: ``presentations`` does.
  public var toasts: Signal<ErrorPresentation, Never> {
    Signal { [shown] observer in
      let latest = Guarded(0)
      return shown.signal.subscribe(onValue: { presentations in
        let toasts = presentations.filter { $0.style == .toast }
        let before = latest.withLock { latest in
          defer { latest = toasts.reduce(latest) { max($0, $1.id.number) } }
          return latest
        }
        for toast in toasts where toast.id.number > before { observer.send(toast) }
      })
    }
  }

  /// The inline errors that are to be seen beside an owner, in the order in which they came.
  ///
  /// Sends the present ones at once, and then every change; ends silently with the owner, which it does not retain.
  /// - Parameter owner: the one that they were presented for.
  /// - Returns: the signal.
  public func inlines(for owner: AnyObject) -> Signal<[ErrorPresentation], Never> {
    let place = ObjectIdentifier(owner)
    return shown.signal.map { presentations in
      presentations.filter { $0.style == .inline && $0.key.place == place }
    }
    .distinctUntilChanged().bound(to: owner)
  }
}

extension ErrorPresenter: Monitor {
  /// Presents every error of a client whose monitor it is, as its request wants; use either that or the operator `presentingErrors`.
  public func observe(_ event: MonitorEvent) {
    if case .ended(let report) = event, let error = report.error { present(error, as: error.presentation) }
  }
}
