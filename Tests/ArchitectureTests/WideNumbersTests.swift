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
    let (wide, large) = declarations(in: files)
    return files.flatMap { file in
      file.source.code.enumerated().compactMap { index, line in
        let text = message(for: line) ?? conversion(in: line, wide) ?? product(in: line, large)
        return text.map { file.violation(line: index, $0) }
      }
    }
  }

  /// The names of the files' properties of 64 bits, and those of their constants whose squares need more than 32.
  private static func declarations(in files: [SourceFile]) -> (wide: Set<String>, large: Set<String>) {
    var (wide, large) = (Set<String>(), Set<String>())
    for line in files.flatMap(\.source.code) where line.contains("let ") || line.contains("var ") {
      if let match = line.firstMatch(of: /\b(?:let|var) (\w+): (?:UInt64|Int64|Double|TimeInterval)\b/) {
        wide.insert(String(match.1))
      } else if let match = line.firstMatch(of: /\bstatic let (\w+) = ([0-9][0-9_]*)$/),
        (numbers(in: match.2).first ?? 0) > 46_340
      {
        large.insert(String(match.1))
      }
    }
    return (wide, large)
  }

  /// What is wrong with `Int(…)` or `UInt(…)` of a floating-point number, a product, or a property of 64 bits.
  private static func conversion(in line: String, _ wide: Set<String>) -> String? {
    guard line.contains("Int("), !marks.contains(where: { line.contains($0) }) else { return nil }
    for match in line.matches(of: /\bU?Int\(/) {
      var depth = 1
      let argument = line[match.range.upperBound...].prefix { character in
        depth += character == "(" ? 1 : character == ")" ? -1 : 0
        return depth > 0
      }
      if argument.starts(with: /\w+:/) { continue }
      let words = argument.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
      if argument.contains("Double(") || argument.contains(".rounded(") || argument.contains(" * ") {
        return "`Int(…)` of a product or a floating-point number: use `Int64`, or `Int(clamping:)`"
      }
      // The last name of a path decides: `head.byteCount` says nothing about `head`.
      if let last = words.last, wide.contains(last), words.count == 1 || argument.hasSuffix("." + last) {
        return "`Int(…)` of a number of 64 bits: use `Int(clamping:)` or `Int(exactly:)`"
      }
    }
    return nil
  }

  /// What is wrong with the product of a number and a large constant: only over `Int64` it has room.
  private static func product(in line: String, _ large: Set<String>) -> String? {
    guard line.contains(" * "), !line.contains("Int64"), !line.contains("Double(") else { return nil }
    for match in line.matches(of: /([\w.]+) \* ([\w.]+)/) {
      let names = [match.1, match.2].map { String($0.split(separator: ".").last ?? "") }
      let isLarge = names.contains { large.contains($0) }
      if isLarge, !names.contains(where: { $0.first?.isNumber == true }) {
        return "a product with a large constant: declare the constant as `Int64`"
      }
    }
    return nil
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
    "let gain = Int(seconds * rate * Double(token))", "let gain = Int(Double(count) / 2)",
    "let count = Int((late / interval).rounded(.up))",
    "let epoch: UInt64\nwriter.add(Int(bitPattern: UInt(variants.epoch)))",
    "let seconds: Double\nlet count = Int(seconds)",
    "static let token = 1_000_000\nlet reserve = reserveCount * Budget.token",
  ])
  func finds(text: String) {
    expectEqual(WideNumbers.violations(in: [SourceFile("Sources/Signals/A.swift", text)]).count, 1)
  }

  @Test(arguments: [
    "let a = 2_147_483_647", "let a: Int64 = 1_000_000_000_000", "// 1_000_000_000_000",
    "attoseconds / 1_000_000_000_000", "let a = 24 * 60 * 60 * 1_000", "let a = 1 << 30",
    "let a: Int64 = 1 << 40", "let a = \"4 * 1 << 40\"", "let sent = Int(clamping: task.countOfBytesSent)",
    "let a = Int64(status.st_size)", "let epoch: UInt64\nwriter.add(variants.epoch)",
    "let seconds: Double\nlet count = Int(clamping: seconds)", "let gain = Int64(seconds * Double(token))",
    "static let token: Int64 = 1_000_000\nlet reserve = Int64(reserveCount) * Budget.token",
    "static let width = 40_000\nlet area = width * height",
  ])
  func accepts(text: String) {
    expectNone(WideNumbers.violations(in: [SourceFile("Sources/Signals/A.swift", text)]))
  }
}
