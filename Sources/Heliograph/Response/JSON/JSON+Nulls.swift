extension JSON {
  /// Returns the value without the nulls in its objects and arrays, at any depth.
  ///
  /// The elements after a removed null move forward. An array or object that becomes empty is kept. A top-level null
  /// is unchanged.
  ///
  /// - Returns: The value without nulls.
  public func removingNulls() -> JSON {
    guard let outermost = Pruning(self) else { return self }
    // One entry per level: recursion into a deep value could exhaust the stack.
    var levels = [outermost]
    while true {
      let last = levels.count - 1
      if let part = levels[last].next() {
        if let inner = Pruning(part) { levels.append(inner) } else { levels[last].keep(part) }
      } else {
        let pruned = levels.removeLast().value
        if levels.isEmpty { return pruned }
        levels[last - 1].keep(pruned)
      }
    }
  }
}

/// An array or object from which nulls are being removed.
private struct Pruning {
  private enum Rest {
    case elements(IndexingIterator<[JSON]>)
    case members(Dictionary<String, JSON>.Iterator)
  }

  private var rest: Rest
  private var elements: [JSON] = []
  private var members: [String: JSON] = [:]
  private var name = ""

  init?(_ value: JSON) {
    switch value {
    case .array(let elements): rest = .elements(elements.makeIterator())
    case .object(let members): rest = .members(members.makeIterator())
    default: return nil
    }
  }

  /// Returns the next member that is not null.
  mutating func next() -> JSON? {
    switch rest {
    case .elements(var iterator):
      var part = iterator.next()
      while part?.isNull == true { part = iterator.next() }
      rest = .elements(iterator)
      return part
    case .members(var iterator):
      var part = iterator.next()
      while part?.value.isNull == true { part = iterator.next() }
      rest = .members(iterator)
      name = part?.key ?? ""
      return part?.value
    }
  }

  /// Adds the last member, without its nulls.
  mutating func keep(_ part: JSON) {
    switch rest {
    case .elements: elements.append(part)
    case .members: members[name] = part
    }
  }

  var value: JSON {
    switch rest {
    case .elements: .array(elements)
    case .members: .object(members)
    }
  }
}
