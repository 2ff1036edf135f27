// Equality and hashing are iterative, because recursion into a deep value could exhaust the stack.
extension JSON: Hashable {
  /// Returns whether two values are equal: numbers by value, objects regardless of the order of names.
  public static func == (left: JSON, right: JSON) -> Bool {
    var pairs = [(left, right)]
    while let pair = pairs.popLast() {
      switch pair {
      case (.array(let some), .array(let others)):
        guard some.count == others.count else { return false }
        pairs.append(contentsOf: zip(some, others))
      case (.object(let some), .object(let others)):
        guard some.count == others.count else { return false }
        for (name, value) in some {
          guard let other = others[name] else { return false }
          pairs.append((value, other))
        }
      default:
        guard pair.0.isSameScalar(as: pair.1) else { return false }
      }
    }
    return true
  }

  /// Hashes the value.
  ///
  /// Complexity: that of sorting the names of every object.
  public func hash(into hasher: inout Hasher) {
    var pending = [self]
    while let value = pending.popLast() {
      switch value {
      case .null: hasher.combine(0)
      case .bool(let isTrue): hasher.combine(isTrue)
      // Equal numbers have equal hashes, whatever their type.
      case .integer(let number): hasher.combine(number)
      case .unsigned(let number): hasher.combine(Int64(truncatingIfNeeded: number))
      case .number(let number):
        let whole = Int64(exactly: number) ?? UInt64(exactly: number).map { Int64(truncatingIfNeeded: $0) }
        hasher.combine(whole ?? Int64(bitPattern: number.bitPattern))
      case .string(let text): hasher.combine(text)
      case .array(let elements):
        hasher.combine(elements.count)
        pending.append(contentsOf: elements.reversed())
      case .object(let members):
        hasher.combine(members.count)
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
          hasher.combine(name)
          pending.append(value)
        }
      }
    }
  }

  private func isSameScalar(as other: JSON) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.string(let left), .string(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.unsigned(let left), .unsigned(let right)): left == right
    case (.number(let left), .number(let right)): left == right
    case (.integer(let whole), .unsigned(let large)), (.unsigned(let large), .integer(let whole)): whole == large
    case (.integer(let whole), .number(let number)), (.number(let number), .integer(let whole)):
      Int64(exactly: number) == whole
    case (.unsigned(let whole), .number(let number)), (.number(let number), .unsigned(let whole)):
      UInt64(exactly: number) == whole
    default: false
    }
  }
}
