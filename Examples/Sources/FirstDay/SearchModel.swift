import Heliograph
import Observation

/// A search-as-you-type model: the answer to the latest text counts, and requests end with the model.
@MainActor
@Observable
final class SearchModel {
  var text = "" {
    didSet { if text != oldValue { search(text).load(into: \.products, on: self) } }
  }
  private(set) var products = Loadable<[Product]>.idle  // the screen shows `error`, or else `value`

  private let client: NetworkClient
  private let searching: Lane

  init(client: NetworkClient, scheduler: any SignalScheduler = .global) {
    self.client = client
    searching = Lane(.latestWins(debounce: .milliseconds(300)), scheduler: scheduler)
  }

  private func search(_ text: String) -> Signal<[Product], NetworkError> {
    if text.isEmpty { return .just([]) }  // sends nothing
    let request = Request(.get, "/products", query: ["q": text])
    return searching.enqueue(client.enqueue(request: request, resultType: [Product].self).map(\.value))
  }
}
