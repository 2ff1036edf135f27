import Heliograph

/// The phases of an exchange in whole microseconds, so that ``total`` is exactly their sum as written; as in HAR,
/// `connect` contains `ssl`, and -1 means none.
struct HARTimings: Sendable, Equatable {
  let blocked: Int
  let dns: Int
  let connect: Int
  let ssl: Int
  let send: Int
  let wait: Int
  let receive: Int

  init(_ phases: ExchangePhases) {
    func count(_ phase: Duration?) -> Int { phase.map(\.microseconds) ?? -1 }
    blocked = count(phases.blocked)
    dns = count(phases.dns)
    ssl = count(phases.tls)
    connect = phases.connect.map { $0.microseconds + max(0, count(phases.tls)) } ?? -1
    send = phases.send.microseconds
    wait = phases.wait.microseconds
    receive = phases.receive.microseconds
  }

  /// The sum of the phases; `ssl` is a part of `connect`.
  var total: Int { [blocked, dns, connect, send, wait, receive].reduce(0) { $0 + max(0, $1) } }

  /// Appends the members of the object `timings`.
  func append(to bytes: inout [UInt8]) {
    func member(_ name: StaticString, _ time: Int) {
      bytes.append(name)
      if time < 0 { bytes.append("-1") } else { bytes.appendMilliseconds(time) }
    }
    member(#""blocked":"#, blocked)
    member(#","dns":"#, dns)
    member(#","connect":"#, connect)
    member(#","ssl":"#, ssl)
    member(#","send":"#, send)
    member(#","wait":"#, wait)
    member(#","receive":"#, receive)
  }
}

extension Duration {
  /// The duration in microseconds, rounded to the nearest; zero if it is negative or out of range.
  fileprivate var microseconds: Int {
    // Not a division, which would convert numbers of 128 bits.
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0, seconds <= Int64.max / 2_000_000 else { return 0 }
    return Int(seconds * 1_000_000 + (attoseconds + 500_000_000_000) / 1_000_000_000_000)
  }
}

extension [UInt8] {
  /// Appends a number of microseconds in milliseconds, with three decimals.
  mutating func appendMilliseconds(_ microseconds: Int) {
    append(decimal: microseconds / 1_000)
    append(UInt8(ascii: "."))
    append(thousandths: microseconds % 1_000)
  }

  /// Appends three digits.
  mutating func append(thousandths number: Int) {
    append(digit: number / 100)
    append(digit: number / 10 % 10)
    append(digit: number % 10)
  }

  private mutating func append(digit number: Int) {
    append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number))
  }

  mutating func append(decimal number: Int) {
    if (0...9).contains(number) { return append(digit: number) }
    if number < 0 { append(UInt8(ascii: "-")) }
    let number = number.magnitude
    var power: UInt = 1
    while number / power >= 10 { power *= 10 }
    while power > 0 {
      append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / power % 10))
      power /= 10
    }
  }

  mutating func append(_ text: StaticString) {
    append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}
