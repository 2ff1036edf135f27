#if canImport(SwiftUI)
import Signals
public import SwiftUI

extension View {
  /// Returns the view with an alert for the dialogs of a presenter, one after another.
  ///
  /// ```swift
  /// ContentView().alert(for: presenter)
  /// ```
  /// Apply it once, to the root view of a window; a dialog does not appear above a sheet that is already presented, and
  /// the following ones wait until it is dismissed: apply it to the content of such a sheet, too. The
  /// title is the user-facing message, and the system's button dismisses the dialog. Toasts and inline errors are not
  /// shown. **Type-checked, but not yet run.**
  /// - Parameter presenter: The presenter.
  /// - Returns: The view with the alert.
  public func alert(for presenter: ErrorPresenter) -> some View { modifier(ErrorAlert(presenter: presenter)) }
}

/// A modifier that shows the dialog of a presenter; `State` is not applied as an attribute: from SDK 27 on that is a
/// macro, whose plug-in only Xcode has.
private struct ErrorAlert: ViewModifier {
  let presenter: ErrorPresenter
  /// The last dialog, which remains visible while the alert disappears.
  var dialog = State<ErrorPresentation?>(initialValue: nil)
  var isShown = State<Bool>(initialValue: false)

  func body(content: Content) -> some View {
    let current = dialog.wrappedValue
    content
      // Without actions the system adds its own button.
      .alert(current?.text ?? "", isPresented: isShown.projectedValue, presenting: current) { _ in EmptyView() }
      .onChange(of: isShown.wrappedValue) {
        // The user has dismissed the alert. The next dialog arrives in a later turn of the main actor.
        if !isShown.wrappedValue, let dialog = dialog.wrappedValue { presenter.dismiss(dialog.id) }
      }
      .task(id: ObjectIdentifier(presenter)) {
        for await current in presenter.dialog.signal.values {
          if let current {
            // The system ignores new contents of an alert that is visible: it has to disappear first.
            if isShown.wrappedValue, dialog.wrappedValue?.id != current.id {
              isShown.wrappedValue = false
              try? await Task.sleep(for: .milliseconds(500))
            }
            dialog.wrappedValue = current
          }
          isShown.wrappedValue = current != nil
        }
      }
  }
}
#endif
