import TestSupport
import Testing

/// What an `Int` of 32 bits, as watches have, has no room for: numbers, products and shifts, and bare conversions of 64 bits.
///
/// The compiler cannot say it: the toolchain for Linux has no standard library with 32 bits that these sources could use.
enum WideNumbers {
  /// What tells that a line counts with 64 bits: the parts of a duration have them.
  static let marks = ["Int64", "attoseconds", "limit", "integer.magnitude"]

  /// Properties of 64 bits on every system, of Foundation and Dispatch: `Int(…)` of them stops the program on a watch.
  static let wideProperties = [
    "uptimeNanoseconds", "totalBytesSent", "totalBytesExpectedToSend", "countOfBytes", "expectedContentLength",
    "totalUnitCount", "completedUnitCount", "st_size", "fileSize",
  ]

  static func violations(in files: [SourceFile]) -> [Violation] {
    files.flatMap { file in
      file.source.code.enumerated().compactMap { index, line in
        message(for: line).map { file.violation(line: index, $0) }
      }
    }
  }

  /// What is wrong with a line of code, if anything is.
  private static func message(for line: String) -> String? {
    // Most lines have neither a number nor a conversion; the rest of this is slow.
    guard line.utf8.contains(where: { $0 >= 0x30 && $0 <= 0x39 }) || line.contains("Int(") else { return nil }
    let isMarked = marks.contains { line.contains($0) }
    if !isMarked, numbers(in: line[...]).contains(where: { $0 > Int64(Int32.max) }) {
      return "a number that an `Int` of 32 bits has no room for"
    }
    if !isMarked, constants(in: line).contains(where: { $0 > Int64(Int32.max) }) {
      return "a product or shift that an `Int` of 32 bits has no room for"
    }
    if line.contains(".nanoseconds(Int("), !isMarked {
      return "`.nanoseconds(Int(…))`: 32 bits of nanoseconds are two seconds; use `Int64`, or `.milliseconds`"
    }
    guard let start = line.firstRange(of: " Int(") ?? line.firstRange(of: "(Int(") else { return nil }
    let argument = line[start.upperBound...].prefix { $0 != ")" }
    guard !argument.contains(":"), wideProperties.contains(where: { argument.contains($0) }) else { return nil }
    return "`Int(…)` of a number of 64 bits: `Int(clamping:)` does not stop the program on a watch"
  }

  /// The values of the products, shifts and sums of plain numbers in a line, from left to right.
  private static func constants(in line: String) -> [Int64] {
    guard line.contains(" * ") || line.contains("<< ") else { return [] }
    return line.matches(of: /\b[0-9][0-9_]*(?: (?:\*|<<|&<<) [0-9][0-9_]*)+\b/).map { match in
      var parts = match.output.split(separator: " ")[...]
      var value = numbers(in: parts.removeFirst()).first ?? 0
      while parts.count > 1 {
        let sign = parts.removeFirst()
        let next = numbers(in: parts.removeFirst()).first ?? 0
        if sign == "*" {
          let (product, isTooLarge) = value.multipliedReportingOverflow(by: next)
          value = isTooLarge ? .max : product
        } else {
          value = next < 63 && value <= Int64.max >> next ? value << next : .max
        }
      }
      return value
    }
  }

  private static func numbers(in code: Substring) -> [Int64] {
    code.split { !($0.isNumber || $0.isLetter || $0 == "_") }.compactMap { word in
      // Hexadecimal numbers are those of hashes, whose type has so many bits.
      Int64(word.replacing("_", with: ""))
    }
  }
}

struct WideNumbersTests {
  @Test func numbersFitIntoAWatch() throws {
    expectNone(WideNumbers.violations(in: try Project.files(in: "Sources")))
  }

  @Test(arguments: [
    "let a = 1_000_000_000_000", "guard b < 2_147_483_648 else { return }",
    "let day = 24 * 60 * 60 * 1_000_000", "let a = 1 << 31", "let a = 4 * 1 << 40", "let a = 3 << 64",
    "let delay = .nanoseconds(Int(clamping: count)) + .nanoseconds(Int(seconds * factor))",
    "let sent = Int(task.countOfBytesSent)", "report(Int(status.st_size))",
  ])
  func finds(text: String) {
    expectEqual(WideNumbers.violations(in: [SourceFile("Sources/Signals/A.swift", text)]).count, 1)
  }

  @Test(arguments: [
    "let a = 2_147_483_647", "let a: Int64 = 1_000_000_000_000", "// 1_000_000_000_000",
    "attoseconds / 1_000_000_000_000", "let a = 24 * 60 * 60 * 1_000", "let a = 1 << 30",
    "let a: Int64 = 1 << 40", "let a = \"4 * 1 << 40\"", "let sent = Int(clamping: task.countOfBytesSent)",
    "let a = Int64(status.st_size)",
  ])
  func accepts(text: String) {
    expectNone(WideNumbers.violations(in: [SourceFile("Sources/Signals/A.swift", text)]))
  }
}
