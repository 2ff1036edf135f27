import Signals

/// An action at the end of some work, which runs once.
///
/// The source of the work retains it. Its deinit ends it, because a source that drops its observer sends no event.
final class EndAction: Sendable {
  private let action: @Sendable () -> Void
  private let ending = Once()

  init(_ action: @escaping @Sendable () -> Void) { self.action = action }

  deinit { end() }

  func end() { if ending.claim() { action() } }

  /// Drops the action, because the work has ended in another way.
  func cancel() { _ = ending.claim() }
}
