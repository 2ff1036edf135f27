#if canImport(os)
import Foundation
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
  ///   - logger: The log. Default: the main bundle's identifier as the subsystem, category `network`.
  ///   - level: The amount of output. Default: ``ConsoleMonitor/Level/requests``.
  public init(
    _ logger: Logger? = nil, level: ConsoleMonitor.Level = .requests
  ) {
    self.logger = logger ?? Logger(subsystem: Bundle.main.bundleIdentifier ?? "Heliograph", category: "network")
    self.level = level
  }

  /// Logs the text of an event.
  public func observe(_ event: MonitorEvent) {
    guard let text = event.text(level) else { return }
    // The system truncates messages at about a kilobyte.
    for part in text.parts(of: 900) {
      if event.isProblem {
        logger.error("\(part, privacy: .public)")
      } else {
        logger.debug("\(part, privacy: .public)")
      }
    }
  }
}
#endif
