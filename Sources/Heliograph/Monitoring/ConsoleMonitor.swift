/// A monitor that prints a line for each attempt, value and failure; a value as `URL => status`.
///
/// Queries, header fields and bodies are left out: they may hold secrets.
public struct ConsoleMonitor: Monitor {
  private let write: @Sendable (String) -> Void

  /// Makes the monitor.
  ///
  /// - Parameter write: where the lines go. Default: standard output.
  public init(write: @escaping @Sendable (String) -> Void = { print($0) }) {
    self.write = write
  }

  /// Writes the event's line.
  public func observe(_ event: MonitorEvent) {
    switch event {
    case .sent(let request): write("\(request) (request \(request.id), attempt \(request.attempt))")
    case .delivered(_, let response): write("\(response.url.redacted) => \(response.statusCode)")
    case .ended(let report):
      switch report.outcome {
      case .succeeded: break
      case .failed(let error): write("\(error)")
      case .cancelled: write("request \(report.id) was cancelled after \(report.duration)")
      }
    case .notice(let text): write(text)
    case .started, .responded, .attemptEnded: break
    }
  }
}
