import Heliograph
import Observation

/// The search screen: searches as the customer types.
@MainActor
@Observable
final class SearchModel {
  /// The text of the search field.
  var text = "" {
    didSet { if text != oldValue { engine.search(text).load(into: \.products, on: self) } }
  }
  private(set) var products = Loadable<[Product]>.idle  // the screen shows `error`, or else `value`

  private let engine: ProductEngine

  init(engine: ProductEngine) {
    self.engine = engine
  }
}
