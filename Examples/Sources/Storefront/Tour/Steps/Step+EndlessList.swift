import Heliograph
import HeliographTesting

extension Step {
  static let endlessList = Step("An endless list: the server sends the pages that are shown") { tour in
    let shop = try tour.ownShop()
    let model = ListModel(engine: tour.products)
    let requestedPages = { shop.front.log.requests(to: "/listing").compactMap { $0.queryValue("page") } }
    model.refresh()
    await tour.wait { model.products.count == 50 }
    tour.report.check(requestedPages() == ["1"], "the first page alone", "pages \(requestedPages())")

    model.loadMore()
    await tour.wait { model.products.count == 100 }
    for _ in 0..<2 { model.loadMore() }
    await tour.wait { model.products.count == 150 && !model.isLoadingMore }
    tour.report.check(
      requestedPages() == ["1", "2", "3"] && Set(model.products.map(\.id)).count == 150,
      "a page is requested when the row at the end appears, once",
      "\(model.products.count) products of the pages \(requestedPages())")

    model.refresh()
    let hasKeptRows = model.products.count == 150
    await tour.wait { !model.isRefreshing }
    tour.report.check(
      hasKeptRows && model.products.count == 50 && requestedPages() == ["1", "2", "3", "1"],
      "pull-to-refresh reads the first page again, and keeps the rows until then",
      "\(model.products.count) products, pages \(requestedPages())")
  }
}
