extension JSON {
  /// Returns the value without the nulls in its objects and arrays, at any depth.
  ///
  /// The elements after a removed null move forward. An array or object that becomes empty is kept. A top-level null
  /// is unchanged.
  ///
  /// - Returns: The value without nulls.
  public func removingNulls() -> JSON {
    // Lists instead of recursion, because a deep value could exhaust the stack. Parents precede their children.
    var (pending, values, results) = ([self], [JSON](), [JSON]())
    while let value = pending.popLast() {
      values.append(value)
      switch value {
      case .array(let elements): pending += elements.lazy.filter { !$0.isNull }
      case .object(let members): pending += members.values.lazy.filter { !$0.isNull }
      default: break
      }
    }
    while let value = values.popLast() {
      switch value {
      case .array(let elements):
        let children = Array(results.suffix(elements.count { !$0.isNull }))
        results.removeLast(children.count)
        results.append(.array(children))
      case .object(let members):
        let names = members.lazy.filter { !$0.value.isNull }.map(\.key)
        let children = Dictionary(uniqueKeysWithValues: zip(names, results.suffix(names.count)))
        results.removeLast(children.count)
        results.append(.object(children))
      default: results.append(value)
      }
    }
    return results[0]
  }
}
