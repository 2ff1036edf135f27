#if canImport(os)
import Foundation
public import os

/// A monitor that writes to the unified logging system of Apple's platforms, and marks attempts as signpost intervals
/// for Instruments.
///
/// Failures and notices are logged as errors, everything else as debug messages. Messages are public, because secrets
/// are redacted; see ``ConsoleMonitor``. Each sent attempt is a signpost interval named `attempt`, in the same
/// subsystem and category, at every level; its text contains its trace ID, if any.
public struct OSLogMonitor: Monitor {
  private let level: ConsoleMonitor.Level
  private let logger: Logger
  private let signposter: OSSignposter

  /// Creates a monitor that writes to a logger.
  ///
  /// - Parameters:
  ///   - logger: The logger. Default: the main bundle's identifier as the subsystem, `network` as the category.
  ///   - level: The amount of output. Default: ``ConsoleMonitor/Level/requests``.
  public init(
    _ logger: Logger? = nil, level: ConsoleMonitor.Level = .requests
  ) {
    self.logger = logger ?? Logger(subsystem: Bundle.main.bundleIdentifier ?? "Heliograph", category: "network")
    signposter = OSSignposter(logger: self.logger)
    self.level = level
  }

  /// Logs the text of an event, and begins or ends the interval of an attempt.
  public func observe(_ event: MonitorEvent) {
    mark(event)
    guard let text = event.text(level) else { return }
    // The system truncates messages at about a kilobyte.
    for chunk in text.chunks(of: 900) {
      if event.isProblem {
        logger.error("\(chunk, privacy: .public)")
      } else {
        logger.debug("\(chunk, privacy: .public)")
      }
    }
  }

  private func mark(_ event: MonitorEvent) {
    guard signposter.isEnabled else { return }
    switch event {
    case .sent(let request):
      let text = request.traceContext.map { "\(request), trace \($0.traceID)" } ?? "\(request)"
      _ = signposter.beginInterval("attempt", id: request.signpostID, "\(text, privacy: .public)")
    case .attemptEnded(let report) where report.wasSent:
      guard let request = report.request else { return }
      // Recreated from the ID, so that no table of intervals is needed.
      let interval = OSSignpostIntervalState.beginState(id: request.signpostID)
      signposter.endInterval("attempt", interval, "\(report.description, privacy: .public)")
    default: break
    }
  }
}

extension MonitorEvent {
  /// Whether the event is a failure or a notice for the developer.
  fileprivate var isProblem: Bool {
    switch self {
    case .ended(let report): report.error != nil
    case .notice: true
    default: false
    }
  }
}

extension HTTPRequest {
  /// The ID of the attempt's interval, unique in the process.
  fileprivate var signpostID: OSSignpostID {
    OSSignpostID(id.rawValue << 16 | UInt64(UInt16(truncatingIfNeeded: attempt)))
  }
}
#endif
