import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What a caller writes; what must arrive stands in the file of the same name in `Tests/Fixtures/golden`.
struct GoldenRequest: Sendable, CustomTestStringConvertible {
  let name: String
  /// What the client is told before, given the server's address.
  let adjust: @Sendable (inout RequestBuilder) -> Void
  /// The request, given the server's address.
  let request: @Sendable (URL) throws -> any RequestConvertible

  var testDescription: String { name }

  init(
    _ name: String, _ adjust: @escaping @Sendable (inout RequestBuilder) -> Void = { _ in },
    request: @escaping @Sendable (URL) throws -> any RequestConvertible
  ) {
    self.name = name
    self.adjust = adjust
    self.request = request
  }

  /// A request that is the same wherever the server is.
  init(
    _ name: String, _ request: Request, _ adjust: @escaping @Sendable (inout RequestBuilder) -> Void = { _ in }
  ) {
    self.init(name, adjust) { _ in request }
  }

  static var all: [GoldenRequest] { methods + queries + bodies + headers + addresses + services + signatures + wishes }

  private static let methods: [GoldenRequest] = [
    GoldenRequest("method-get", Request(.get, "/products")),
    GoldenRequest("method-head", Request(.head, "/products", parameters: ["page": 2])),
    GoldenRequest("method-delete", Request(.delete, "/products/7", parameters: ["reason": "sold out"])),
    GoldenRequest("method-options", Request("OPTIONS", "/products")),
    GoldenRequest("method-post-empty", Request(.post, "/carts")),
    GoldenRequest("method-put-empty", Request(.put, "/carts/7")),
    GoldenRequest("method-patch", Request(.patch, "/carts/7", body: .json(["count": 2]))),
    GoldenRequest(
      "method-of-ones-own", Request("REPORT", "/carts", body: .data(Data("<all/>".utf8), contentType: "text/xml"))),
    GoldenRequest(
      "method-get-with-a-body", Request(.get, "/search", body: .json(["q": "lamp"]))),
  ]

  private static let bodies: [GoldenRequest] = [
    GoldenRequest("form", Request(.post, "/orders", parameters: ["item": "a lamp", "count": 2, "gift": true])),
    GoldenRequest(
      "form-reserved",
      Request(.post, "/orders", body: .form(["*-._~ +&=%": "é 漢 🏮\r\n", "list": ["a", "b"], "none": "", "null": nil]))),
    GoldenRequest(
      "form-body-and-parameters", Request(.post, "/orders", parameters: ["dry": true], body: .form(["item": "lamp"]))),
    GoldenRequest(
      "json-parameters",
      Request(
        .post, "/orders", query: ["dry": true],
        parameters: [
          "items": [["id": 7, "price": 19.9], ["id": 8, "price": 1e21]] as ParameterValue, "gift": false, "note": nil,
          "text": "a \"b\"\\/\n\u{1}é🏮",
          "at": Date(timeIntervalSince1970: 1_767_323_045.25), "seal": Data([0, 1, 255]),
          "none": [:] as ParameterValue,
        ])
    ) { $0.placement = .json },
    GoldenRequest("query-placement", Request(.post, "/orders", parameters: ["item": "a lamp"])) {
      $0.placement = .query
    },
    GoldenRequest(
      "body-data", Request(.put, "/raw", body: .data(Data([0, 1, 13, 10, 255]), contentType: "image/x-lamp"))),
    GoldenRequest("body-empty-data", Request(.put, "/raw", body: .data(Data(), contentType: "text/plain"))),
    GoldenRequest("body-json", Request(.put, "/orders/7", body: .json(Order.example))),
    GoldenRequest("body-file", Request(.put, "/notes", body: .file(Self.notes, contentType: "text/plain"))),
    GoldenRequest("body-stream", Request(.put, "/notes", body: .stream(Self.stream(nil), contentType: "text/plain"))),
    GoldenRequest(
      "body-stream-of-known-length", Request(.put, "/notes", body: .stream(Self.stream(9), contentType: "text/plain"))),
  ]

  private static let headers: [GoldenRequest] = [
    GoldenRequest(
      "headers",
      Request(
        .get, "/",
        headers: ["X-Plain": "a", "x-lower": "b", "X-Inner": "a  b\tc", "X-Text": "é", "Accept": "text/html"])),
    GoldenRequest(
      "headers-repeated", Request(.get, "/", headers: ["X-Tag": "a", "X-Other": "o", "x-tag": "b, c", "X-Tag": "d"])),
    GoldenRequest("headers-empty", Request(.get, "/", headers: ["X-Empty": "", "X-Last": "z"])),
    GoldenRequest("headers-blank", Request(.get, "/", headers: ["X-Blank": " \t", "X-Last": " z "])),
    GoldenRequest(
      "headers-of-the-client",
      Request(.post, "/", headers: ["x-app": "own", "content-type": "application/vnd.lamp+json"], body: .json([1]))
    ) { $0.headers = ["X-App": "shop", "X-Version": "7", "Accept-Language": "de, en;q=0.5"] },
  ]

  private static let addresses: [GoldenRequest] = [
    GoldenRequest("address-absolute") { base in
      Request(.get, RequestPath(base.absoluteString + "/a/b?x=1#top"), query: ["y": "2"])
    },
    GoldenRequest(
      "address-base-with-slashes", { $0.below("/v1//shop//") }, request: { _ in Request(.get, "products//7/") }),
    GoldenRequest(
      "address-base-with-a-query", { $0.below("/v1/?key=k%20k&flag") },
      request: { _ in Request(.get, "products?x=1&y", query: ["z": "3"]) }),
    GoldenRequest("address-base-alone", { $0.below("") }, request: { _ in Request(.get, "") }),
    GoldenRequest("address-escaped", Request(.get, "/a%20b/%C3%A9/%2F/%7e;p=1,2/@:!$&'()*+,=~/漢?q=%26+/?:@!$'()*,;")),
    GoldenRequest("address-half-escaped", Request(.get, "/a{b}%20c/é?tags[]=a%20b|c&q=%22")),
    GoldenRequest("address-half-escaped-absolute") { base in
      Request(.get, RequestPath(base.absoluteString + "/é%20?tags[]=a%20b&to=http://x/é"))
    },
    GoldenRequest("address-dots", Request(.get, "/a/./b/../c/..?d=../e")),
  ]

  private static let wishes: [GoldenRequest] = [
    GoldenRequest("request-string") { _ in "/products?page=2" as Request },
    GoldenRequest("request-url") { try require(URL(string: "/products?page=2", relativeTo: $0)) },
    GoldenRequest("request-url-request") { base in
      var request = URLRequest(url: base.appendingPathComponent("orders/7"))
      request.httpMethod = "PUT"
      request.httpBody = Data("plain bytes".utf8)
      request.setValue("b", forHTTPHeaderField: "X-B")
      request.setValue("a", forHTTPHeaderField: "X-A")
      return request
    },
    GoldenRequest("request-endpoint") { _ in Lamps.named("floor lamp", Order.example) },
  ]
}

/// An interface as an app would write it down.
private enum Lamps: Endpoint {
  case named(String, Order)

  var request: Request {
    switch self {
    case .named(let name, let order):
      Request(.put, "/lamps", parameters: ["name": name], headers: ["X-Kind": "lamp"], body: .json(order))
    }
  }
}

/// A typed value, with all that has a form of its own.
struct Order: Encodable, Sendable {
  var name = "lamp é/\u{1F3EE}"
  var id = UInt64.max
  var price = Decimal(199) / 10
  var isGift = true
  var note: String?
  var lines = [["b": 1, "a": 2]]

  static let example = Order()
}

extension GoldenRequest {
  fileprivate static let notes = Repository.fixture("notes.txt")

  fileprivate static func stream(_ byteCount: Int?) -> BodyStream {
    BodyStream(byteCount: byteCount) { BodyStream.pieces(of: ["one\n", "two\n", "3"].map { Data($0.utf8) }) }
  }
}

extension RequestBuilder {
  fileprivate mutating func below(_ path: String) {
    baseURL = baseURL.flatMap { URL(string: $0.absoluteString + path) }
  }
}
