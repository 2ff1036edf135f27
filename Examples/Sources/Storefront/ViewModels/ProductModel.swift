import Heliograph
import Observation

/// A product's page: the product and its reviews, asked for at once and shown together.
@MainActor
@Observable
final class ProductModel {
  private(set) var product: Product?
  private(set) var reviews: [Review] = []
  private(set) var message: String?

  private let api: ShopAPI
  private let id: Product.ID
  /// Owns the subscription: when the page is deallocated, its requests are cancelled.
  private let bag = DisposeBag()

  init(api: ShopAPI, id: Product.ID) {
    self.api = api
    self.id = id
  }

  func load() {
    api.product(id).zip(api.reviews(of: id))
      .subscribeOnMain(
        onValue: { [weak self] in self?.show($0, $1) },
        onFailure: { [weak self] in self?.message = $0.message }
      )
      .disposed(by: bag)
  }

  private func show(_ product: Product, _ reviews: [Review]) {
    self.product = product
    self.reviews = reviews
    message = nil
  }
}
