import Heliograph
import HeliographTesting

extension Step {
  /// Types faster than the server answers, but slower than the model's pause, so that every text is really asked for.
  static let searchAsYouType = Step("Search as you type: only the last question is answered") { tour in
    let shop = try tour.ownShop()
    let model = SearchModel(api: tour.api, pause: .milliseconds(60))
    let answered = SignalRecorder(Signal.observing { model.answer?.text })
    let texts = ["l", "la", "lam", "lamp"]
    for text in texts {
      model.text = text
      _ = await shop.front.wait { $0.requests.last?.queryValue("q") == text }
    }
    await tour.wait { model.answer?.text == texts.last }

    let searches = shop.front.log.requests(to: "/search")
    tour.report.check(
      searches.map { $0.queryValue("q") } == texts, "the server was asked every time",
      searches.map(\.target).joined(separator: ", "))

    let cancelled = Array(searches.dropLast())
    let log = await shop.front.log { $0.hasClientClosed(cancelled) }
    let waits = cancelled.compactMap { search in log.connection(of: search).closedAt.map { $0 - search.receivedAt } }
    tour.report.check(
      log.hasClientClosed(cancelled) && waits.allSatisfy { $0 < ShopServer.searchTime },
      "it saw the client hang up on all but the last, before their answers were due",
      "closed after: \(waits.inMilliseconds)")

    let answers = answered.values.compactMap { $0 }
    let found = model.answer?.products ?? []
    tour.report.check(
      answers == [texts.last], "only the last answer arrived",
      "\(answers.joined(separator: ", ")): \(found.count) products, the first is \(found.first?.name ?? "missing")")
  }
}
