public import Signals

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
    guard let owner else { return on(failure: { presenter.present($0, as: style ?? $0.presentation) }) }
    let link = WeakOwner(owner)
    return on(failure: { error in
      if let owner = link.owner { presenter.present(error, as: style ?? error.presentation, for: owner) }
    })
  }
}
