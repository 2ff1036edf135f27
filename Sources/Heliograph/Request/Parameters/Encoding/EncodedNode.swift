/// What an encoder has written so far: a single value, or named or numbered ones, some of which are still being written.
final class EncodedNode {
  enum Kind {
    case nothing
    case single
    case array
    case object
  }

  private(set) var kind: Kind
  // Apart and not in the kind, so that each has one owner and grows in place.
  private var single: ParameterValue = .null
  private var elements: [ParameterValue] = []
  private var members = ParameterObject()
  /// Parts that are still being written, and their places, where a null stands for them.
  private var children: [(place: Int, node: EncodedNode)] = []

  init(_ kind: Kind = .nothing) {
    self.kind = kind
  }

  var count: Int { elements.count }

  /// Whether it is of this kind from now on.
  func begin(_ kind: Kind) -> Bool {
    if self.kind == .nothing { self.kind = kind }
    return self.kind == kind
  }

  func set(_ value: ParameterValue) { single = value }
  func append(_ value: ParameterValue) { elements.append(value) }

  func append(_ child: EncodedNode) {
    children.append((elements.count, child))
    elements.append(.null)
  }

  func set(_ value: ParameterValue, for name: String) {
    let count = members.count
    let place = members.set(value, for: name)
    // A name for the second time: what was begun there is over.
    if members.count == count, !children.isEmpty { children.removeAll { $0.place == place } }
  }

  func set(_ child: EncodedNode, for name: String) {
    set(.null, for: name)
    if let place = members.place(of: name) { children.append((place, child)) }
  }

  /// What was begun for this name already and is still being written.
  func child(for name: String) -> EncodedNode? {
    guard !children.isEmpty, let place = members.place(of: name) else { return nil }
    return children.first { $0.place == place }?.node
  }

  /// What is written; an object without values if nothing was.
  var value: ParameterValue {
    switch kind {
    case .single: return single
    case .array:
      for (place, node) in children { elements[place] = node.value }
      return .array(elements)
    case .nothing, .object:
      for (place, node) in children { members.set(node.value, at: place) }
      var object = members
      object.noteCodingKeys()
      return .object(object)
    }
  }
}
