#if canImport(os)
public import os

/// A monitor that writes to the unified logging system of Apple's platforms.
///
/// Failures and notices are logged as errors, everything else as debug messages. Messages are public, because secrets are
/// redacted; see ``ConsoleMonitor``.
public struct OSLogMonitor: Monitor {
  private let level: ConsoleMonitor.Level
  private let logger: Logger

  /// Creates the monitor.
  ///
  /// - Parameters:
  ///   - logger: The log. Default: subsystem `Heliograph`, category `network`.
  ///   - level: The amount of output. Default: ``ConsoleMonitor/Level/requests``.
  public init(
    _ logger: Logger = Logger(subsystem: "Heliograph", category: "network"), level: ConsoleMonitor.Level = .requests
  ) {
    self.logger = logger
    self.level = level
  }

  /// Logs the text of an event.
  public func observe(_ event: MonitorEvent) {
    guard let text = event.text(level) else { return }
    if event.isProblem { logger.error("\(text, privacy: .public)") } else { logger.debug("\(text, privacy: .public)") }
  }
}
#endif
