import Heliograph

/// The progress of one transfer: a bar on a terminal, or else a line every few seconds.
struct ProgressMeter {
  private let title: String
  private let console: Console
  private let interval: Duration
  private var lastLineAt = ContinuousClock.now
  /// The number of bytes shown last.
  private(set) var byteCount = 0

  /// Creates a meter.
  ///
  /// - Parameters:
  ///   - title: the name of what is transferred.
  ///   - console: the place for the bar or the lines.
  ///   - interval: the time between two lines. Default: 5 seconds.
  init(_ title: String, on console: Console, every interval: Duration = .seconds(5)) {
    (self.title, self.console, self.interval) = (title, console, interval)
  }

  /// Shows progress.
  mutating func show(_ progress: TransferProgress) {
    byteCount = progress.byteCount
    if let columns = console.columns {
      console.update(ProgressBar(title, progress).text(columns: columns))
    } else if .now - lastLineAt >= interval {
      lastLineAt = .now
      console.note("\(title): \(TransferText.parts(of: progress).joined(separator: ", "))")
    }
  }
}
