import Heliograph
import Observation

/// The screen of a product: the product and its reviews, loaded at the same time and shown together.
@MainActor
@Observable
final class ProductModel {
  struct Details: Equatable {
    let product: Product
    let reviews: [Review]
  }

  private(set) var details = Loadable<Details>.idle

  private let engine: ProductEngine
  private let id: Product.ID

  init(engine: ProductEngine, id: Product.ID) {
    self.engine = engine
    self.id = id
  }

  func load() {
    engine.product(id).zip(engine.reviews(of: id))
      .map { Details(product: $0, reviews: $1) }
      .load(into: \.details, on: self)
  }
}
