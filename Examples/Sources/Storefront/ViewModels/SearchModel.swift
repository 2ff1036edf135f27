import Heliograph
import Observation

/// The search screen: searches as the customer types.
@MainActor
@Observable
final class SearchModel {
  /// The text of the search field.
  var text = "" {
    didSet { engine.search(text).load(into: \.products, on: self) }
  }
  private(set) var products = Loadable<[Product]>.idle

  private let engine: ProductEngine

  init(engine: ProductEngine) {
    self.engine = engine
  }
}
