import Foundation
import Heliograph

typealias Field = HTTPHeaders.Field

enum Laws {
  /// The first law of `Hashable` that three values break, if any.
  static func broken<Value: Hashable>(by left: Value, _ middle: Value, _ right: Value) -> String? {
    let all = [left, middle, right]
    for one in all {
      if one != one { return "\(one) is not equal to itself" }
      for other in all {
        if (one == other) != (other == one) { return "\(one) and \(other): == is not symmetric" }
        if (one == other) == (one != other) { return "\(one) and \(other): == and != agree" }
        if one == other && one.hashValue != other.hashValue { return "\(one) and \(other): equal, hashed apart" }
        if (Set([one, other]).count == 1) != (one == other) { return "\(one) and \(other): a set differs from ==" }
        for third in all where one == other && other == third && one != third {
          return "\(one), \(other) and \(third): == is not transitive"
        }
      }
    }
    return nil
  }
}

/// Makes values from a seed that a failure names: the same in every run, but for `HELIOGRAPH_SEED=random` or a number.
struct Pick: RandomNumberGenerator {
  let seed: UInt64
  private var state: UInt64

  init(seed: UInt64? = nil) {
    let wanted = ProcessInfo.processInfo.environment["HELIOGRAPH_SEED"]
    self.seed = seed ?? (wanted == "random" ? .random(in: 0 ... .max) : wanted.flatMap { UInt64($0) } ?? 1)
    state = self.seed
  }

  /// SplitMix64.
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }

  mutating func one<Value>(of values: [Value]) -> Value { values[Int.random(in: values.indices, using: &self)] }

  /// The same name, with some of its ASCII letters in the other case.
  mutating func cased(_ name: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in name.unicodeScalars {
      let isLetter = scalar.isASCII && scalar.properties.isAlphabetic
      let flipped = isLetter ? Unicode.Scalar(scalar.value ^ 0x20) : nil
      result.append(Bool.random(using: &self) ? flipped ?? scalar : scalar)
    }
    return String(result)
  }

  mutating func field() -> Field {
    let name = cased(one(of: ["accept", "x-a", "set-cookie", "é", "e\u{301}", ""]))
    return Field(name: name, value: one(of: ["", "1", "2", "A", "a", "é", "e\u{301}"]))
  }

  mutating func headers() -> HTTPHeaders {
    HTTPHeaders((0..<Int.random(in: 0...3, using: &self)).map { _ in field() })
  }

  /// Equal headers: other cases, another order between names, the same order of the values of one name.
  mutating func shuffled(_ headers: HTTPHeaders) -> HTTPHeaders {
    var fields = headers.map { Field(name: cased($0.name), value: $0.value) }
    for _ in 0..<8 where fields.count > 1 {
      let position = Int.random(in: 1..<fields.count, using: &self)
      if fields[position].name.utf8.elementsEqual(fields[position - 1].name.utf8) { continue }
      if fields[position].name.lowercased() != fields[position - 1].name.lowercased() {
        fields.swapAt(position, position - 1)
      }
    }
    return HTTPHeaders(fields)
  }

  mutating func url() -> URL {
    one(of: ["https://a.example/", "https://a.example/b?c=d", "http://a.example:80/"].compactMap { URL(string: $0) })
  }

  mutating func request() -> HTTPRequest {
    HTTPRequest(
      method: one(of: [.get, .post]), url: url(), headers: headers(),
      body: one(of: [.empty, .data(Data()), .data(Data([1]))]),
      idleTimeout: one(of: [.seconds(1), .milliseconds(1_000)]),
      priority: one(of: [.normal, .high]))
  }

  /// Text of any scalars, those that mean something in an address more often.
  mutating func text() -> String {
    var result = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 0...12, using: &self) {
      let special = Array("&=+%?#/;: \"\\\n\r\t\0~é😀".unicodeScalars)
      let scalar =
        Bool.random(using: &self)
        ? one(of: special) : Unicode.Scalar(UInt32.random(in: 0...0x10_FFFF, using: &self))
      if let scalar { result.append(scalar) }
    }
    return String(result)
  }
}
