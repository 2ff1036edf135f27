import HeliographTesting
import Signals
import SignalsTestSupport

/// A composition of operators over numbers, as data: the library and the reference both make one signal of it.
indirect enum Tree: Sendable {
  case leaf(Leaf)
  case unary(Unary, Tree)
  case binary(Binary, Tree, Tree)

  enum Leaf: Sendable {
    /// One of the sources that the script feeds.
    case source(Int)
    case just(Int)
    case from([Int])
    case empty
    case never
    case fail
    /// Sends 7 after so many microseconds.
    case timer(Int)
  }

  enum Unary: Sendable {
    case map(Int)
    case filter
    case compactMap
    case tryMap
    case mapError
    case scan
    case reduce
    case collect
    case materialize
    case dematerialize
    case take(Int)
    case takeWhile(Int)
    case first
    case last
    case skip(Int)
    case distinct
    case ifEmpty
    case prepend
    case on
    case deferred
    case retry(Int)
    case retryAfter(Int, delay: Int)
    case flatMapJust(Flattening)
    case flatMapPair(Flattening)
    case delay(Int)
    case debounce(Int)
    case throttle(Int)
    case timeout(Int)
    case observe
    case subscribe
  }

  enum Binary: Sendable {
    case merge
    case concat
    case then
    case zip
    case combineLatest
    case withLatest
    case takeUntil
    case `catch`
    /// The second signal for each value of the first.
    case flatMap(Flattening)
  }

  enum Flattening: String, Sendable, CaseIterable, CustomStringConvertible {
    case merge
    case mergeTwo
    case concat
    case latest
    case exhaust

    var description: String { rawValue }
  }

  /// The same tree with one operator less, each way.
  var simplified: [Tree] {
    switch self {
    case .leaf: []
    case .unary(let operation, let child): [child] + child.simplified.map { .unary(operation, $0) }
    case .binary(let operation, let left, let right):
      [left, right] + left.simplified.map { .binary(operation, $0, right) }
        + right.simplified.map { .binary(operation, left, $0) }
    }
  }
}

extension Tree: CustomStringConvertible {
  var description: String {
    switch self {
    case .leaf(let leaf): "\(leaf)"
    case .unary(let operation, let child): "\(child).\(operation)"
    case .binary(let operation, let left, let right): "\(operation)(\(left), \(right))"
    }
  }
}

/// The functions that both sides apply to numbers.
enum Arithmetic {
  static func mapped(_ value: Int, _ addend: Int) -> Int { (value * 3 + addend) % 1000 }
  static func joined(_ left: Int, _ right: Int) -> Int { (left * 7 + right) % 1000 }
  static func passes(_ value: Int) -> Bool { value % 3 != 1 }
  static func isRefused(_ value: Int) -> Bool { value % 13 == 4 }
  static func isSame(_ left: Int, _ right: Int) -> Bool { left % 2 == right % 2 }
  static func collected(_ values: [Int]) -> Int { values.reduce(values.count, joined) }

  static func mapped(_ fault: Fault) -> Fault {
    switch fault {
    case .broken: .number(1)
    case .late: .number(2)
    case .number(let number): .number(number + 10)
    }
  }
}

/// Random numbers that are the same for the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
}

extension Tree {
  static let sourceCount = 3

  /// A random tree of at most `size` operators and leaves.
  static func random(_ size: Int, _ random: inout SeededGenerator) -> Tree {
    if size <= 1 || random.number(1...20) == 1 { return .leaf(randomLeaf(&random)) }
    if size == 2 || random.number(1...2) == 1 {
      return .unary(randomUnary(&random), .random(size - 1, &random))
    }
    let left = random.number(1...size - 2)
    return .binary(randomBinary(&random), .random(left, &random), .random(size - 1 - left, &random))
  }

  private static func randomLeaf(_ random: inout SeededGenerator) -> Leaf {
    switch random.number(1...40) {
    case 1...30: .source(random.number(0...sourceCount - 1))
    case 31...32: .just(random.number(0...9))
    case 33...36: .from((0...random.number(0...3)).map { _ in random.number(0...9) })
    case 37: .empty
    case 38: .never
    case 39: .fail
    default: .timer(microseconds(&random))
    }
  }

  private static func randomUnary(_ random: inout SeededGenerator) -> Unary {
    switch random.number(1...30) {
    case 1: .map(random.number(0...9))
    case 2: .filter
    case 3: .compactMap
    case 4: .tryMap
    case 5: .mapError
    case 6: .scan
    case 7: .reduce
    case 8: .collect
    case 9: .materialize
    case 10: .dematerialize
    case 11: .take(random.number(0...4))
    case 12: .takeWhile(random.number(500...990))
    case 13: .first
    case 14: .last
    case 15: .skip(random.number(0...2))
    case 16: .distinct
    case 17: .ifEmpty
    case 18: .prepend
    case 19: .on
    case 20: .deferred
    case 21: .retry(random.number(0...2))
    case 22: .retryAfter(random.number(0...2), delay: microseconds(&random))
    case 23: .flatMapJust(randomFlattening(&random))
    case 24: .flatMapPair(randomFlattening(&random))
    case 25: .delay(microseconds(&random))
    case 26: .debounce(microseconds(&random))
    case 27: .throttle(microseconds(&random))
    case 28: .timeout(4 * microseconds(&random))
    case 29: .observe
    default: .subscribe
    }
  }

  private static func randomBinary(_ random: inout SeededGenerator) -> Binary {
    switch random.number(1...14) {
    case 1: .merge
    case 2: .concat
    case 3: .then
    case 4: .zip
    case 5: .combineLatest
    case 6: .withLatest
    case 7: .takeUntil
    case 8: .catch
    default: .flatMap(randomFlattening(&random))
    }
  }

  private static func randomFlattening(_ random: inout SeededGenerator) -> Flattening {
    Flattening.allCases[random.number(0...Flattening.allCases.count - 1)]
  }

  /// Hardly ever the same twice, so that two instants differ unless they are meant to be the same.
  private static func microseconds(_ random: inout SeededGenerator) -> Int { random.number(1...2_000_000) }
}
