import Heliograph
import HeliographTesting

extension Step {
  static let chain = Step("A chain: A, then B and C at once, then D") { tour in
    let shop = try tour.ownShop()
    let products = tour.products
    let chain = Chain()
    let found = chain.add { _ in products.search("lamp") }
    let product = chain.add(after: found) { chain in
      chain[found]?.first.map { products.product($0.id) }
    }
    let reviews = chain.add(after: found) { chain in
      chain[found]?.first.map { products.reviews(of: $0.id) }
    }
    let similar = chain.add(after: product, reviews) { chain in
      chain[product].map { products.search($0.category) }
    }
    _ = try await chain.signal.value()
    tour.report.check(
      chain[found]?.first?.id == chain[product]?.id && chain[reviews]?.isEmpty == false && chain[similar] != nil,
      "each step has its value",
      "\(chain[product]?.name ?? "no product") with \(chain[reviews]?.count ?? 0) reviews")

    let requests = shop.front.log.requests
    guard requests.count == 4, let id = chain[product]?.id else {
      return tour.report.check(false, "four requests", "\(requests.count)")
    }
    let middle = requests[1...2]
    let distance = requests[2].receivedAt - requests[1].receivedAt
    tour.report.check(
      requests[0].path == "/search" && Set(middle.map(\.path)) == ["/products/\(id)", "/products/\(id)/reviews"]
        && distance < ShopServer.pageTime && middle.first?.connection != middle.last?.connection,
      "the second and third were in flight together", "\(distance.inMilliseconds) apart")
    let waits = middle.map { requests[3].receivedAt - $0.receivedAt }
    tour.report.check(
      requests[3].path == "/search" && waits.allSatisfy { $0 >= ShopServer.pageTime },
      "the fourth was sent after both had ended", "it arrived after: \(waits.inMilliseconds)")
  }
}
