import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// No description, debug description or dump shows what may be secret, and none of a single thing has a second line.
struct RedactionTests {
  private let secret = "hunter2"
  private let url = URL(string: "https://ada:hunter2@api.example.com/users?token=hunter2#hunter2")

  private func expectRedacted(_ value: Any, sourceLocation: SourceLocation = #_sourceLocation) {
    expectHidden(secret, in: value, sourceLocation: sourceLocation)
    expectHidden(secret, in: [value], sourceLocation: sourceLocation)
    #expect(!"\(value)".contains { $0.isNewline }, sourceLocation: sourceLocation)
  }

  private var headers: HTTPHeaders {
    [
      "Authorization": "Bearer hunter2", "Set-Cookie": "sid=hunter2", "X-Api-Key": "hunter2",
      "Location": "https://ada:hunter2@b.example/cb?code=hunter2", "Referer": "/a?token=hunter2",
    ]
  }

  @Test("P13") func fieldsAndHeads() throws {
    let url = try require(url)
    for field in headers { expectRedacted(field) }
    expectHidden(secret, in: headers)
    expectRedacted(HTTPResponse(statusCode: 200, headers: headers, url: url))
    expectRedacted(Response(value: 1, head: HTTPResponse(statusCode: 200, headers: headers, url: url)))
    expectRedacted(HTTPRequest(method: .post, url: url, headers: headers, body: .data(Data("a=hunter2".utf8))))
    expectEqual("\(HTTPResponse(statusCode: 200, url: url))", "200 https://api.example.com/users?…")
    expect("\(headers)".contains("Location: https://b.example/cb?…"))
    expectEqual("\(HTTPHeaders.Field(name: "X", value: "a\nb\u{1B}"))", #"X: a\nb\u{1B}"#)
    expectEqual(
      "\(HTTPHeaders([.init(name: "X", value: "a\nY: b"), .init(name: "Z", value: "1")]))", "X: a\\nY: b\nZ: 1")
  }

  @Test("P13") func parametersAndRequests() throws {
    let url = try require(url)
    let parameters: Parameters = ["password": "hunter2", "deep": ["password": "hunter2"], "name\n": "hunter2"]
    expectRedacted(ParameterPair("password", secret))
    expectRedacted(parameters)
    expectRedacted(try parameters.object())
    expectHidden(secret, in: CommonParameters("set", parameters, headers: headers))
    expectRedacted(RequestBody.form(parameters))
    expectRedacted(
      Request(
        .post, "https://ada:hunter2@a.example/a?token=hunter2", query: parameters, parameters: parameters,
        headers: headers, body: .form(parameters)))
    let pairs = [ParameterPair("password", secret)]
    expectRedacted(RequestDraft(method: .post, url: url, query: pairs, form: pairs, headers: headers))
    expectEqual("\(ParameterPair("a\nb", "c"))", #"a\nb=<redacted>"#)
    expectEqual("\(ParameterPair("a", nil))", "a")
    expectEqual("\(parameters)", #"[password, deep, name\n]"#)
    expectEqual("\(Request(.get, "/a?b=c"))", "GET /a?…")
  }

  @Test("P13") func settings() throws {
    let proxy = try require(URL(string: "http://ada:hunter2@proxy.example:3128"))
    var settings = TransportSettings()
    settings.proxy = .server(proxy, user: "ada", password: secret)
    settings.trust.identities["a.example"] = Trust.Identity(
      certificate: URL(fileURLWithPath: "/c.pem"), key: URL(fileURLWithPath: "/k.pem"), passphrase: secret)
    for value in [settings, settings.proxy, settings.trust, settings.trust.identities] as [Any] {
      expectRedacted(value)
    }
    expectEqual("\(settings.proxy)", "server http://proxy.example:3128")
  }

  @Test("P13") func bodiesAndAddresses() throws {
    let parts: Multipart = [.text("password", secret), .data("file", Data(secret.utf8), fileName: secret + ".txt")]
    expectRedacted(parts)
    expectRedacted(parts.parts[1])
    expectRedacted(RequestPath("https://ada:hunter2@a.example/a?token=hunter2"))
    expectRedacted(
      EnvironmentStore.State(environment: .custom, customAddress: URL(string: "https://a.example/?hunter2")))
    let url = try require(URL(string: "https://a.example/a;jsessionid=hunter2/b"))
    expectRedacted(HTTPRequest(url: url))
    expectEqual("\(HTTPRequest(url: url))", "GET https://a.example/a;jsessionid=…/b")
    let head = HTTPResponse(statusCode: 200, headers: headers, url: url)
    expectRedacted(Response(value: Data(secret.utf8), head: head))
    expectRedacted(MonitorEvent.received(HTTPRequest(url: url), Response(value: Data(secret.utf8), head: head)))
  }

  /// A server's text in a content type is not in logs; the type itself is.
  @Test func contentTypes() throws {
    for (field, shown) in [
      ("text/html; charset=UTF-8; a=hunter2", "text/html; charset=utf-8"), ("text/html; charset=hunter2", "text/html"),
      ("hunter2", "malformed"), ("hunter 2/a", "malformed"), ("", "missing"),
    ] {
      let response = Response(
        value: Data("a".utf8),
        head: HTTPResponse(statusCode: 200, headers: ["Content-Type": field], url: try require(url)))
      let error = #expect(throws: NetworkError.self) { try ContentTypeValidator(accepted: []).validate(response) }
      expectEqual(error?.reason.hasPrefix("unacceptable Content-Type \(shown)"), true, "\(error?.reason ?? "")")
      expect(error.map { !"\($0)".contains("hunter") } == true)
    }
  }

  @Test func errors() throws {
    let url = try require(url)
    let response = Response(
      value: Data("hunter2".utf8), head: HTTPResponse(statusCode: 500, headers: headers, url: url))
    let error = NetworkError(
      .status(500), reason: "first\nsecond\u{1B}[0m", request: HTTPRequest(url: url, headers: headers),
      response: response, underlying: NSError(domain: "a\nb", code: 1, userInfo: ["x": secret]))
    expectRedacted(error)
    expectEqual(error.reason, #"first\nsecond\u{1B}[0m"#)
    expect("\(error)".hasSuffix(#"(GET https://api.example.com/users?…) <- a\nb 1"#))
    expect(NetworkError(.api(1), reason: String(repeating: "a", count: 5_000)).reason.utf8.count < 1_010)
    expectRedacted(MonitorEvent.sent(HTTPRequest(url: url, headers: headers)))
  }

  /// A redirect's address, or a path from somebody's data, must not write a line of its own.
  @Test func aMonitorWritesOneLineForEachEvent() async throws {
    let lines = Log<String>()
    let stub = StubTransport()
    stub.on(.get, "/a\n2026-01-01 admin logged in", .json("1", status: 500))
    var configuration = NetworkClient.Configuration(transport: stub)
    configuration.monitors = [ConsoleMonitor { lines.add($0) }]
    let client = NetworkClient(configuration)
    let path = "https://a.example/a%0A2026-01-01%20admin%20logged%20in?token=hunter2"
    await SignalRecorder(client.enqueue(request: Request(.get, RequestPath(path)), resultType: Int.self)).waitForEnd()
    expectEqual(lines.entries.count, 2)
    expect(lines.entries.allSatisfy { $0.contains("/a%0A2026-01-01%20admin%20logged%20in?…") })
    expect(!lines.entries.contains { $0.contains { $0.isNewline } || $0.contains(secret) })
  }
}
