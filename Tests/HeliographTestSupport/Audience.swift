import Heliograph
import HeliographTesting

/// A presenter, and all that it shows.
package struct Audience {
  package let clock = VirtualScheduler()
  package let presenter: ErrorPresenter
  package let all: SignalRecorder<[ErrorPresentation], Never>
  package let dialogs: SignalRecorder<ErrorPresentation?, Never>
  package let toasts: SignalRecorder<ErrorPresentation, Never>

  package init(
    silentPaths: Set<String> = [], style: @escaping @Sendable (NetworkError) -> PresentationStyle = { _ in .toast }
  ) {
    presenter = ErrorPresenter(
      toastDuration: .seconds(3), silentPaths: silentPaths, scheduler: clock, style: style)
    all = SignalRecorder(presenter.presentations.signal)
    dialogs = SignalRecorder(presenter.dialog.signal)
    toasts = SignalRecorder(presenter.toasts)
  }

  /// What is to be seen now.
  package var seen: [ErrorPresentation] { all.values.last ?? [] }
  /// The texts of what is to be seen now.
  package var texts: [String] { seen.map(\.text) }
  /// The dialog that is to be seen now.
  package var dialog: ErrorPresentation? { dialogs.values.last ?? nil }
  /// The texts of all dialogs there were, in order.
  package var dialogTexts: [String] {
    dialogs.values.compactMap { $0 }.reduce(into: [(ErrorPresentation.ID, String)]()) { texts, dialog in
      if texts.last?.0 != dialog.id { texts.append((dialog.id, dialog.text)) }
    }
    .map(\.1)
  }

  package func present(_ text: String, as style: PresentationStyle? = nil, for owner: AnyObject? = nil) {
    presenter.present(NetworkError(.api(7), message: text), as: style, for: owner)
  }

  package func confirm() {
    if let dialog { presenter.dismiss(dialog.id) }
  }
}

/// Somebody whom an error is for.
package final class Screen: Sendable {
  package init() {}
}
