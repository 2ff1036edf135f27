import Foundation
import Heliograph
import HeliographTestSupport

extension GoldenRequest {
  /// What all requests may name, at the server's address.
  static func services(_ base: URL) -> [any Service] {
    let addresses = ServiceAddresses(
      base.appendingPathComponent("main"), secondary: base.appendingPathComponent("secondary"),
      cdn: base.appendingPathComponent("cdn"))
    return [
      ShopService(place: addresses), LegacyService(place: addresses),
      SigningService(id: "signed query", place: addresses, signer: signer(.query)),
      SigningService(id: "signed header", place: addresses, signer: signer(.header)),
    ]
  }

  private static func signer(_ location: HMACSigner.Location) -> HMACSigner {
    HMACSigner(
      key: Data("secret".utf8), location: location, now: { Date(timeIntervalSince1970: 1_700_000_000.9) },
      nonce: { "n-1" })
  }

  private static func shop(
    _ method: HTTPMethod = .get, _ path: String = "/news", parameters: Parameters = [:],
    _ set: (inout RequestOptions) -> Void = { _ in }
  ) -> Request {
    Request(method, RequestPath(path), service: "shop", parameters: parameters, options: .with(set))
  }

  static let services: [GoldenRequest] = [
    GoldenRequest("address-main", shop()),
    GoldenRequest("address-secondary", shop { $0.address = .secondary }),
    GoldenRequest("address-cdn", shop { $0.address = .cdn }),
    GoldenRequest("address-custom") { base in shop { $0.address = .custom(base.appendingPathComponent("own/")) } },
    GoldenRequest("common-none", shop(parameters: ["page": 2]) { $0.common = [] }),
    GoldenRequest("common-one", shop(parameters: ["page": 2]) { $0.common = ["user"] }),
    GoldenRequest("common-several", shop(parameters: ["page": 2, "app": "own"]) { $0.common = ["user", "app"] }),
    GoldenRequest("common-usual-in-a-form", shop(.post, "/orders", parameters: ["item": "lamp"])),
    GoldenRequest(
      "legacy-form",
      Request(
        .post, "/orders", service: "legacy", parameters: ["b": [1, true] as ParameterValue, "a": "x y&é", "n": nil])),
    GoldenRequest(
      "legacy-form-in-a-query",
      Request(.get, "/orders", service: "legacy", parameters: ["b": [1, true] as ParameterValue, "a": "x y&é"])),
    GoldenRequest(
      "filters", Request(.post, "/orders?x=1", service: "shop", query: ["q": "1"], parameters: ["item": "lamp"])
    ) { $0.filters = [Stamp(name: "client")] },
  ]

  static let signatures: [GoldenRequest] = [
    GoldenRequest(
      "signed-query",
      Request(
        .get, "/a%20b?own=1+1&flag", service: "signed query",
        parameters: ["q": "x y+é/", "list": ["b", "a"], "sign": "forged"])),
    GoldenRequest(
      "signed-query-of-a-form",
      Request(.post, "/orders?shop=7", service: "signed query", parameters: ["item": "a lamp", "count": 2])),
    GoldenRequest(
      "signed-query-of-a-stream",
      Request(
        .put, "/notes", service: "signed query",
        body: .stream(BodyStream { BodyStream.pieces(of: [Data("piece".utf8)]) }, contentType: "text/plain"))),
    GoldenRequest(
      "signed-header", Request(.post, "/orders?shop=7", service: "signed header", body: .json(["item": "lamp"]))),
    GoldenRequest(
      "not-signed", Request(.get, "/orders", service: "signed query", options: .with { $0.isSigned = false })),
  ]
}

private struct ShopService: Service {
  let place: ServiceAddresses
  var id: ServiceID { "shop" }
  var headers: HTTPHeaders { ["X-Shop": "7", "X-App": "shop's"] }
  var filters: [any RequestFilter] { [Stamp(name: "service")] }
  var common: [CommonParameters] {
    [
      CommonParameters("app", ["app": "lamps", "version": "1.0"], headers: ["X-App": "set's"]),
      CommonParameters("user", ["user": 7, "app": "user's"], headers: ["X-User": "7"]),
    ]
  }

  func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? { place }
}

private struct LegacyService: Service {
  let place: ServiceAddresses
  var id: ServiceID { "legacy" }
  var placement: ParameterPlacement { .legacy(field: "data") }
  var common: [CommonParameters] { [CommonParameters("app", ["app": "lamps & more"])] }

  func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? { place }
}

private struct SigningService: Service {
  let id: ServiceID
  let place: ServiceAddresses
  let signer: (any Signer)?

  func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? { place }
}

/// Marks what comes by, in each part of a request.
private struct Stamp: RequestFilter {
  let name: String

  func filter(_ draft: inout RequestDraft) {
    if name == "service" && draft.form.isEmpty { return }
    draft.query.append(ParameterPair("by", name))
    draft.form.append(ParameterPair("by", name))
    draft.headers.add(name, for: "X-By")
  }
}
