#if canImport(SwiftUI)
public import SwiftUI

extension Loadable {
  /// Returns a view of the state: the content of the value, a progress indicator, or the error with a button.
  ///
  /// ```swift
  /// model.users.view(retry: model.load) { users in List(users) { Text($0.name) } }
  /// ```
  /// A previous value remains visible while it is reloaded and after a failure; the failure is in ``error``. An idle
  /// state is an empty area, so that `onAppear` and `task` of the view run. They run again when the state changes: load
  /// in those of a container around it, such as a `ZStack`, or a load that ends without a value begins again and again.
  /// The error is shown by its user-facing message. **Type-checked, but not yet run.**
  /// - Parameters:
  ///   - retry: Loads again; called when the user chooses the button.
  ///   - retryTitle: The title of the button. Default: `nil`, "Try again" in the language of the built-in messages.
  ///   - content: Returns the content of a value.
  /// - Returns: The view.
  @MainActor @ViewBuilder public func view<Content: View>(
    retry: @escaping @MainActor () -> Void, retryTitle: String? = nil, @ViewBuilder content: (Value) -> Content
  ) -> some View {
    if let value {
      content(value)
    } else if let error {
      ContentUnavailableView {
        Label(error.message, systemImage: "exclamationmark.triangle")
      } actions: {
        Button(retryTitle ?? UserLanguage.current.retryTitle, action: retry)
      }
    } else if isLoading {
      ProgressView()
    } else {
      // An empty view does not appear, so its `onAppear`, which usually loads, would never run.
      Color.clear
    }
  }
}

extension UserLanguage {
  /// The title of a button that loads again.
  fileprivate var retryTitle: String {
    switch self {
    case .english: "Try again"
    case .simplifiedChinese: "重试"
    }
  }
}
#endif
