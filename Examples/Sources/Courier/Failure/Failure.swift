import Heliograph

/// What ends a command: an exit code, what happened, and what to do.
struct Failure: Error {
  let code: ExitCode
  /// What happened; empty for a failure that needs no words.
  let summary: String
  let advice: String

  init(_ code: ExitCode, _ summary: String = "", _ advice: String = "") {
    (self.code, self.summary, self.advice) = (code, summary, advice)
  }

  /// The line for the user; `nil` if there is nothing to say.
  var text: String? {
    if summary.isEmpty { return nil }
    return advice.isEmpty ? summary : "\(summary): \(advice)"
  }

  static func usage(_ summary: String, _ advice: String) -> Failure { Failure(.usage, summary, advice) }

  static func invalid(_ value: String, _ option: Option, _ expected: String) -> Failure {
    .usage("invalid value '\(value)' for --\(option.name)", "expected \(expected)")
  }

  /// Creates the failure for whatever a command has thrown.
  init(_ error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let error as NetworkError: self.init(error)
    case is CancellationError: self.init(.interrupted, "interrupted")
    default: self.init(.failure, "\(error)")
    }
  }
}
