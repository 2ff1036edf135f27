package import Foundation

/// The value of a `Retry-After` field: the delay requested by a server.
///
/// RFC 9110 §10.2.3.
package enum RetryAfter: Sendable, Hashable {
  /// A delay, counted from the response.
  case delay(Duration)
  /// The end of the delay.
  case date(Date)

  /// Parses the value of the field.
  ///
  /// - Parameter text: A number of seconds, or a date in one of the three formats of RFC 9110 §5.6.7 or an unambiguous
  ///   variant of them. The result is `nil` for anything else, such as a fraction or a negative number.
  package init?(_ text: String) {
    let text = text.trimmingCharacters(in: .whitespaces)
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      // A number that overflows exceeds every limit anyway.
      self = .delay(.seconds(Int(text) ?? .max))
    } else if let date = HTTPDate.parse(text) {
      self = .date(date)
    } else {
      return nil
    }
  }

  /// Returns the delay from an instant on; zero if the date has passed.
  ///
  /// - Parameter now: The instant, by the clock to which the date refers.
  /// - Returns: The delay.
  package func delay(from now: Date) -> Duration {
    switch self {
    case .delay(let delay): delay
    case .date(let date): max(.zero, .seconds(date.timeIntervalSince(now)))
    }
  }

  /// Returns the delay that a response requests; `nil` if it requests none.
  ///
  /// A date is compared with the response's own `Date` field, so that a wrong device clock does not prolong the delay.
  /// - Parameters:
  ///   - head: The head of the response.
  ///   - wallClock: The clock used if the response has no `Date` field. Default: the device's.
  /// - Returns: The delay.
  package static func delay(in head: HTTPResponse, wallClock: () -> Date = { Date() }) -> Duration? {
    guard let field = head.headers.values(for: "Retry-After").first, let resolved = RetryAfter(field) else {
      return nil
    }
    guard case .date = resolved else { return resolved.delay(from: .distantPast) }
    return resolved.delay(from: head.headers.values(for: "Date").first.flatMap { HTTPDate.parse($0) } ?? wallClock())
  }
}
