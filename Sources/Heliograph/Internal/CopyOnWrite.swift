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
