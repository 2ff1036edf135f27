import Foundation

extension ParameterValue {
  /// Returns the value of a type that needs no `encode(to:)`: standard library scalars and supported Foundation types.
  ///
  /// Types are compared first, which is much cheaper than a failing cast.
  static func scalar<Value>(_ value: Value, path: [any CodingKey], _ key: (any CodingKey)?) throws -> ParameterValue? {
    func cast<Target>(_ type: Target.Type) -> Target? { Value.self == type ? value as? Target : nil }
    func notFinite() -> ParameterError {
      ParameterError(ParameterError.notFinite, path: path + (key.map { [$0] } ?? []))
    }

    if let text = cast(String.self) { return .string(text) }
    if let isTrue = cast(Bool.self) { return .bool(isTrue) }
    if let number = cast(Double.self) ?? cast(Float.self).map({ $0.decimalDouble }) {
      guard number.isFinite else { throw notFinite() }
      return .number(number)
    }
    if let integer = whole(value) { return integer }
    if let date = cast(Date.self) { return .date(date) }
    if let data = cast(Data.self) { return .data(data) }
    if let url = cast(URL.self) { return .string(url.absoluteString) }
    if let identifier = cast(UUID.self) { return .string(identifier.uuidString) }
    if let decimal = cast(Decimal.self) {
      guard decimal.isFinite else { throw notFinite() }
      return .decimal(decimal)
    }
    return nil
  }

  private static func whole<Value>(_ value: Value) -> ParameterValue? {
    func cast<Target: FixedWidthInteger>(_ type: Target.Type) -> ParameterValue? {
      Value.self == type ? (value as? Target).map { .whole($0) } : nil
    }
    if let result = cast(Int.self) { return result }
    if let result = cast(Int64.self) { return result }
    if let result = cast(Int32.self) { return result }
    if let result = cast(Int16.self) { return result }
    if let result = cast(Int8.self) { return result }
    if let result = cast(UInt.self) { return result }
    if let result = cast(UInt64.self) { return result }
    if let result = cast(UInt32.self) { return result }
    if let result = cast(UInt16.self) { return result }
    if let result = cast(UInt8.self) { return result }
    if let result = cast(Int128.self) { return result }
    return cast(UInt128.self)
  }

  /// Returns the smallest case that holds an integer of at most 128 bits.
  static func whole(_ value: some FixedWidthInteger) -> ParameterValue {
    if let integer = Int64(exactly: value) { return .integer(integer) }
    if let unsigned = UInt64(exactly: value) { return .unsigned(unsigned) }
    // A `Decimal` has a 128-bit mantissa and a separate sign bit.
    let digits = UInt128(value.magnitude)
    let high = Decimal(UInt64(truncatingIfNeeded: digits >> 64)) * (Decimal(UInt64.max) + 1)
    let magnitude = high + Decimal(UInt64(truncatingIfNeeded: digits))
    return .decimal(value < 0 ? -magnitude : magnitude)
  }
}

extension Float {
  /// The `Double` with the same shortest decimal representation: 0.1, not 0.10000000149011612.
  var decimalDouble: Double { Double(description) ?? Double(self) }
}
