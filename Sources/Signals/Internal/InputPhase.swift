/// How far an input of a stage with several has come.
enum InputPhase: Sendable {
  case running
  case completed
  case abandoned
}
