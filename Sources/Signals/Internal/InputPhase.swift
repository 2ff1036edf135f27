/// The phase of one input of a multi-input stage.
enum InputPhase: Sendable {
  case running
  case completed
  case abandoned
  case unreachable

  /// Whether the input has terminated; an unreachable input has not.
  var isDone: Bool { self == .completed || self == .abandoned }
}
