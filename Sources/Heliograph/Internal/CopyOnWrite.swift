/// A value in a box, which copies share until one of them changes it.
///
/// A structure with many members is one word with it: cheap to copy, and to pass from stage to stage. A change allocates
/// a box only if a copy shares the present one.
struct CopyOnWrite<Value: Sendable>: Sendable {
  private var box: ValueBox<Value>

  init(_ value: Value) { box = ValueBox(value) }

  var value: Value {
    _read { yield box.value }
    _modify {
      if !isKnownUniquelyReferenced(&box) { box = ValueBox(box.value) }
      yield &box.value
    }
  }
}
