import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// The stages that make a request: each may be replaced for one request, and all others still run.
struct RequestStagesTests {
  private struct Step: RequestFilter, Signer, Middleware {
    let name: String
    let trace: Log<String>

    func filter(_ draft: inout RequestDraft) throws(NetworkError) { trace.add(name) }

    func sign(_ draft: inout RequestDraft) throws(NetworkError) {
      trace.add(name)
      draft.headers["X-Sign"] = name
    }

    func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
      trace.add(name)
      return next(request)
    }
  }

  private let trace = Log<String>()
  private let stub = StubTransport()

  private func step(_ name: String) -> Step { Step(name: name, trace: trace) }

  private func client(_ adjust: (inout NetworkClient.Configuration) -> Void = { _ in }) -> NetworkClient {
    for method in [HTTPMethod.get, .post] { stub.on(method, "/v1/a", .json("1"), .json("1")) }
    var shop = Bookshop(defaultCommon: [])
    shop.filters = [step("service filter")]
    shop.signer = step("signer")
    shop.middleware = [step("service middleware")]
    var configuration = NetworkClient.Configuration(services: [shop], transport: stub)
    configuration.filters = [step("filter")]
    configuration.middleware = [step("middleware")]
    configuration.processing = .immediate
    adjust(&configuration)
    return NetworkClient(configuration)
  }

  @Test(
    "S1-4 S0-18",
    arguments: [
      (
        "none", ["filter", "service filter", "signer", "middleware", "service middleware"], "tags%5B%5D=a&tags%5B%5D=b"
      ),
      ("placement", ["filter", "service filter", "signer", "middleware", "service middleware"], ""),
      (
        "rules", ["filter", "service filter", "signer", "middleware", "service middleware"], "tags=a&tags=b"
      ),
      ("filters", ["own", "signer", "middleware", "service middleware"], "tags%5B%5D=a&tags%5B%5D=b"),
      ("signer", ["filter", "service filter", "own", "middleware", "service middleware"], "tags%5B%5D=a&tags%5B%5D=b"),
      (
        "middleware", ["filter", "service filter", "signer", "middleware", "service middleware", "own"],
        "tags%5B%5D=a&tags%5B%5D=b"
      ),
    ])
  func oneIsReplacedAndTheOthersRun(_ stage: String, _ expected: [String], _ form: String) throws {
    let usual = ["filter", "service filter", "signer", "middleware", "service middleware"]
    let client = client()
    var request = Request(.post, "a", service: "books", parameters: ["tags": ["a", "b"]])
    let plain = request
    switch stage {
    case "placement": request.options.placement = .query
    case "rules": request.options.parameterRules = ParameterRules(arrays: .repeated)
    case "filters": request.options.filters = [step("own")]
    case "signer": request.options.signer = step("own")
    case "middleware": request.options.middleware = [step("own")]
    default: break
    }
    expectEqual(SignalRecorder(client.enqueue(request: request, resultType: Int.self)).values.count, 1)
    expectEqual(trace.entries, expected)
    let sent = try require(stub.requests.first)
    expectEqual(sent.text, form)
    expect(sent.url.query?.isEmpty != false || stage == "placement")
    expectEqual(sent.headers["X-Sign"], (stage == "signer" ? "own" : "signer"))
    // The next one is as before.
    expectEqual(SignalRecorder(client.enqueue(request: plain, resultType: Int.self)).values.count, 1)
    expectEqual(Array(trace.entries.dropFirst(expected.count)), usual)
    expectEqual(stub.requests.last?.text, "tags%5B%5D=a&tags%5B%5D=b")
  }

  /// A repeated attempt runs all stages again, and a stored response needs no middleware.
  @Test("S1-4", arguments: ["retry", "cache"]) func aPolicyIsReplacedAndTheOthersRun(_ stage: String) {
    let all = ["filter", "service filter", "signer", "middleware", "service middleware"]
    let isRetry = stage == "retry"
    let client = client()
    if isRetry {
      stub.on(.get, "/v1/b", .status(503), .json("1"), .status(503))
    } else {
      stub.on(.get, "/v1/b", .json("1"), .json("2"))
    }
    let plain = Request(.get, "b", service: "books")
    var request = plain
    request.options.retry = isRetry ? Retry(limit: 1, backoff: .none) : nil
    if !isRetry { request.options.cache = .timeToLive(.seconds(60)) }
    func values(_ request: Request) -> [Int] {
      SignalRecorder(client.enqueue(request: request, resultType: Int.self)).values.map(\.value)
    }
    expectEqual(values(request), [1])
    expectEqual(trace.entries, isRetry ? all + all : all)
    if !isRetry {
      expectEqual(values(request), [1])
      expectEqual(trace.entries, all + all.prefix(3))
    }
    let count = trace.entries.count
    expectEqual(values(plain), isRetry ? [] : [2])
    expectEqual(Array(trace.entries.dropFirst(count)), all)
  }

  @Test("S1-4") func aRequestWithoutAServiceMayHaveASignerAndNoFilters() {
    stub.on("GET", "/a", .json("1"))
    var request = Request(.get, "https://a.example/a")
    request.options.signer = step("own")
    request.options.filters = []
    let client = client { $0.builder.trustedOrigins = [Origin(host: "a.example")] }
    expect(SignalRecorder(client.exchange(request: request)).isCompleted)
    expectEqual(trace.entries, ["own", "middleware"])
    request.options.isSigned = false
    stub.on("GET", "/a", .json("1"))
    expect(SignalRecorder(client.exchange(request: request)).isCompleted)
    expectEqual(trace.entries, ["own", "middleware", "middleware"])
  }

  /// Notes the content type that it would sign, and may encode the form itself.
  private struct Typing: Signer {
    let types: Log<String?>
    var encodesForm = false

    func sign(_ draft: inout RequestDraft) throws(NetworkError) {
      types.add(draft.headers["Content-Type"])
      guard encodesForm else { return }
      draft.body = .data(Data(draft.form.map { "\($0.name)=\($0.value ?? "")" }.joined(separator: "&").utf8))
      draft.form = []
    }
  }

  /// A filter that replaces a form by bytes.
  private struct Packing: RequestFilter {
    func filter(_ draft: inout RequestDraft) throws(NetworkError) {
      draft.body = .data(Data("{}".utf8))
      draft.form = []
    }
  }

  @Test("S1-4", arguments: ["form", "parameters", "json", "encoded", "packed", "own"])
  func aSignerSeesTheContentTypeThatIsSent(_ kind: String) throws {
    let types = Log<String?>()
    var request = Request(.post, "a", service: "books", parameters: ["a": 1])
    request.options.signer = Typing(types: types, encodesForm: kind == "encoded")
    var expected = "application/x-www-form-urlencoded"
    switch kind {
    case "form": (request.body, request.parameters) = (.form(["a": 1]), [:])
    case "json": (request.options.placement, expected) = (.json, "application/json")
    case "packed": (request.options.filters, expected) = ([Packing()], "application/json; v=2")
    case "own":
      request.headers["Content-Type"] = "a/b"
      expected = "a/b"
    default: break
    }
    // The default of the service or the client gives way to a form, and applies to other bodies.
    let client = client {
      $0.headers["Content-Type"] = kind == "json" ? nil : "application/json; v=2"
      $0.baseURL = URL(string: "https://books-release.example.com")
    }
    expectEqual(SignalRecorder(client.enqueue(request: request, resultType: Int.self)).values.count, 1)
    expectEqual(types.entries, [expected])
    expectEqual(stub.requests.map { $0.headers["Content-Type"] }, [expected])
    expectEqual(stub.requests.first?.text, ["json": #"{"a":1}"#, "packed": "{}"][kind] ?? "a=1")
  }

  /// The content type of a form is the library's, not that of the filters, the signer or a middleware.
  @Test func anExplanationNamesTheSourceOfAFormsContentType() throws {
    for isSigned in [true, false] {
      let client = client { $0.monitors = [MonitorLog()] }
      let request = Request(
        .post, "a", service: "books", parameters: ["a": 1], options: .with { $0.isSigned = isSigned })
      let recorder = SignalRecorder(client.enqueue(request: request, resultType: Int.self))
      let lines = try require(recorder.values.first).explanation.split(separator: "\n")
      let line = try require(lines.first { $0.contains("Content-Type: application/x-www-form") })
      expect(line.contains("library "), "\(line)")
    }
  }

  /// As its own middleware runs, and its own filters.
  @Test("S1-4 P13") func elsewhereTheSignerOfTheRequestSignsAndThatOfTheServiceDoesNot() {
    stub.on("GET", "/a", .json("1"))
    var request = Request(.get, "https://elsewhere.example/a", service: "books")
    expect(SignalRecorder(client().exchange(request: request)).isCompleted)
    expectEqual(trace.entries, [])
    request.options.signer = step("own")
    expect(SignalRecorder(client().exchange(request: request)).isCompleted)
    expectEqual(trace.entries, ["own"])
  }

  @Test("S4-6 S1-4") func addressesMayBeMadeByAnotherRule() {
    stub.on("GET", "/v1/a/ann", .json("1"))
    let client = client {
      $0.makeURL = { path, base throws(NetworkError) in
        guard let base else { throw NetworkError(.invalidURL, reason: "\(path) has no base URL") }
        return base.appendingPathComponent(path).appendingPathComponent("ann")
      }
    }
    let recorder = SignalRecorder(client.enqueue(request: Request(.get, "a", service: "books"), resultType: Int.self))
    expectEqual(recorder.values.count, 1)
    // The stages behind it run as before.
    expectEqual(trace.entries, ["filter", "service filter", "signer", "middleware", "service middleware"])
  }

  @Test("S4-9") func withoutANetworkNothingIsSignedOrFetched() {
    let network = ManualReachability(.unreachable)
    let client = client { $0.reachability = network }
    let request = Request(.get, "a", service: "books")
    let offline = SignalRecorder(client.enqueue(request: request, resultType: Int.self))
    expectEqual(offline.failure?.code, .unreachable)
    expectNil(offline.failure?.request?.headers["X-Sign"])
    // The address may be put together.
    expectEqual(trace.entries, ["filter", "service filter"])
    expect(stub.requests.isEmpty)
    network.set(.reachable)
    expectEqual(SignalRecorder(client.enqueue(request: request, resultType: Int.self)).values.count, 1)
    expect(trace.entries.contains("signer"))
  }

  /// The signed request is the key of a stored response; a streamed one is never stored.
  @Test("S4-9") func withoutANetworkASignatureIsForTheCacheAlone() {
    let client = client { $0.reachability = ManualReachability(.unreachable) }
    let request = Request(.get, "a", service: "books", cache: .timeToLive(.seconds(60)))
    expectEqual(SignalRecorder(client.stream(request: request)).failure?.code, .unreachable)
    expectEqual(trace.entries, ["filter", "service filter"])
    expectEqual(SignalRecorder(client.enqueue(request: request, resultType: Int.self)).failure?.code, .unreachable)
    expectEqual(trace.entries, ["filter", "service filter", "filter", "service filter", "signer"])
    expect(stub.requests.isEmpty)
  }

  @Test("S4-9") func whatIsForThisMachineIsSignedWithoutANetwork() {
    stub.on("GET", "/a", .json("1"))
    let client = client {
      $0.reachability = ManualReachability(.unreachable)
      $0.builder.trustedOrigins = [Origin(scheme: "http", host: "127.0.0.1")]
    }
    let request = Request(.get, "http://127.0.0.1/a", options: .with { $0.signer = step("own") })
    expect(SignalRecorder(client.exchange(request: request)).isCompleted)
    expect(trace.entries.contains("own"))
  }
}
