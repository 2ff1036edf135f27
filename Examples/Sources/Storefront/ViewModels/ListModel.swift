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
  /// Whether the list shows a row at its end, which requests the next page.
  var hasMore: Bool { pager.hasMore }

  private let pager: Pager<Product, [Product]>
  private var isRefresh = true

  init(engine: ProductEngine) {
    pager = Pager(engine.list())
  }

  /// The list appears, or the customer pulls it down.
  func refresh() {
    isRefresh = true
    pager.refresh()
  }

  /// The row at the end appears.
  func loadMore() {
    if pager.isRefreshing { return }
    isRefresh = false
    pager.loadMore()
  }

  /// The customer taps the message: what has failed is requested again.
  func tryAgain() { if isRefresh { pager.refresh() } else { pager.loadMore() } }
}
