import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// The `curl` command of a request: what was sent, without secrets.
struct CurlCommandTests {
  private func request(
    _ method: HTTPMethod = .get, _ url: String = "https://a.example/b?q=1", headers: HTTPHeaders = [:],
    body: HTTPBody = .empty
  ) throws -> HTTPRequest {
    HTTPRequest(method: method, url: try require(URL(string: url)), headers: headers, body: body)
  }

  @Test("P12") func aRequestIsOneLine() throws {
    try expectEqual(request().curlCommand, "curl 'https://a.example/b?q=1'")
    // The client sends the path as it is, which `curl` would resolve.
    for path in ["a/../b", "a/.", "%2E%2e/b"] {
      let command = try request(.get, "https://a.example/\(path)?q=1").curlCommand
      expectEqual(command, "curl --path-as-is 'https://a.example/\(path)?q=1'")
    }
    try expectEqual(request(.get, "https://a.example/.a/b..?q=/../").curlCommand.contains("--path"), false)
    try expectEqual(request(.head, "https://a.example/").curlCommand, "curl --head 'https://a.example/'")
    let order = try request(
      .post, headers: ["Content-Type": "application/json", "X-Empty": "", "Accept-Encoding": "gzip"],
      body: .data(Data(#"{"item":"it's\nnew"}"#.utf8)))
    expectEqual(
      order.curlCommand,
      "curl -X POST 'https://a.example/b?q=1' -H 'Content-Type: application/json' -H 'X-Empty;' "
        + #"-H 'Accept-Encoding: gzip' --compressed --data-binary $'{"item":"it\x27s\\nnew"}'"#)
    try expectEqual(request(headers: ["X-Name": "it's"]).curlCommand.suffix(18), #" -H 'X-Name: it'\''s'"#.suffix(18))
    let lines = try request(.put, headers: ["Content-Type": "text/plain"], body: .data(Data("a\n'b'\\\u{1}".utf8)))
    expect(lines.curlCommand(includingSecrets: true).hasSuffix(#"--data-binary $'a\n\x27b\x27\\\x01'"#))
  }

  /// A validator of a server is sent in the next request: it must not control a terminal.
  @Test func whatIsInvisibleIsEscaped() throws {
    let command = try request(headers: ["If-None-Match": "\"é\u{9B}2J\u{202E}\u{2028}'\""]).curlCommand
    expectEqual(
      command,
      #"curl 'https://a.example/b?q=1' -H $'If-None-Match: "é\xc2\x9b2J\xe2\x80\xae\xe2\x80\xa8\x27"'"#)
  }

  /// In fish, `\'` within quotes is a quote: the word would end at the next one, and the rest would be commands.
  @Test func aValidatorWithABackslashAndAQuoteIsOneWordInEveryShell() throws {
    let command = try request(headers: ["If-None-Match": #""x\';id;#""#]).curlCommand
    expectEqual(command, #"curl 'https://a.example/b?q=1' -H $'If-None-Match: "x\\\x27;id;#"'"#)
  }

  @Test("P12") func secretsAreRedactedUnlessAskedFor() throws {
    let form = try request(
      .post, "https://ada:hunter2@a.example/?access_token=hunter2&page=2#top",
      headers: [
        "Authorization": "Bearer hunter2", "Referer": "https://a.example/b?code=hunter2#c",
        "Content-Type": "Application/X-WWW-Form-URLEncoded ; charset=utf-8",
      ],
      body: .data(Data("user=ada&password=hunter2".utf8)))
    expect(!form.curlCommand.contains("hunter2"))
    expect(form.curlCommand.contains("page=2"))
    expect(form.curlCommand.contains("user=ada"))
    expectEqual(form.curlCommand(includingSecrets: true).components(separatedBy: "hunter2").count, 6)
    let json = try request(
      .post, headers: ["Content-Type": "application/json"],
      body: .data(
        Data(#"{"user":{"name":"ada","refreshToken":"hunter2"},"pin":1234,"list":[{"secret":["hunter2"]}]}"#.utf8)))
    expect(!json.curlCommand.contains("hunter2"))
    expect(!json.curlCommand.contains("1234"))
    expect(json.curlCommand.contains(#""name":"ada""#))
    for type in ["text/json", "Application/Problem+JSON;charset=utf-8"] {
      let text = try request(
        .post, headers: ["Content-Type": type], body: .data(Data(#"{"token":"hunter2","a":1}"#.utf8)))
      expect(!text.curlCommand.contains("hunter2"), "\(type)")
      expect(text.curlCommand.contains(#""a":1"#), "\(type)")
      let malformed = try request(.post, headers: ["Content-Type": type], body: .data(Data("{hunter2".utf8)))
      expect(malformed.curlCommand.hasSuffix("--data-binary '<8 bytes>'"), "\(type)")
    }
    // Nothing but JSON and forms is looked into.
    let odd = try request(.post, headers: ["Content-Type": "application/xml"], body: .data(Data("<p>hunter2</p>".utf8)))
    expect(odd.curlCommand.hasSuffix("--data-binary '<14 bytes>'"))
  }

  /// Servers take JSON whatever its type is, and several values in a text: one per line, or in events.
  @Test func jsonInATextIsRedacted() throws {
    let cases: [(type: String, body: String, word: String)] = [
      ("text/plain", #"{"token":"hunter2","a":1}"#, #"'{"token":"<redacted>","a":1}'"#),
      ("text/plain", "{\"token\":\"hunter2\"}\n{\"a\":1}\n", #"$'{"token":"<redacted>"}\n{"a":1}\n'"#),
      (
        "text/event-stream", "event: a\r\ndata: {\"token\":\"hunter2\"}\r\n\r\n",
        #"$'event: a\r\ndata: {"token":"<redacted>"}\r\n\r\n'"#
      ),
      ("text/plain", "Dear {name},\n{b}\n[1, 2]\n", "'<24 bytes>'"),
    ]
    for (type, body, word) in cases {
      let sent = try request(.post, headers: ["Content-Type": type], body: .data(Data(body.utf8)))
      expect(sent.curlCommand.hasSuffix(" --data-binary " + word), "\(body)")
    }
  }

  @Test(arguments: ["X-Shopify-Access-Token", "X-Client-Secret", "X-Hub-Signature-256", "Ocp-Apim-Subscription-Key"])
  func fieldsWithNamesLikeThoseOfSecretsAreRedacted(_ name: String) throws {
    let sent = try request(headers: HTTPHeaders([.init(name: name, value: "hunter2")]))
    expect(sent.curlCommand.hasSuffix(" -H '\(name): <redacted>'"))
  }

  @Test(arguments: ["Idempotency-Key", "Access-Control-Allow-Credentials", "X-RateLimit-Remaining-Tokens"])
  func otherFieldsAreShown(_ name: String) throws {
    let sent = try request(headers: HTTPHeaders([.init(name: name, value: "shown")]))
    expect(sent.curlCommand.hasSuffix(" -H '\(name): shown'"))
  }

  /// The commands of a value in a query, in a form and in JSON.
  private func commands(_ name: String, _ value: String) throws -> [String] {
    let pair = "\(name)=\(value)"
    let json = #"{"\#(name)":"\#(value)"}"#
    let requests = [
      try request(.get, "https://a.example/?\(pair)"),
      try request(
        .post, headers: ["Content-Type": "application/x-www-form-urlencoded"], body: .data(Data(pair.utf8))),
      try request(.post, headers: ["Content-Type": "application/json"], body: .data(Data(json.utf8))),
    ]
    return requests.map(\.curlCommand)
  }

  @Test(arguments: ["private_key", "code_verifier", "client_assertion", "sms_code"])
  func parametersWithNamesLikeThoseOfSecretsAreRedacted(_ name: String) throws {
    for command in try commands(name, "hunter2") {
      expect(!command.contains("hunter2"), "\(command)")
      expect(command.contains(name), "\(command)")
    }
  }

  @Test(arguments: ["errorCode", "statusCode", "monkey", "keyword", "zipCode"])
  func otherParametersAreShown(_ name: String) throws {
    for command in try commands(name, "shown") { expect(command.contains("shown"), "\(command)") }
  }

  /// A server, or a caller, may declare JSON as a form, and send JSON as a whole query.
  @Test(arguments: [
    #"{"token":"hunter2"}"#, #"{"token":"hunter2="}"#, #" [{"token":"hunter2","a":1}]"#, #"{"token":"hunter2"#,
  ])
  func jsonInThePlaceOfPairsIsRedacted(_ json: String) throws {
    let form = try request(
      .post, headers: ["Content-Type": "application/x-www-form-urlencoded"], body: .data(Data(json.utf8)))
    expect(!form.curlCommand.contains("hunter2"), "\(form.curlCommand)")
    guard json.hasSuffix("}") || json.hasSuffix("]") else { return }
    let escaped = try require(json.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    for query in ["?\(escaped)", "?\(escaped)&page=2", "?page=2&\(escaped)"] {
      let command = try request(.get, "https://a.example/b%20c" + query).curlCommand
      expect(!command.contains("hunter2"), "\(command)")
      expect(command.contains("https://a.example/b%20c?"), "\(command)")
      expectEqual(command.contains("page=2"), query.contains("page=2"))
    }
  }

  @Test func textInThePlaceOfPairsIsShown() throws {
    for query in ["?a%20b", "?%5B1%5D", "?%7B%22a%22%3A1%7D"] {
      let url = "https://a.example/" + query
      guard URL(string: url) != nil else { continue }
      try expect(request(.get, url).curlCommand.contains(query), "\(query)")
    }
  }

  /// curl would declare it as a form, and would read a file for a text that begins with `@`.
  @Test func aBodyIsSentAsItIs() throws {
    let bare = try request(.post, body: .data(Data("abc".utf8)))
    expect(bare.curlCommand(includingSecrets: true).hasSuffix("-H 'Content-Type:' --data-binary abc"))
    let combined = try request(
      .post, headers: ["Content-Type": "text/plain"], body: .data(Data("@\u{301}secret.txt".utf8)))
    expect(combined.curlCommand(includingSecrets: true).hasSuffix("--data-binary @-"))
  }

  @Test func deepBodiesAreNoDanger() throws {
    let depth = 200_000
    let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    let deep = try request(
      .post, headers: ["Content-Type": "application/json"], body: .data(Data(text.utf8.prefix(65_536))))
    expect(deep.curlCommand.contains("--data-binary"))
  }

  /// A command without secrets, which cannot be run unchanged, has their sizes.
  @Test func bodiesThatAreNoTextAreExpectedOnStandardInput() throws {
    let long = Data(("{\"a\":\"" + String(repeating: "b", count: 70_000) + "\"}").utf8)
    for (body, size) in [
      (HTTPBody.data(Data([0xFF])), "1 bytes"), (.data(long), "\(long.count) bytes"),
      (.stream(BodyStream { { .empty } }), "stream"),
      (.stream(BodyStream(byteCount: 7) { { .empty } }), "stream of 7 bytes"),
    ] {
      let request = try request(.post, headers: ["Content-Type": "application/json"], body: body)
      expect(request.curlCommand.hasSuffix("--data-binary '<\(size)>'"), "\(request.curlCommand)")
      expect(request.curlCommand(includingSecrets: true).hasSuffix("--data-binary @-"))
    }
    let file = URL(fileURLWithPath: "/tmp/a b.bin")
    try expect(request(.post, body: .file(file)).curlCommand.hasSuffix("--data-binary '@/tmp/a b.bin'"))
    let at = try request(.post, headers: ["Content-Type": "text/plain"], body: .data(Data("@/etc/passwd".utf8)))
    expect(at.curlCommand(includingSecrets: true).hasSuffix("--data-binary @-"))
    // No word of a shell has a NUL.
    let zero = try request(.post, headers: ["Content-Type": "text/plain"], body: .data(Data("a\0b".utf8)))
    expect(zero.curlCommand.hasSuffix("--data-binary '<3 bytes>'"))
    expect(zero.curlCommand(includingSecrets: true).hasSuffix("--data-binary @-"))
  }

  /// As it was sent: signed, and changed by middleware.
  @Test func aResponseAndAnErrorKnowWhatWasSent() async throws {
    let kit = TestKit { $0.middleware = [.bearer { "hunter2" }] }
    kit.stub.on(.get, "/a", .json("1"), .status(500))
    let response = try await kit.client.send("/a?page=2", as: Int.self)
    expectEqual(response.curlCommand, "curl 'https://api.example.com/a?page=2' -H 'Authorization: <redacted>'")
    expectEqual(response.request?.headers["Authorization"], "Bearer hunter2")
    do throws(NetworkError) {
      _ = try await kit.client.send("/a", as: Int.self)
    } catch {
      expectEqual(error.curlCommand?.hasPrefix("curl 'https://api.example.com/a'"), true)
    }
    let built = try kit.client.httpRequest(for: Request(.post, "/a", body: .json(["n": 1])))
    expect(built.curlCommand.hasSuffix(#"--data-binary '{"n":1}'"#))
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")))
  func theShellSendsTheSame() async throws {
    let server = try LoopbackServer()
    server.route("*", "/echo") { .data($0.body, contentType: "text/plain") }
    let client = NetworkClient(baseURL: server.baseURL)
    let body = "it's \"odd\"\n\t\\ $HOME `id` é漢\u{1}"
    let request = Request(
      .post, "/echo?q=\("a b&c'd")", headers: ["X-Odd": "it's $HOME"],
      body: .data(Data(body.utf8), contentType: "text/plain"))
    _ = try await client.send(request, as: String.self)
    let command = try client.httpRequest(for: request).curlCommand(includingSecrets: true)
    let shell = try Child("/bin/bash", ["-c", command + " -s -o /dev/null"])
    await expect(server.wait { $0.requests.count == 2 })
    expectEqual(await shell.wait(), 0)
    let requests = server.log.requests
    expectEqual(requests.count, 2)
    expectEqual(requests.first?.body, requests.last?.body)
    expectEqual(requests.last?.bodyText, body)
    expectEqual(requests.first?.target, requests.last?.target)
    expectEqual(requests.last?.header("X-Odd"), "it's $HOME")
  }

  /// A quote is a quote before a combining character, too, and a tilde is no home folder.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")))
  func theShellRunsNothingOfABody() async throws {
    let server = try LoopbackServer()
    server.route("*", "/echo") { .data($0.body, contentType: "text/plain") }
    let client = NetworkClient(baseURL: server.baseURL)
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("curl-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    let touch = "$(touch \(file.path))"
    let bodies = [
      "'\u{301}\(touch)'\u{301}", "a'\u{200D}\(touch)'\u{200D}b", "'\u{301}\n\(touch)'\u{301}", "~", "~root",
    ]
    for body in bodies {
      let request = Request(.post, "/echo", body: .data(Data(body.utf8), contentType: "text/plain"))
      let command = try client.httpRequest(for: request).curlCommand(includingSecrets: true)
      let shell = try Child("/bin/bash", ["-c", command + " -s -m 30 -o /dev/null"])
      expectEqual(await shell.wait(), 0, "\(command)")
    }
    expectEqual(server.log.requests.map(\.body), bodies.map { Data($0.utf8) })
    expect(!FileManager.default.fileExists(atPath: file.path))
  }

  /// Each URL in a text of JSON has its own secrets, whatever is between them.
  @Test func secretsOfAllURLsInATextAreRedacted() throws {
    for separator in [#"\n"#, #"\r\n"#, ",", "<", "'", " "] {
      let text = #"{"a":"https://a.example/?page=1\#(separator)https://u:hunter2@b.example/?access_token=hunter2"}"#
      let command = try request(
        .post, headers: ["Content-Type": "application/json"], body: .data(Data(text.utf8))
      ).curlCommand
      expect(!command.contains("hunter2"), "\(command)")
      expect(command.contains("page=1"), "\(command)")
    }
    let mail = #"{"a":"https://host\nme@b.example"}"#
    let command = try request(
      .post, headers: ["Content-Type": "application/json"], body: .data(Data(mail.utf8))
    ).curlCommand
    expect(command.contains("me@b.example"))
  }
}
