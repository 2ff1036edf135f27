/// A coding key that is declared in code and never taken from a body.
protocol DeclaredKey: CodingKey {}

extension [any CodingKey] {
  /// The path in dot notation: `data.items[3].price`.
  package var pathText: String { text { $0.stringValue } }

  /// The path for a log: `data[…].price`, where `[…]` replaces a name that may come from the body.
  ///
  /// Keys of a dictionary may be secret, such as tokens. Keys of an enumeration are declared in code.
  var loggedPathText: String { text { $0.isDeclared ? $0.stringValue : nil } }

  private func text(_ name: (any CodingKey) -> String?) -> String {
    let path = reduce(into: "") { path, key in
      if let index = key.intValue {
        path += "[\(index)]"
      } else if let name = name(key) {
        path += (path.isEmpty ? "" : ".") + name
      } else {
        path += "[…]"
      }
    }
    return path.isEmpty ? "the root" : path
  }
}

extension CodingKey {
  fileprivate var isDeclared: Bool { self is any DeclaredKey || Mirror(reflecting: self).displayStyle == .enum }
}
