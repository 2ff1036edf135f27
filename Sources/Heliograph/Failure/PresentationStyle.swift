/// The style in which an error is presented to the user.
public enum PresentationStyle: String, Sendable, Hashable, CaseIterable {
  /// A dialog that stays until the user confirms it; one at a time.
  case dialog
  /// A toast that disappears by itself.
  case toast
  /// A text next to its source, such as a form, until the next submission.
  case inline
  /// No presentation; the caller still receives the error.
  case silent
}
