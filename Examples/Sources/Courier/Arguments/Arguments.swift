import Foundation
import Heliograph

/// The parsed arguments of a command.
struct Arguments: Sendable {
  var operands: [String] = []
  private var values: [String: [String]] = [:]

  mutating func add(_ value: String, for option: Option) { values[option.name, default: []].append(value) }

  func has(_ option: Option) -> Bool { values[option.name] != nil }

  func values(of option: Option) -> [String] { values[option.name] ?? [] }

  /// The last value of an option, which replaces earlier ones.
  func value(of option: Option) -> String? { values[option.name]?.last }

  /// An operand; the parser has checked their number.
  func operand(_ index: Int) -> String { operands.indices.contains(index) ? operands[index] : "" }
}

/// Values of a type.
extension Arguments {
  /// Returns a number that is not negative.
  func count(of option: Option) throws(Failure) -> Int? {
    guard let text = value(of: option) else { return nil }
    guard let count = Int(text), count >= 0 else { throw .invalid(text, option, "a whole number such as 3") }
    return count
  }

  /// Returns a time in seconds that is more than zero.
  func seconds(of option: Option) throws(Failure) -> Duration? {
    guard let text = value(of: option) else { return nil }
    guard let seconds = Double(text), seconds > 0, seconds < 1e9 else {
      throw .invalid(text, option, "seconds such as 10 or 0.5")
    }
    return .seconds(seconds)
  }

  /// Returns a number of bytes with an optional unit, of 1,024.
  func byteCount(of option: Option) throws(Failure) -> Int? {
    guard let text = value(of: option) else { return nil }
    let units: [Character: Int] = ["k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40]
    let unit = text.lowercased().last.flatMap { units[$0] }
    let digits = unit == nil ? text[...] : text.dropLast()
    guard let number = Int(digits), number >= 0 else { throw .invalid(text, option, "a size such as 500k, 20M or 4G") }
    let (count, overflows) = number.multipliedReportingOverflow(by: unit ?? 1)
    guard !overflows else { throw .invalid(text, option, "a smaller size") }
    return count
  }

  /// Returns a SHA-256 digest.
  func digest(of option: Option) throws(Failure) -> String? {
    guard let text = value(of: option) else { return nil }
    guard text.utf8.count == 64, text.allSatisfy(\.isHexDigit) else {
      throw .invalid(text, option, "64 hexadecimal digits, as sha256sum prints them")
    }
    return text
  }

  /// Returns names and values, split at the first `=`.
  func pairs(of option: Option) throws(Failure) -> [(name: String, value: String)] {
    var pairs: [(name: String, value: String)] = []
    for text in values(of: option) {
      guard let mark = text.firstIndex(of: "="), mark > text.startIndex else {
        throw .invalid(text, option, "a field such as title=Lamp")
      }
      pairs.append((String(text[..<mark]), String(text[text.index(after: mark)...])))
    }
    return pairs
  }
}
