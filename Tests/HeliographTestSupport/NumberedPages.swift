import Foundation
import Heliograph
import HeliographTesting
import Synchronization

/// A synchronous source of numbered pages: `/items?page=n` is `[n]`, with a link to the page that a closure names.
///
/// It counts requests and keeps none of them.
package final class NumberedPages: Transport {
  private let count = Atomic<Int>(0)
  private let next: @Sendable (Int) -> Int?

  package init(_ next: @escaping @Sendable (Int) -> Int?) { self.next = next }

  /// As many pages as a number.
  package convenience init(count: Int) {
    self.init { $0 < count ? $0 + 1 : nil }
  }

  package var requestCount: Int { count.load(ordering: .sequentiallyConsistent) }
  package var usesNetwork: Bool { false }
  package var client: NetworkClient { client(processing: DispatchScheduler.immediate) }

  package func client(processing: any SignalScheduler) -> NetworkClient {
    var configuration = NetworkClient.Configuration(baseURL: URL(string: "https://api.example.com"), transport: self)
    configuration.processing = processing
    return NetworkClient(configuration)
  }

  package func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    .deferred { [self] in
      count.add(1, ordering: .sequentiallyConsistent)
      let page = NumberedPages.number(request.url.query)
      var headers: HTTPHeaders = ["Content-Type": "application/json"]
      if let next = next(page) { headers["Link"] = "</items?page=\(next)>; rel=\"next\"" }
      return .from([
        .head(HTTPResponse(statusCode: 200, headers: headers, url: request.url)), .body(Data("[\(page)]".utf8)),
      ])
    }
  }

  /// The number in a query such as `page=7`; 1 if there is none.
  package static func number(_ query: String?) -> Int { query.flatMap { Int($0.drop { $0 != "=" }.dropFirst()) } ?? 1 }
}

extension LoopbackServer {
  /// Serves numbered pages: `/items?page=n` is `[n]`, with a link to the next page up to a count.
  package func servePages(_ count: Int) {
    route("GET", "/items") { request in
      let page = request.queryValue("page").flatMap { Int($0) } ?? 1
      let response = LoopbackResponse.json("[\(page)]")
      return page < count ? response.header("Link", "</items?page=\(page + 1)>; rel=\"next\"") : response
    }
    route("GET", "/marker") { _ in .json("[0]") }
  }
}
