/// A monitor that prints a client's requests and responses.
///
/// Secrets are redacted at every level: values of ``HTTPHeaders/secretNames``, user names and passwords in URLs, and
/// query items, form fields and JSON members with names such as `token` or `password`, and JSON Web Tokens. Bodies are
/// shown if they are forms by their content type or, whatever that is, JSON, JSON lines or server-sent events with
/// JSON; of all others, and of a lone JSON string or number, only the size is shown.
public struct ConsoleMonitor: Monitor {
  /// The amount of output, from failures alone to whole bodies.
  public enum Level: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// One line for each failed request and each notice.
    case errors
    /// In addition, one line for each attempt, cache event, wait for a network, delivered value and cancellation, without
    /// queries.
    case requests
    /// In addition, the `curl` command of each attempt without its body, and the header fields of each response
    /// received as a whole.
    case headers
    /// In addition, the bodies, up to 4 KiB each; a `curl` command with its body is cut at 4 KiB. Of a request's body of
    /// more than 64 KiB, and of a response's of more than 1 MiB, only the size is shown.
    case bodies

    /// Returns whether a level has less output than another.
    public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
  }

  /// The amount of output.
  public let level: Level
  private let write: @Sendable (String) -> Void

  /// Creates a monitor with an amount of output.
  ///
  /// - Parameters:
  ///   - level: The amount of output. Default: ``Level/requests``.
  ///   - write: Writes one or more lines of text, on the thread of the event, so on several threads at once.
  ///     Default: to standard output.
  public init(level: Level = .requests, write: @escaping @Sendable (String) -> Void = { print($0) }) {
    self.level = level
    self.write = write
  }

  /// Writes the text of an event.
  public func observe(_ event: MonitorEvent) {
    if let text = event.text(level) { write(text) }
  }
}
