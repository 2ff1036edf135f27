import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// The samples of the article RequestsAndBodies: what arrives at a real server.
struct RequestBodySamples {
  private let server: LoopbackServer
  private let client: NetworkClient

  init() throws {
    server = try LoopbackServer()
    server.route("*", "*") { _ in .json("{}") }
    client = NetworkClient(baseURL: server.baseURL)
  }

  private func sent(_ request: Request) async throws -> LoopbackRequest {
    _ = try await client.value(of: request, as: NoContent.self)
    return try require(server.log.requests.last)
  }

  @Test func methodsAndPaths() async throws {
    let id = "a/b"
    // sample: requests-methods
    let read = Request(.get, "/users/\(id)")
    let change = Request(.patch, "/users/\(id)", body: .json(["name": "Ada"]))
    let remove = Request(.delete, "/users/\(id)")
    let find = Request("SEARCH", "/users")  // any method of your own
    // end sample
    let target = try await sent(read).target
    expectEqual(target, "/users/a%2Fb")
    try await expectEqual(sent(change).method, "PATCH")
    try await expectEqual(sent(remove).method, "DELETE")
    try await expectEqual(sent(find).method, "SEARCH")
    let link = "/users?page=2"
    // sample: requests-paths
    let (name, folder) = ("a b/c", "a/b")
    let escaped = Request(.get, "/files/\(name)")  // /files/a%20b%2Fc
    let several = Request(.get, "/files/\(raw: folder)")  // /files/a/b
    let next = Request(.get, RequestPath(link))  // text in a variable is taken as written
    // end sample
    try await expectEqual(sent(escaped).target, "/files/a%20b%2Fc")
    try await expectEqual(sent(several).target, "/files/a/b")
    try await expectEqual(sent(next).target, "/users?page=2")
  }

  @Test func parametersAreVariables() async throws {
    let (text, page, date, limit) = ("a lamp", 2, Date(timeIntervalSince1970: 0), Double?.none)
    // sample: requests-parameters
    let search = Request(
      .get, "/products",
      parameters: ["q": text, "page": page, "since": date, "tags": ["new", "red"], "max": limit])
    // GET /products?q=a lamp&page=2&since=1970-01-01T00:00:00Z&tags[]=new&tags[]=red, percent-encoded
    // end sample
    try await expectEqual(
      sent(search).target,
      "/products?q=a%20lamp&page=2&since=1970-01-01T00%3A00%3A00Z&tags%5B%5D=new&tags%5B%5D=red")
    let query = try await sent(search).query.map { "\($0.name)=\($0.value ?? "")" }
    expectEqual(query, ["q=a lamp", "page=2", "since=1970-01-01T00:00:00Z", "tags[]=new", "tags[]=red"])
    // sample: requests-typed-parameters
    nonisolated struct Search: Encodable, Sendable {
      var q: String
      var page = 1
    }
    let typed = Request(.get, "/products", parameters: Parameters(Search(q: "lamp")))
    // GET /products?q=lamp&page=1
    // end sample
    try await expectEqual(sent(typed).target, "/products?q=lamp&page=1")
    let order = Request(.post, "/orders", query: ["dryRun": true], parameters: ["item": 7])
    // POST /orders?dryRun=true  with the form  item=7
    let posted = try await sent(order)
    expectEqual(posted.target, "/orders?dryRun=true")
    expectEqual(posted.bodyText, "item=7")
    let repeated = Request(
      .get, "/products", parameters: ["tags": ["new", "red"]],
      options: .with { $0.parameterRules = ParameterRules(arrays: .repeated) })
    // GET /products?tags=new&tags=red
    try await expectEqual(sent(repeated).target, "/products?tags=new&tags=red")
  }

  @Test func valuesOfSeveralTypesAreJSON() async throws {
    let (name, age, city) = ("Ada", 36, "Vienna")
    // sample: requests-mixed-json
    let user = Request(
      .post, "/users",
      parameters: ["name": name, "age": age, "address": ["city": city, "zip": 1010] as ParameterObject],
      options: .with { $0.placement = .json })
    // {"address":{"city":"Vienna","zip":1010},"age":36,"name":"Ada"}
    // end sample
    try await expectEqual(sent(user).bodyText, #"{"address":{"city":"Vienna","zip":1010},"age":36,"name":"Ada"}"#)
    let constants = Request(.post, "/users", body: .json(["id": 7, "tags": []] as JSON))
    try await expectEqual(sent(constants).bodyText, #"{"id":7,"tags":[]}"#)
  }

  /// What the article says of text that is taken as written, of the base URL, of escapes and of optional fields.
  @Test func textOfPathsAndValues() async throws {
    let (query, etag) = ("/search?q=repo:a+is:open", String?.none)
    try await expectEqual(sent(Request(.get, RequestPath(query))).target, query)
    try await expectEqual(sent(Request(.get, RequestPath("/caf\u{e9}%20"))).target, "/caf%C3%A9%20")
    let blank = SignalRecorder(client.enqueue(request: Request(.get, RequestPath("/a b"))))
    await blank.waitForEnd()
    expectEqual(blank.failure?.code, .invalidURL)
    let sum = Request(.post, "/sum", query: ["a": "1 + 2"], body: .form(["a": "1 + 2"]))
    try await expectEqual(sent(sum).target, "/sum?a=1%20%2B%202")
    expectEqual(server.log.requests.last?.bodyText, "a=1+%2B+2")
    let api = NetworkClient(baseURL: server.baseURL.appending(path: "v1"))
    for path in ["/users", "users"] {
      try expectEqual(api.httpRequest(for: Request(.get, RequestPath(path))).url.path, "/v1/users")
    }
    let host = try require(URL(string: "https://b\u{fc}cher.example"))  // text with such a host is refused
    try expectEqual(client.httpRequest(for: host).url.absoluteString, "https://xn--bcher-kva.example/")
    var update = Request(.put, "/users/1", headers: ["If-Match": "1"])
    update.headers["If-Match"] = etag
    try await expectNil(sent(update).header("If-Match"))
  }

  /// The table of parts.
  @Test func partsOfAForm() async throws {
    let urls = try (1...2).map { number in
      let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())-\(number).jpg")
      try Data("\(number)".utf8).write(to: url)
      return url
    }
    defer { for url in urls { try? FileManager.default.removeItem(at: url) } }
    let meta = try JSONEncoder().encode(["title": "Lamp"])
    let form = Multipart(urls.map { .file("photos[]", $0) } + [.data("meta", meta, contentType: "application/json")])
    let text = String(decoding: try await sent(Request(.post, "/photos", body: .multipart(form))).body, as: UTF8.self)
    expectEqual(text.components(separatedBy: #"name="photos[]""#).count, 3)
    expect(text.contains("Content-Type: application/json\r\n\r\n{\"title\":\"Lamp\"}"))
  }

  @Test func bodiesOfAllKinds() async throws {
    let image = Data([1, 2, 3])
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).csv")
    try Data("a,b".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    // sample: requests-bodies
    struct Cart: Encodable, Sendable { let items: [Int] }
    let json = Request(.post, "/orders", body: .json(Cart(items: [1, 2])))
    let form = Request(.post, "/login", body: .form(["user": "ada", "password": "secret"]))
    let raw = Request(.put, "/avatar", body: .data(image, contentType: "image/png"))
    let stored = Request(.put, "/report", body: .file(file, contentType: "text/csv"))  // read while it is sent
    // end sample
    try await expectEqual(sent(json).bodyText, #"{"items":[1,2]}"#)
    try await expectEqual(sent(form).bodyText, "user=ada&password=secret")
    try await expectEqual(sent(raw).body, image)
    try await expectEqual(sent(stored).bodyText, "a,b")
    // sample: requests-multipart
    let upload: Multipart = [
      .text("title", "Quarter 3"),
      .file("report", file, contentType: "text/csv"),
      .data("preview", image, fileName: "preview.png"),
    ]
    let multipart = Request(.post, "/reports", body: .multipart(upload))
    // end sample
    let received = try await sent(multipart)
    expectEqual(received.header("Content-Type")?.hasPrefix("multipart/form-data; boundary="), true)
    expect(String(decoding: received.body, as: UTF8.self).contains(#"name="preview"; filename="preview.png""#))
    // sample: requests-stream
    let lines = BodyStream { BodyStream.pieces(of: ["one\n", "two\n"].map { Data($0.utf8) }) }
    let streamed = Request(.post, "/log", body: .stream(lines, contentType: "text/plain"))
    // end sample
    try await expectEqual(sent(streamed).bodyText, "one\ntwo\n")
    let (incoming, input) = AsyncStream.makeStream(of: Data.self)
    input.yield(Data("three".utf8))
    input.finish()
    // sample: requests-relay
    let relayed = BodyStream(readingOnce: incoming)
    let backup = Request(.put, "/backup", body: .stream(relayed, contentType: "application/gzip"))
    // end sample
    try await expectEqual(sent(backup).bodyText, "three")
  }

  @Test func headersAndTimeouts() async throws {
    let client = NetworkClient(baseURL: server.baseURL) {
      $0.headers = ["Accept-Language": "en", "X-App": "shop 1.2"]  // of every request
      $0.idleTimeout = .seconds(20)
      $0.totalTimeout = .seconds(60)
    }
    let report = Request(
      .get, "/report", headers: ["Accept": "text/csv"], idleTimeout: .seconds(120), totalTimeout: .seconds(300))
    let csv = try await client.value(of: report, as: String.self)
    expectEqual(csv, "{}")
    expectEqual(server.log.requests.last?.header("X-App"), "shop 1.2")
    expectEqual(server.log.requests.last?.header("Accept"), "text/csv")
  }

  @Test func redirects() async throws {
    server.route("GET", "/old") { _ in .redirect(to: "/new") }
    let old = Request(.get, "/old", options: .with { $0.redirects = .stop })
    if let response = try await client.exchange(request: old).first() {
      print(response.statusCode, response.headers["Location"] ?? "")  // 302 /new
    }
    expectEqual(server.log.requests.map(\.path), ["/old"])
    server.route("GET", "/orders") { _ in .redirect(to: "/login") }
    // sample: requests-redirect-closure
    let orders = Request(
      .get, "/orders",
      options: .with {
        $0.redirects = .decide { _, proposed in
          proposed.url.path == "/login" ? .refuse(reason: "signed out") : .follow(proposed)  // redirectRefused
        }
      })
    // end sample
    let refused = await #expect(throws: NetworkError.self) { try await client.send(orders) }
    expectEqual(refused?.code, .redirectRefused)
    expectEqual(refused?.reason, "signed out")
  }

  /// The table of placements, cell by cell.
  @Test(arguments: [HTTPMethod.get, .head, .delete, .post, .put, .patch])
  func placement(_ method: HTTPMethod) throws {
    struct Old: Service {
      let common = [CommonParameters("all", ["common": 3])]
      func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? {
        URL(string: "https://old.example.com").map { ServiceAddresses($0) }
      }
    }
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

  @Test func plainHTTP() throws {
    let printer = NetworkClient(baseURL: URL(string: "http://printer.local")) { $0.allowsInsecureHTTP = true }
    let status = try printer.httpRequest(for: "/status")
    print(status.url)  // http://printer.local/status
    expectEqual(status.url.scheme, "http")
  }
}
