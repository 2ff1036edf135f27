import Heliograph

extension Pager {
  /// Starts a refresh in an async test, where the name alone is the call that waits for its end.
  func beginRefresh() { refresh() }
}
