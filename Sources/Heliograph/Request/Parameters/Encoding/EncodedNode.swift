/// The output of an encoder so far: a single value, an array or an object, with children that are still being encoded.
final class EncodedNode {
  enum Kind {
    case nothing
    case single
    case array
    case object
  }

  private(set) var kind: Kind
  // Separate from the kind, because an associated value would be copied when it grows.
  private var single: ParameterValue = .null
  private var elements: [ParameterValue] = []
  private var members = ParameterObject()
  /// Children that are still being encoded, each with the index of its placeholder, a null.
  private var children: [(index: Int, node: EncodedNode)] = []

  init(_ kind: Kind = .nothing) { self.kind = kind }

  var count: Int { elements.count }

  /// Sets the kind if there is none yet; returns whether the node has this kind.
  func begin(_ kind: Kind) -> Bool {
    if self.kind == .nothing { self.kind = kind }
    return self.kind == kind
  }

  func set(_ value: ParameterValue) { single = value }
  func append(_ value: ParameterValue) { elements.append(value) }

  func append(_ child: EncodedNode) {
    children.append((elements.count, child))
    elements.append(.null)
  }

  func set(_ value: ParameterValue, for name: String) {
    let count = members.count
    let index = members.set(value, for: name)
    // The name was set before, so its unfinished child is discarded.
    if members.count == count, !children.isEmpty { children.removeAll { $0.index == index } }
  }

  func set(_ child: EncodedNode, for name: String) {
    set(.null, for: name)
    if let index = members.index(of: name) { children.append((index, child)) }
  }

  func child(for name: String) -> EncodedNode? {
    guard !children.isEmpty, let index = members.index(of: name) else { return nil }
    return children.first { $0.index == index }?.node
  }

  /// The encoded value; an empty object if nothing was encoded.
  var value: ParameterValue {
    switch kind {
    case .single: return single
    case .array:
      for (index, node) in children { elements[index] = node.value }
      return .array(elements)
    case .nothing, .object:
      for (index, node) in children { members.set(node.value, at: index) }
      var object = members
      object.markCodingKeys()
      return .object(object)
    }
  }
}

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
