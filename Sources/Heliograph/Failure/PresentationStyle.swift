/// How a person is told of an error.
public enum PresentationStyle: String, Sendable, Hashable, CaseIterable {
  /// In a dialog, which stays until the person has confirmed it; one at a time.
  case dialog
  /// In passing: it disappears by itself.
  case toast
  /// Beside what it is about, such as a form, until that is done anew.
  case inline
  /// Not at all; the caller still gets the error.
  case silent
}
