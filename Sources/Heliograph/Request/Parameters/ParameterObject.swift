/// An ordered collection of named values with unique names.
///
/// Setting the value of an existing name replaces the value and keeps its position. Two objects are equal if they have
/// the same names and values in the same order.
public struct ParameterObject: Sendable {
  private var names: [String] = []
  private var values: [ParameterValue] = []
  /// The names that are coding keys, to which ``JSONCoding/Keys`` applies; empty if there are none.
  private var codingKeys: Set<String> = []
  /// The index of each name; empty while a linear search is faster.
  private var places: [String: Int] = [:]

  private static let fewCount = 8

  /// Creates an empty object.
  public init() {}

  /// Creates an object; for a repeated name the last value is kept, at the position of the first.
  ///
  /// - Parameter members: the names and values.
  public init(_ members: some Sequence<(String, ParameterValue)>) {
    for (name, value) in members { set(value, for: name) }
  }

  /// Accesses the value of a name; `nil` if there is none.
  ///
  /// Setting `nil` removes the name; setting ``ParameterValue/null`` keeps it.
  public subscript(name: String) -> ParameterValue? {
    get { place(of: name).map { values[$0] } }
    set {
      if let newValue { set(newValue, for: name) } else { remove(name) }
    }
  }

  /// Merges another object: new names are appended, existing ones keep their position.
  ///
  /// The merge is shallow: an object in both is replaced, not merged.
  ///
  /// - Parameter later: the values that take precedence.
  public mutating func merge(_ later: ParameterObject) {
    if isEmpty {
      self = later
    } else {
      for (name, value) in later { set(value, for: name) }
      if !codingKeys.isEmpty || !later.codingKeys.isEmpty {
        codingKeys.subtract(later.names)
        codingKeys.formUnion(later.codingKeys)
      }
    }
  }

  func place(of name: String) -> Int? {
    names.count <= Self.fewCount ? names.firstIndex(of: name) : places[name]
  }

  /// Sets a value and returns its index.
  @discardableResult
  mutating func set(_ value: ParameterValue, for name: String) -> Int {
    if let place = place(of: name) {
      values[place] = value
      return place
    }
    names.append(name)
    values.append(value)
    if names.count == Self.fewCount + 1 {
      index()
    } else if names.count > Self.fewCount {
      places[name] = names.count - 1
    }
    return names.count - 1
  }

  mutating func set(_ value: ParameterValue, at place: Int) {
    values[place] = value
  }

  /// Marks all names as coding keys.
  mutating func noteCodingKeys() { codingKeys = Set(names) }

  /// Returns the members, with coding keys in the given form.
  func members(_ keys: JSONCoding.Keys) -> [(name: String, value: ParameterValue)] {
    if keys == .asDeclared || codingKeys.isEmpty { return Array(self) }
    return map { (codingKeys.contains($0.name) ? $0.name.snakeCased : $0.name, $0.value) }
  }

  private mutating func remove(_ name: String) {
    guard let place = place(of: name) else { return }
    names.remove(at: place)
    values.remove(at: place)
    index()
  }

  private mutating func index() {
    places = [:]
    guard names.count > Self.fewCount else { return }
    for (place, name) in names.enumerated() { places[name] = place }
  }
}

extension ParameterObject: Hashable {
  /// Returns whether both have the same names and values in the same order.
  public static func == (left: Self, right: Self) -> Bool {
    left.names == right.names && left.values == right.values
  }

  /// Hashes the names and values.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(names)
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
  /// Creates an object; for a repeated name the last value is kept, at the position of the first.
  public init(dictionaryLiteral elements: (String, (any ParameterConvertible)?)...) {
    self.init(elements.map { ($0.0, $0.1?.parameterValue ?? .null) })
  }
}

extension ParameterObject: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The names on one line, without the values, which may be passwords.
  public var description: String { "[\(names.map(\.singleLine).joined(separator: ", "))]" }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// The names, without the values.
  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: names.map(\.singleLine), displayStyle: .collection)
  }
}
