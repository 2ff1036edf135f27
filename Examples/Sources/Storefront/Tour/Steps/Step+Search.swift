import Heliograph
import HeliographTesting

extension Step {
  /// Types faster than the server answers, but slower than the pause of the lane, so that every text is sent.
  static let searchAsYouType = Step("Search as you type: only the last search is answered") { tour in
    let shop = try tour.ownShop()
    let model = SearchModel(engine: ProductEngine(client: tour.client, pause: .milliseconds(60)))
    let states = SignalRecorder(Signal.observing { model.products }.distinctUntilChanged())
    let texts = ["l", "la", "lam", "lamp"]
    for text in texts {
      model.text = text
      _ = await shop.front.wait { $0.requests.last?.queryValue("q") == text }
    }
    await tour.wait { !model.products.isLoading }

    let searches = shop.front.log.requests(to: "/search")
    tour.report.check(
      searches.map { $0.queryValue("q") } == texts, "the server received each text",
      searches.map(\.target).joined(separator: ", "))

    let cancelled = Array(searches.dropLast())
    let log = await shop.front.log { $0.hasClientClosed(cancelled) }
    let waits = cancelled.compactMap { search in log.connection(of: search).closedAt.map { $0 - search.receivedAt } }
    tour.report.check(
      log.hasClientClosed(cancelled) && waits.allSatisfy { $0 < ShopServer.searchTime },
      "it saw the client close the connections of all but the last, before their answers",
      "closed after: \(waits.inMilliseconds)")

    let found = model.products.value ?? []
    tour.report.check(
      states.values == [.idle, .loading(previous: nil), .loaded(found)], "the screen was loading until the last answer",
      "\(found.count) products, the first is \(found.first?.name ?? "missing")")
  }
}
