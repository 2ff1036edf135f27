public import Foundation

/// What a server says in `Retry-After`: how long to leave it alone, or until when.
///
/// RFC 9110 §10.2.3.
public enum RetryAfter: Sendable, Hashable {
  /// So long from the response on.
  case delay(Duration)
  /// Until then.
  case date(Date)

  /// Reads the field's value.
  ///
  /// - Parameter text: a number of seconds, or a date in one of the three forms of RFC 9110 §5.6.7; read as leniently as the
  ///   date of a cookie. `nil` comes of anything else, such as a fraction or a negative number.
  public init?(_ text: String) {
    let text = text.trimmingCharacters(in: .whitespaces)
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      // What does not fit is long enough all the same.
      self = .delay(.seconds(Int(text) ?? .max))
    } else if let date = CookieDate.read(text) {
      self = .date(date)
    } else {
      return nil
    }
  }

  /// How long to wait from an instant on; zero for a date that has passed.
  ///
  /// - Parameter now: the instant, by the clock that the date was taken from.
  /// - Returns: the time to wait.
  public func delay(from now: Date) -> Duration {
    switch self {
    case .delay(let delay): delay
    case .date(let date): max(.zero, .seconds(date.timeIntervalSince(now)))
    }
  }

  /// How long a response asks to wait; `nil` if it does not say so.
  ///
  /// A date is compared with the response's own `Date`, so that a device whose clock is wrong waits no longer than others.
  /// - Parameters:
  ///   - head: the response's head.
  ///   - wallClock: tells the time where the response does not. Default: the device's clock.
  /// - Returns: the time to wait.
  public static func delay(in head: HTTPResponse, wallClock: () -> Date = { Date() }) -> Duration? {
    guard let field = head.headers.values(for: "Retry-After").first, let resolved = RetryAfter(field) else {
      return nil
    }
    guard case .date = resolved else { return resolved.delay(from: .distantPast) }
    return resolved.delay(from: head.headers.values(for: "Date").first.flatMap(CookieDate.read) ?? wallClock())
  }
}
