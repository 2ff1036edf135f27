import Heliograph
import Observation

/// The dialog for errors above all screens of an app.
@MainActor
@Observable
final class DialogModel {
  private(set) var dialog: ErrorPresentation?

  private let presenter: ErrorPresenter

  init(presenter: ErrorPresenter) {
    self.presenter = presenter
    presenter.dialog.signal.assign(to: \.dialog, on: self)
  }

  /// The customer confirms the dialog.
  func confirm() {
    if let dialog { presenter.dismiss(dialog.id) }
  }
}
