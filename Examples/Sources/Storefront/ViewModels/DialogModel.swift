import Heliograph
import Observation

/// The one dialog for errors that an app has above all its pages.
@MainActor
@Observable
final class DialogModel {
  private(set) var dialog: ErrorPresentation?

  private let presenter: ErrorPresenter
  private let bag = DisposeBag()

  init(presenter: ErrorPresenter) {
    self.presenter = presenter
    presenter.current.subscribeOnMain(onValue: { [weak self] in self?.dialog = $0 }).disposed(by: bag)
  }

  /// The customer has read it.
  func confirm() {
    if let dialog { presenter.dismiss(dialog.id) }
  }
}
