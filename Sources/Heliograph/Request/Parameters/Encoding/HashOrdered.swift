/// A collection that encodes its elements in hash order, which differs in each run of a process.
protocol HashOrdered {
  /// Returns the encoded value in a deterministic order.
  static func sorted(_ value: ParameterValue) throws(ParameterError) -> ParameterValue
}

extension Dictionary: HashOrdered {
  /// Returns an object sorted by name; alternating keys and values, as for keys that are not strings, sorted by key.
  static func sorted(_ value: ParameterValue) throws(ParameterError) -> ParameterValue {
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
  static func sorted(_ value: ParameterValue) throws(ParameterError) -> ParameterValue {
    guard case .array(let elements) = value else { return value }
    return .array(try elements.map { [$0] }.sortedByFirst().flatMap { $0 })
  }
}

extension [[ParameterValue]] {
  /// Sorts by the JSON of each group's first value: numbers by their digits, not by their magnitude.
  fileprivate func sortedByFirst() throws(ParameterError) -> [[ParameterValue]] {
    var keyed: [(key: [UInt8], group: [ParameterValue])] = []
    for group in self {
      var writer = JSONWriter(rules: ParameterRules(dates: .millisecondsSince1970))
      try writer.write(group.first ?? .null, depth: 0)
      keyed.append((writer.bytes, group))
    }
    return keyed.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.group)
  }
}
