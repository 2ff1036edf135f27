import Heliograph

/// The parser of `application/x-www-form-urlencoded` step by step as the URL standard has it (§5.1); strict about UTF-8.
package enum FormParser {
  package static func parse(_ bytes: [UInt8]) -> [ParameterPair]? {
    var output: [ParameterPair] = []
    for sequence in bytes.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: true) {
      let parts = sequence.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = text(parts[0]), let value = text(parts.count > 1 ? parts[1] : []) else { return nil }
      output.append(ParameterPair(name, value))
    }
    return output
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
    let spaced = bytes.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
    return String(validating: percentDecoded(spaced), as: UTF8.self)
  }

  /// §1.3: a percent sign that two hexadecimal digits do not follow stays.
  package static func percentDecoded(_ input: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    var index = 0
    while index < input.count {
      if input[index] == UInt8(ascii: "%"), index + 2 < input.count, let high = digit(input[index + 1]),
        let low = digit(input[index + 2])
      {
        output.append(high << 4 | low)
        index += 3
      } else {
        output.append(input[index])
        index += 1
      }
    }
    return output
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}
