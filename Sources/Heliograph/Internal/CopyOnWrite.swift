/// A value in a box, which copies share until one of them changes it.
///
/// A structure with many members is one word with it: cheap to copy, and to pass from stage to stage.
struct CopyOnWrite<Value: Sendable>: Sendable {
  private final class Box: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
  }

  private var box: Box

  init(_ value: Value) { box = Box(value) }

  var value: Value {
    get { box.value }
    set { box = Box(newValue) }
  }
}
