import Heliograph
import Observation

/// The product list: the stored one is shown at once, and the response of the server replaces it.
@MainActor
@Observable
final class CatalogueModel {
  private(set) var list = Loadable<Response<[Product]>>.idle

  /// The list on the screen; the stored one remains there after a failure.
  var products: [Product] { list.value?.value ?? [] }
  /// Whether the server has confirmed the list.
  var isCurrent: Bool { if case .loaded(let response) = list { !response.source.isCache } else { false } }

  private let engine: CatalogueEngine

  init(engine: CatalogueEngine) {
    self.engine = engine
  }

  func load() { engine.products().load(into: \.list, on: self) }
}
