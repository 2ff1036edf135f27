import Heliograph
import Observation

/// The endless list of all products, with pull-to-refresh.
@MainActor
@Observable
final class ListModel {
  var products: [Product] { pager.items }
  var isRefreshing: Bool { pager.isRefreshing }
  var isLoadingMore: Bool { pager.isLoadingMore }
  var message: String? { pager.error?.message }

  private let pager: Pager<Product, [Product]>

  init(engine: ProductEngine) {
    pager = Pager(engine.list())
  }

  /// The list appears, or the customer pulls it down.
  func refresh() { pager.refresh() }

  /// A row appears: the last one requests the next page.
  func rowAppears(_ product: Product) { pager.loadMore(after: product) }
}
