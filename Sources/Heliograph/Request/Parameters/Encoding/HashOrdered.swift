/// A collection that encodes its elements in the order of their hashes, which is another one in each run of a program.
protocol HashOrdered {
  /// What it encoded, in an order that is the same for the same elements.
  static func sorted(_ value: ParameterValue) throws(ParameterRefusal) -> ParameterValue
}

extension Dictionary: HashOrdered {
  /// An object by its names; keys and values that alternate, as for keys that are no names, by the keys.
  static func sorted(_ value: ParameterValue) throws(ParameterRefusal) -> ParameterValue {
    switch value {
    case .object(let object): return .object(ParameterObject(object.sortedByName.map { ($0.name, $0.value) }))
    case .array(let elements) where elements.count.isMultiple(of: 2):
      let starts = stride(from: 0, to: elements.count, by: 2)
      return .array(try starts.map { Array(elements[$0..<$0 + 2]) }.sortedByFirst().flatMap { $0 })
    default: return value
    }
  }
}

extension Set: HashOrdered {
  static func sorted(_ value: ParameterValue) throws(ParameterRefusal) -> ParameterValue {
    guard case .array(let elements) = value else { return value }
    return .array(try elements.map { [$0] }.sortedByFirst().flatMap { $0 })
  }
}

extension [[ParameterValue]] {
  /// Sorted by the JSON of each one's first value: numbers by their digits, not by their size.
  fileprivate func sortedByFirst() throws(ParameterRefusal) -> [[ParameterValue]] {
    var keyed: [(key: [UInt8], group: [ParameterValue])] = []
    for group in self {
      var writer = JSONWriter(rules: ParameterRules(dates: .millisecondsSince1970))
      try writer.write(group.first ?? .null, depth: 0)
      keyed.append((writer.bytes, group))
    }
    return keyed.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.group)
  }
}
