/// An ordered collection of named values with unique names, which are compared byte by byte in UTF-8.
///
/// Setting the value of an existing name replaces the value and keeps its position. Two objects are equal if they have
/// the same names and values in the same order.
public struct ParameterObject: Sendable {
  private var names: [String] = []
  private var values: [ParameterValue] = []
  /// The names that are coding keys, to which ``JSONCoding/Keys`` applies; empty if there are none.
  private var codingKeys: Set<String> = []
  /// The serial number of each name; empty while a linear search is faster.
  private var serialNumbers: [Name: Int] = [:]
  /// The serial numbers of removed names, in order; an index is a serial number minus the count of smaller ones here.
  private var removedSerialNumbers: [Int] = []

  private static let linearSearchLimit = 8

  /// Creates an empty object.
  public init() {}

  /// Creates an object; for a repeated name the last value is used, at the position of the first.
  ///
  /// - Parameter members: The names and values.
  public init(_ members: some Sequence<(String, ParameterValue)>) {
    for (name, value) in members { set(value, for: name) }
  }

  /// Accesses the value with a name; `nil` if there is none.
  ///
  /// Setting `nil` removes the name; setting ``ParameterValue/null`` keeps it with a null value.
  public subscript(name: String) -> ParameterValue? {
    get { index(of: name).map { values[$0] } }
    set {
      if let newValue { set(newValue, for: name) } else { remove(name) }
    }
  }

  /// Merges another object: new names are appended, existing ones keep their position.
  ///
  /// The merge is shallow: an object in both is replaced, not merged.
  ///
  /// - Parameter later: The values that take precedence.
  public mutating func merge(_ later: ParameterObject) {
    if isEmpty {
      self = later
    } else {
      // Reserved only to more than twice the size, so that many small merges stay linear.
      if later.count > count {
        names.reserveCapacity(count + later.count)
        values.reserveCapacity(count + later.count)
      }
      for (name, value) in later { set(value, for: name) }
      if !codingKeys.isEmpty || !later.codingKeys.isEmpty {
        codingKeys.subtract(later.names)
        codingKeys.formUnion(later.codingKeys)
      }
    }
  }

  func index(of name: String) -> Int? {
    if serialNumbers.isEmpty { return names.firstIndex { $0.hasSameBytes(as: name) } }
    return serialNumbers[Name(text: name)].map { $0 - removedSerialNumbers.firstIndex(notBelow: $0) }
  }

  @discardableResult
  mutating func set(_ value: ParameterValue, for name: String) -> Int {
    if let index = index(of: name) {
      values[index] = value
      return index
    }
    names.append(name)
    values.append(value)
    if !serialNumbers.isEmpty {
      serialNumbers[Name(text: name)] = names.count - 1 + removedSerialNumbers.count
    } else if names.count > Self.linearSearchLimit {
      rebuildIndex()
    }
    return names.count - 1
  }

  mutating func set(_ value: ParameterValue, at index: Int) { values[index] = value }

  mutating func markCodingKeys() { codingKeys = Set(names) }

  func members(_ keys: JSONCoding.Keys) -> [(name: String, value: ParameterValue)] {
    if keys == .asDeclared || codingKeys.isEmpty { return Array(self) }
    // Of two keys that become equal, the later value is kept, as with `JSONEncoder`.
    return Array(ParameterObject(map { (codingKeys.contains($0.name) ? $0.name.snakeCased : $0.name, $0.value) }))
  }

  private mutating func remove(_ name: String) {
    guard let index = index(of: name) else { return }
    names.remove(at: index)
    values.remove(at: index)
    codingKeys.remove(name)
    guard let number = serialNumbers.removeValue(forKey: Name(text: name)) else { return }
    removedSerialNumbers.insert(number, at: removedSerialNumbers.firstIndex(notBelow: number))
    // Amortized O(1): the index is rebuilt only after as many removals as there are names.
    if removedSerialNumbers.count > names.count { rebuildIndex() }
  }

  private mutating func rebuildIndex() {
    (serialNumbers, removedSerialNumbers) = ([:], [])
    guard names.count > Self.linearSearchLimit else { return }
    // Growing step by step would hash each name several times.
    serialNumbers.reserveCapacity(2 * names.count)
    for (index, name) in names.enumerated() { serialNumbers[Name(text: name)] = index }
  }

  /// A name compared byte by byte, because `String` treats `é` and `e` with a combining accent as equal.
  private struct Name: Hashable {
    let text: String

    static func == (left: Name, right: Name) -> Bool { left.text.hasSameBytes(as: right.text) }
    func hash(into hasher: inout Hasher) { hasher.combine(bytesOf: text.utf8) }
  }
}

extension [Int] {
  /// Returns the first index of a number that is not below another one, by binary search.
  fileprivate func firstIndex(notBelow number: Int) -> Int {
    var range = 0..<count
    while !range.isEmpty {
      let middle = (range.lowerBound + range.upperBound) / 2
      range = self[middle] < number ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }
}

extension ParameterObject: Hashable {
  /// Returns whether both have the same names and values in the same order.
  public static func == (left: Self, right: Self) -> Bool {
    left.names.elementsEqual(right.names) { $0.hasSameBytes(as: $1) } && left.values == right.values
  }

  /// Hashes the names and values.
  public func hash(into hasher: inout Hasher) {
    for name in names { hasher.combine(bytesOf: name.utf8) }
    hasher.combine(values)
  }
}

extension ParameterObject: RandomAccessCollection {
  /// The index of the first value.
  public var startIndex: Int { 0 }
  /// The index after the last value.
  public var endIndex: Int { names.count }
  /// The name and the value at an index.
  public subscript(position: Int) -> (name: String, value: ParameterValue) { (names[position], values[position]) }
}

extension ParameterObject: ExpressibleByDictionaryLiteral {
  /// Creates an object; for a repeated name the last value is used, at the position of the first.
  public init(dictionaryLiteral elements: (String, (any ParameterConvertible)?)...) {
    self.init(elements.map { ($0.0, $0.1?.parameterValue ?? .null) })
  }
}

extension ParameterObject: _Summarized {
  /// The names on one line, without the values, which may be passwords.
  public var description: String { "[\(names.map(\.singleLine).joined(separator: ", "))]" }
  /// The names, without the values.
  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: names.map(\.singleLine), displayStyle: .collection)
  }
}
