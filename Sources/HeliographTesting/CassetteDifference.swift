import Heliograph

extension String {
  /// Returns the first difference of JSON from the most similar one of other bodies, as the rest of a sentence about the
  /// body; `nil` if it is not JSON or none of them is.
  ///
  /// The bodies have no secrets.
  func nearestDifference(from others: [String]) -> String? {
    guard let json = bodyJSON else { return nil }
    let differences = others.sorted().compactMap { other in
      other.bodyJSON.map { json.differences(from: $0, at: "", depth: 0) }
    }
    return differences.min { $0.count < $1.count }?.first
  }

  /// The object or array in a body; `nil` for other texts.
  var bodyJSON: JSON? {
    guard let json = try? JSON(data: CassetteText.body(self)), json.object != nil || json.array != nil else {
      return nil
    }
    return json
  }
}

extension JSON {
  /// Returns the differences from other JSON, members in the order of their names: `has id=2, not id=1`.
  fileprivate func differences(from other: JSON, at path: String, depth: Int) -> [String] {
    switch (self, other) {
    case (.object(let members), .object(let others)) where depth < JSON.maximumNestedDepth:
      return Set(members.keys).union(others.keys).sorted().flatMap { name in
        let path = path.isEmpty ? name : "\(path).\(name)"
        return JSON.differences(of: members[name], from: others[name], at: path, depth: depth + 1)
      }
    case (.array(let elements), .array(let others)) where depth < JSON.maximumNestedDepth:
      return (0..<Swift.max(elements.count, others.count)).flatMap { index in
        let path = "\(path)[\(index)]"
        return JSON.differences(
          of: elements.element(index), from: others.element(index), at: path, depth: depth + 1)
      }
    default:
      return self == other ? [] : ["has \(JSON.text(path, self)), not \(JSON.text(path, other))"]
    }
  }

  private static func differences(of value: JSON?, from other: JSON?, at path: String, depth: Int) -> [String] {
    switch (value, other) {
    case (let value?, let other?): value.differences(from: other, at: path, depth: depth)
    case (let value?, nil): ["also has \(text(path, value))"]
    case (nil, let other?): ["lacks \(text(path, other))"]
    case (nil, nil): []
    }
  }

  private static func text(_ path: String, _ value: JSON) -> String {
    let name = path.isEmpty ? "" : path.singleLine.shortened(to: 120) + "="
    return name + value.description.singleLine.shortened(to: 60)
  }
}

extension Array {
  fileprivate func element(_ index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
