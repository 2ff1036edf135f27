import Foundation
import Heliograph
import TestSupport
import Testing

// sample: two-services
extension ServiceID {
  static let shop: ServiceID = "shop"
  static let payments: ServiceID = "payments"
}

struct Shop: Service {
  let id = ServiceID.shop

  func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? {
    let host =
      switch environment {
      case .develop: "shop.dev.example.com"
      case .test: "shop.test.example.com"
      case .preRelease: "shop.pre.example.com"
      case .release: "shop.example.com"
      default: ""
      }
    return host.isEmpty ? nil : URL(string: "https://\(host)/v1").map { ServiceAddresses($0) }
  }
}

struct Payments: Service {
  let id = ServiceID.payments
  let signer: (any Signer)?
  let placement = ParameterPlacement.json

  func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? {
    switch environment {
    case .develop: nil  // there is no such server
    case .release: URL(string: "https://pay.example.com").map { ServiceAddresses($0) }
    default: URL(string: "https://pay.sandbox.example.com").map { ServiceAddresses($0) }
    }
  }
}
// end sample

/// The samples of Docs/Services.md that send nothing: what is built says it all.
struct ServiceSamples {
  @Test func parametersGoWhereTheMethodHasThem() throws {
    // sample: what-goes-where
    let client = NetworkClient(baseURL: URL(string: "https://shop.example.com/v1"))
    let find = try client.httpRequest(for: Request(.get, "/search", parameters: ["q": "a lamp", "page": 2]))
    // GET https://shop.example.com/v1/search?q=a%20lamp&page=2

    var order = Request(.post, "/orders", query: ["from": "ad"], parameters: ["item": "a lamp", "count": 2])
    let form = try client.httpRequest(for: order)
    // POST https://shop.example.com/v1/orders?from=ad  with the body  item=a+lamp&count=2

    order.options.placement = .json
    let json = try client.httpRequest(for: order)
    // POST https://shop.example.com/v1/orders?from=ad  with the body  {"count":2,"item":"a lamp"}
    // end sample
    expectEqual(find.url.absoluteString, "https://shop.example.com/v1/search?q=a%20lamp&page=2")
    expectEqual(find.body, .empty)
    expectEqual(form.url.absoluteString, "https://shop.example.com/v1/orders?from=ad")
    expectEqual(json.url, form.url)
    expectEqual(form.body, .data(Data("item=a+lamp&count=2".utf8)))
    expectEqual(form.headers["Content-Type"], "application/x-www-form-urlencoded")
    expectEqual(json.body, .data(Data(#"{"count":2,"item":"a lamp"}"#.utf8)))
    expectEqual(json.headers["Content-Type"], "application/json")
  }

  /// The table of the document, cell by cell.
  @Test(arguments: [HTTPMethod.get, .head, .delete, .post, .put, .patch])
  func theTableIsTrue(_ method: HTTPMethod) throws {
    let client = NetworkClient(.init(services: [Old()]))
    func built(_ placement: ParameterPlacement, _ body: RequestBody = .empty) throws -> [String] {
      let request = Request(
        method, "/", service: "Old", query: ["q": 1], parameters: ["own": 2], body: body,
        options: .with { $0.placement = placement })
      let built = try client.httpRequest(for: request)
      if case .data(let data) = built.body { return [built.url.query ?? "", String(decoding: data, as: UTF8.self)] }
      return [built.url.query ?? ""]
    }
    let all = "q=1&common=3&own=2"
    let isBodiless = [.get, .head, .delete].contains(method)
    try expectEqual(built(.form), (isBodiless ? [all] : ["q=1", "common=3&own=2"]))
    try expectEqual(built(.json), (isBodiless ? [all] : ["q=1", #"{"common":3,"own":2}"#]))
    try expectEqual(built(.query), [all])
    try expectEqual(built(.legacy(field: "data")), (isBodiless ? [all] : ["q=1&common=3", "data=%7B%22own%22%3A2%7D"]))
    for placement in [ParameterPlacement.form, .json, .query, .legacy(field: "data")] {
      let body = RequestBody.data(Data("b".utf8), contentType: "text/plain")
      if method == .head {
        #expect(throws: NetworkError.self) { try built(placement, body) }
      } else {
        try expectEqual(built(placement, body), [all, "b"])
      }
    }
  }

  private struct Old: Service {
    let common = [CommonParameters("all", ["common": 3])]
    func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? {
      URL(string: "https://old.example.com").map { ServiceAddresses($0) }
    }
  }

  @Test func commonParametersAreSelected() throws {
    // sample: common-parameters
    struct Catalogue: Service {
      let common = [
        CommonParameters("java", ["version": "7.1"], headers: ["X-Platform": "ios"]),
        CommonParameters("php", ["v": 71, "version": "7"]),
      ]
      let defaultCommon: [CommonParameters.Name] = ["java"]
      func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? {
        URL(string: "https://catalogue.example.com").map { ServiceAddresses($0) }
      }
    }
    let client = NetworkClient(.init(services: [Catalogue()]))
    var lamps = Request(.get, "/lamps", service: "Catalogue")
    let usual = try client.httpRequest(for: lamps)  // /lamps?version=7.1
    lamps.options.common = ["java", "php"]
    let both = try client.httpRequest(for: lamps)  // /lamps?version=7&v=71
    lamps.parameters = ["version": "8"]
    let own = try client.httpRequest(for: lamps)  // /lamps?version=8&v=71
    lamps.options.common = []
    let none = try client.httpRequest(for: lamps)  // /lamps?version=8
    // end sample
    let all = [usual, both, own, none]
    expectEqual(all.map(\.url.query), ["version=7.1", "version=7&v=71", "version=8&v=71", "version=8"])
    expectEqual(all.map { $0.headers["X-Platform"] }, ["ios", "ios", "ios", nil])
    lamps.options.common = ["perl"]
    #expect(throws: NetworkError.self) { try client.httpRequest(for: lamps) }
  }

  @Test func aRequestChoosesAmongTheAddresses() throws {
    // sample: addresses
    struct News: Service {
      func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? {
        func url(_ host: String) -> URL? { URL(string: "https://\(host).example.com") }
        return url("news").map { ServiceAddresses($0, secondary: url("news2"), cdn: url("cdn")) }
      }
    }
    let client = NetworkClient(.init(services: [News()]))
    var today = Request(.get, "/today", service: "News")
    let main = try client.httpRequest(for: today)  // https://news.example.com/today
    today.options.address = .secondary
    let secondary = try client.httpRequest(for: today)  // https://news2.example.com/today
    today.options.address = .cdn
    let cdn = try client.httpRequest(for: today)  // https://cdn.example.com/today
    if let url = URL(string: "https://mirror.example.org") { today.options.address = .custom(url) }
    let own = try client.httpRequest(for: today)  // https://mirror.example.org/today
    // end sample
    let hosts = [main, secondary, cdn, own].map(\.url.host)
    expectEqual(hosts, ["news.example.com", "news2.example.com", "cdn.example.com", "mirror.example.org"])
  }

  @Test func plainHTTPIsRefused() throws {
    // sample: plain-http
    struct OldPrinter: Service {
      func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? {
        URL(string: "http://printer.example.com").map { ServiceAddresses($0) }
      }
      func allowsInsecureHTTP(in environment: ServiceEnvironment) -> Bool { environment == .develop }
    }
    let store = EnvironmentStore(build: .develop, storage: .memory())
    let client = NetworkClient(.init(services: [OldPrinter()], environments: store))
    let labels = Request(.get, "/labels", service: "OldPrinter")
    let allowed = try client.httpRequest(for: labels)
    try store.switch(to: .test)
    do throws(NetworkError) {
      _ = try client.httpRequest(for: labels)
    } catch {
      print(error.code == .insecureAddress, allowed.url)  // true http://printer.example.com/labels
    }
    // end sample
    expectEqual(allowed.url.absoluteString, "http://printer.example.com/labels")
    #expect(throws: NetworkError.self) { try client.httpRequest(for: labels) }
    #expect(throws: NetworkError.self) { try client.httpRequest(for: "http://shop.example.com/") }
    try expectEqual(client.httpRequest(for: "http://127.0.0.1:8080/").url.port, 8080)
  }
}
