extension JSON {
  /// Returns the value without the nulls in its objects and arrays, at any depth.
  ///
  /// The elements after a removed null move forward. An array or object that becomes empty is kept. A top-level null
  /// is unchanged.
  ///
  /// - Returns: The value without nulls.
  public func removingNulls() -> JSON {
    guard let outermost = NullRemoval(self) else { return self }
    // A list instead of recursion, because a deep value could exhaust the stack.
    var levels = [outermost]
    while true {
      let last = levels.count - 1
      if let child = levels[last].next() {
        if let inner = NullRemoval(child) { levels.append(inner) } else { levels[last].append(child) }
      } else {
        let value = levels.removeLast().value
        if levels.isEmpty { return value }
        levels[last - 1].append(value)
      }
    }
  }
}

/// An array or object from which nulls are being removed.
private struct NullRemoval {
  private enum Remaining {
    case elements(IndexingIterator<[JSON]>)
    case members(Dictionary<String, JSON>.Iterator)
  }

  private var remaining: Remaining
  private var elements: [JSON] = []
  private var members: [String: JSON] = [:]
  private var name = ""

  init?(_ value: JSON) {
    switch value {
    case .array(let elements): remaining = .elements(elements.makeIterator())
    case .object(let members): remaining = .members(members.makeIterator())
    default: return nil
    }
  }

  mutating func next() -> JSON? {
    switch remaining {
    case .elements(var iterator):
      var child = iterator.next()
      while child?.isNull == true { child = iterator.next() }
      remaining = .elements(iterator)
      return child
    case .members(var iterator):
      var child = iterator.next()
      while child?.value.isNull == true { child = iterator.next() }
      remaining = .members(iterator)
      name = child?.key ?? ""
      return child?.value
    }
  }

  /// Appends the last child, from which nulls have been removed.
  mutating func append(_ child: JSON) {
    switch remaining {
    case .elements: elements.append(child)
    case .members: members[name] = child
    }
  }

  var value: JSON {
    switch remaining {
    case .elements: .array(elements)
    case .members: .object(members)
    }
  }
}
