import Foundation

/// The placeholders in the texts of a case.
///
/// | text | meaning |
/// |---|---|
/// | `{now}`, `{now+60}`, `{now-60}` | the time of the case's clock with an offset in seconds, as an IMF-fixdate |
/// | `{start}`, `{start+60}`, `{start-60}` | the same from the start of the case |
/// | `{now+60 rfc850}`, `{now+60 asctime}` | the same in the obsolete formats (RFC 9110 §5.6.7) |
/// | `{path}` | the path of the case |
/// | `{origin}`, `{second}` | the URL of the server, and of a second server, without a trailing slash |
///
/// All other braces stay as they are.
struct Placeholders: Sendable {
  let start: Date
  let now: Date
  let path: String
  let origin: String
  let second: String

  func expand(_ text: String) -> String {
    guard text.contains("{") else { return text }
    let pattern = /\{(now|start)([+-][0-9]+)?(?: (rfc850|asctime))?\}/
    return text.replacing(pattern) { match in
      let offset = match.output.2.flatMap { TimeInterval($0) } ?? 0
      let date = (match.output.1 == "now" ? now : start).addingTimeInterval(offset)
      return HTTPDate(date).text(match.output.3.map(String.init))
    }
    .replacing("{path}", with: path).replacing("{origin}", with: origin).replacing("{second}", with: second)
  }
}

/// A time in the formats of RFC 9110 §5.6.7.
private struct HTTPDate {
  private let parts: DateComponents

  init(_ date: Date) {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    parts = calendar.dateComponents([.year, .month, .day, .weekday, .hour, .minute, .second], from: date)
  }

  func text(_ format: String?) -> String {
    let time = [parts.hour, parts.minute, parts.second].map { Self.padded($0, 2) }.joined(separator: ":")
    let weekday = Self.weekdays[(parts.weekday ?? 1) - 1]
    let month = Self.months[(parts.month ?? 1) - 1]
    let year = Self.padded(parts.year, 4)
    switch format {
    case "rfc850": return "\(weekday), \(Self.padded(parts.day, 2))-\(month)-\(year.suffix(2)) \(time) GMT"
    case "asctime":
      return "\(weekday.prefix(3)) \(month) \(Self.padded(parts.day, 2, with: " ")) \(time) \(year)"
    default: return "\(weekday.prefix(3)), \(Self.padded(parts.day, 2)) \(month) \(year) \(time) GMT"
    }
  }

  private static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  private static func padded(_ number: Int?, _ width: Int, with filler: String = "0") -> String {
    let digits = "\(number ?? 0)"
    return String(repeating: filler, count: max(0, width - digits.count)) + digits
  }
}
