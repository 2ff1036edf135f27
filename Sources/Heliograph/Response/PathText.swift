extension [any CodingKey] {
  /// The path in dot notation: `data.items[3].price`.
  package var pathText: String {
    let path = reduce(into: "") { path, key in
      if let index = key.intValue { path += "[\(index)]" } else { path += (path.isEmpty ? "" : ".") + key.stringValue }
    }
    return path.isEmpty ? "the root" : path
  }
}
