import Foundation

/// Watches what a client does.
///
/// It gets copies and can change nothing.
public protocol Monitor: Sendable {
  /// Called for each thing that happens, on the thread where it happened; it should return soon.
  func observe(_ event: MonitorEvent)
}

/// What a monitor is told.
public enum MonitorEvent: Sendable {
  /// A subscription sends a request.
  case started(HTTPRequest)
  /// A response has come, of any status.
  case responded(HTTPRequest, HTTPResponse, bodyByteCount: Int)
  /// A subscription ended with an error.
  case failed(NetworkError)
  /// Something about the client that its developer should know; told once, when the client is made.
  case notice(String)
}

/// Prints a line for each event; a response as `URL => status`.
///
/// Requirement S2-21.
public struct ConsoleMonitor: Monitor {
  private let write: @Sendable (String) -> Void

  /// Makes the monitor.
  ///
  /// - Parameter write: where the lines go. Default: standard output.
  public init(write: @escaping @Sendable (String) -> Void = { print($0) }) {
    self.write = write
  }

  /// Writes the event's line.
  ///
  /// Queries, header fields and bodies are left out: they may hold secrets.
  public func observe(_ event: MonitorEvent) {
    switch event {
    case .started(let request): write("\(request)")
    case .responded(let request, let head, _): write("\(request.url.redacted) => \(head.statusCode)")
    case .failed(let error): write("\(error)")
    case .notice(let text): write(text.singleLine)
    }
  }
}
