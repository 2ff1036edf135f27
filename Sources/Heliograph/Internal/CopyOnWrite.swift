/// A boxed value with copy-on-write semantics: one word, cheap to copy and to pass from stage to stage; a change
/// allocates only if the box is shared.
@usableFromInline
struct CopyOnWrite<Value: Sendable>: Sendable {
  private var box: ValueBox<Value>

  init(_ value: consuming Value) { box = ValueBox(value) }

  var value: Value {
    _read { yield box.value }
    _modify {
      if !isKnownUniquelyReferenced(&box) { box = ValueBox(box.value) }
      yield &box.value
    }
  }
}

/// A value, such as a closure, that equals only itself.
final class Identified<Value: Sendable>: Sendable, Hashable {
  let value: Value

  init(_ value: Value) { self.value = value }

  static func == (left: Identified, right: Identified) -> Bool { left === right }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
