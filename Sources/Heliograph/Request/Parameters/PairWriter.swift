import Foundation

/// A serializer of parameter values as name-value pairs.
struct PairWriter {
  let rules: ParameterRules
  private(set) var pairs: [ParameterPair] = []
  /// The name of the current value, as written so far.
  private var name: [UInt8] = []

  init(rules: ParameterRules) { self.rules = rules }

  mutating func write(_ object: ParameterObject) throws(ParameterError) {
    for (name, value) in object.members(rules.keys) {
      self.name = Array(name.utf8)
      try write(value, depth: 1)
    }
  }

  private mutating func write(_ value: ParameterValue, depth: Int) throws(ParameterError) {
    switch value {
    case .array(let elements): try write(elements, depth: depth)
    case .object(let object):
      try check(depth)
      let length = name.count
      for (member, value) in object.members(rules.keys) {
        switch rules.objects {
        case .brackets: append("[", member, "]")
        case .dots: append(".", member, "")
        }
        try write(value, depth: depth + 1)
        name.removeSubrange(length...)
      }
    case .null where rules.nulls == .omitted: break
    default: pairs.append(ParameterPair(path, try text(of: value)))
    }
  }

  private mutating func write(_ elements: [ParameterValue], depth: Int) throws(ParameterError) {
    try check(depth)
    if case .joined(let separator) = rules.arrays { return try join(elements, separator) }
    let length = name.count
    for (index, element) in elements.enumerated() {
      switch rules.arrays {
      case .brackets: append("[", "", "]")
      case .indices: append("[", String(index), "]")
      case .repeated, .joined: break
      }
      try write(element, depth: depth + 1)
      name.removeSubrange(length...)
    }
  }

  private mutating func join(_ elements: [ParameterValue], _ separator: String) throws(ParameterError) {
    var texts: [String] = []
    for element in elements {
      switch element {
      case .array, .object:
        throw ParameterError("an array or object can't be an element of a joined array", path: path)
      case .null where rules.nulls == .omitted: continue
      default: texts.append(try text(of: element))
      }
    }
    if !texts.isEmpty { pairs.append(ParameterPair(path, texts.joined(separator: separator))) }
  }

  private func text(of value: ParameterValue) throws(ParameterError) -> String {
    do { return try rules.text(of: value) } catch { throw error.inside(path) }
  }

  private func check(_ depth: Int) throws(ParameterError) {
    // The path contains every level, so the reason has only its beginning.
    if depth >= ParameterRules.maximumDepth {
      throw ParameterError(ParameterError.tooDeep, path: String(path.prefix(64)))
    }
  }

  private var path: String { String(decoding: name, as: UTF8.self) }

  private mutating func append(_ opening: String, _ inner: String, _ closing: String) {
    name.append(contentsOf: opening.utf8)
    name.append(contentsOf: inner.utf8)
    name.append(contentsOf: closing.utf8)
  }
}
