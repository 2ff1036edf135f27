import Foundation
import Heliograph

/// The figures of a transfer as text for people.
enum TransferText {
  /// Returns a size in decimal units, such as `34.5 MB`.
  static func bytes(_ count: Int) -> String {
    let (number, unit) = scaled(Double(count))
    return "\(number) \(unit)"
  }

  /// Returns a rate, such as `34.5 MB/s`.
  static func rate(_ bytesPerSecond: Double) -> String {
    let (number, unit) = scaled(bytesPerSecond)
    return "\(number) \(unit)/s"
  }

  /// Returns a time: `0.4 s`, `49 s`, `1:24` or `2:03:05`.
  static func time(_ duration: Duration) -> String {
    let seconds = max(0, duration / .seconds(1))
    if seconds < 10 { return String(format: "%.1f s", seconds) }
    return seconds < 60 ? "\(Int(seconds)) s" : clock(duration)
  }

  /// Returns a time in minutes and seconds, such as `0:49`, or `2:03:05`.
  static func clock(_ duration: Duration) -> String {
    let seconds = max(0, Int(min(duration / .seconds(1), 1e12).rounded(.up)))
    let (minutes, hours) = (seconds / 60 % 60, seconds / 3600)
    if hours > 99 { return "days" }
    return hours > 0
      ? String(format: "%d:%02d:%02d", hours, minutes, seconds % 60) : String(format: "%d:%02d", minutes, seconds % 60)
  }

  /// Returns fraction, bytes, rate and time left, as far as they are known.
  static func parts(of progress: TransferProgress) -> [String] {
    var parts: [String] = []
    if let total = progress.totalByteCount, let fraction = progress.fractionCompleted {
      parts.append("\(Int(fraction * 100))%")
      let (number, unit) = scaled(Double(progress.byteCount))
      let (whole, wholeUnit) = scaled(Double(total))
      parts.append(unit == wholeUnit ? "\(number) of \(whole) \(unit)" : "\(number) \(unit) of \(whole) \(wholeUnit)")
    } else {
      parts.append(bytes(progress.byteCount))
    }
    if let bytesPerSecond = progress.bytesPerSecond { parts.append(rate(bytesPerSecond)) }
    if let timeRemaining = progress.timeRemaining { parts.append("\(clock(timeRemaining)) left") }
    return parts
  }

  /// Returns the line at the end: what was done, bytes, time, rate, and where it was resumed.
  static func summary(_ deed: String, byteCount: Int, time: Duration, resumedAt offset: Int = 0) -> String {
    var text = "\(deed): \(bytes(byteCount)) in \(self.time(time))"
    let seconds = time / .seconds(1)
    if seconds > 0, byteCount > offset { text += ", \(rate(Double(byteCount - offset) / seconds))" }
    return offset > 0 ? text + ", resumed at \(bytes(offset))" : text
  }

  private static func scaled(_ number: Double) -> (number: String, unit: String) {
    var number = number
    var units = ["B", "kB", "MB", "GB", "TB", "PB"][...]
    // 999,950 would be rounded to 1000.0 kB.
    while number >= (units.first == "B" ? 1000 : 999.95), units.count > 1 {
      number /= 1000
      units.removeFirst()
    }
    let unit = units.first ?? ""
    return (unit == "B" ? "\(Int(number))" : String(format: "%.1f", number), unit)
  }
}
