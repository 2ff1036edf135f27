/// How far an input of a stage with several has come.
enum InputPhase: Sendable {
  case running
  case completed
  case abandoned
  case unreachable

  /// Whether it has ended: one that is unreachable has not.
  var isDone: Bool { self == .completed || self == .abandoned }
}
