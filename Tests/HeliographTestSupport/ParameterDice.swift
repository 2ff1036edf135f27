import Foundation
import Heliograph

/// Makes parameters from a seed that a failure names: the same in every run, but for `HELIOGRAPH_SEED=random` or a number.
package struct ParameterDice: RandomNumberGenerator {
  package let seed: UInt64
  private var state: UInt64

  package init(seed: UInt64? = nil) {
    let wanted = ProcessInfo.processInfo.environment["HELIOGRAPH_SEED"]
    self.seed = seed ?? (wanted == "random" ? .random(in: 0 ... .max) : wanted.flatMap { UInt64($0) } ?? 1)
    state = self.seed
  }

  /// SplitMix64.
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }

  package mutating func count(_ limit: Int) -> Int { Int.random(in: 0...limit, using: &self) }

  /// Any scalars, those that mean something to a parser more often; empty every now and then.
  package mutating func text(without excluded: String = "") -> String {
    let special = Array("&=+%[]%41%zz?#/;: .,\"\\\n\r\t\0\u{1}\u{1F}\u{7F}\u{2028}~*é😀👩‍👩‍👧\u{301}".unicodeScalars)
    var result = String.UnicodeScalarView()
    for _ in 0..<count(8) {
      let isSpecial = Bool.random(using: &self)
      let any = Unicode.Scalar(UInt32.random(in: 0...0x10_FFFF, using: &self))
      guard let scalar = isSpecial ? special.randomElement(using: &self) : any else { continue }
      if !excluded.unicodeScalars.contains(scalar) { result.append(scalar) }
    }
    return String(result)
  }

  package mutating func pairs() -> [ParameterPair] {
    (0..<count(5)).map { _ in ParameterPair(text(), text()) }
  }

  /// An object whose arrays and objects are nested up to some levels.
  package mutating func object(levels: Int, namesWithout excluded: String = "") -> ParameterObject {
    var object = ParameterObject()
    for _ in 0..<count(5) {
      object[text(without: excluded)] = value(levels: levels, namesWithout: excluded)
    }
    return object
  }

  private mutating func value(levels: Int, namesWithout excluded: String) -> ParameterValue {
    switch count(levels > 0 ? 9 : 7) {
    case 0: .null
    case 1: .bool(Bool.random(using: &self))
    case 2: .integer(Int64(bitPattern: next()) >> Int64(count(63)))
    case 3: .unsigned(next())
    case 4: .number(number())
    case 5: .data(Data((0..<count(9)).map { _ in UInt8(truncatingIfNeeded: next()) }))
    case 6: .date(Date(timeIntervalSince1970: Double(Int.random(in: 0..<4_000_000_000_000, using: &self)) / 1_000))
    case 7: .string(text())
    case 8: .array((0..<count(4)).map { _ in value(levels: levels - 1, namesWithout: excluded) })
    default: .object(object(levels: levels - 1, namesWithout: excluded))
    }
  }

  /// Any finite number, of all sizes.
  private mutating func number() -> Double {
    let number = Double(bitPattern: next())
    return number.isFinite ? number : 0.5
  }
}
