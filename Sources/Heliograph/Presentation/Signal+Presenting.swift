public import Signals

extension Signal where Failure == NetworkError {
  /// Has the failure presented, before the subscriber gets it; every event passes unchanged.
  ///
  /// An owner that was deallocated by then is told nothing.
  /// - Parameters:
  ///   - presenter: who presents it.
  ///   - style: how. Default: as the request wants, else as the presenter decides.
  ///   - owner: whose end withdraws it; it is not retained. Default: nobody's.
  /// - Returns: the same signal, whose failure is seen.
  public func presentingErrors(
    with presenter: ErrorPresenter, as style: PresentationStyle? = nil, for owner: AnyObject? = nil
  ) -> Signal {
    guard let owner else { return on(failure: { presenter.present($0, as: style ?? $0.presentation) }) }
    let link = WeakOwner(owner)
    return on(failure: { error in
      if let owner = link.owner { presenter.present(error, as: style ?? error.presentation, for: owner) }
    })
  }
}
