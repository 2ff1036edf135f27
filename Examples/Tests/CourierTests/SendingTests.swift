import Foundation
import Heliograph
import HeliographTesting
import Testing

@testable import Courier

@Suite(.timeLimit(.minutes(1))) struct SendingTests {
  private let trial: Trial

  init() throws {
    trial = try Trial()
    trial.server.route("*", "/a") { .text("\($0.header("Content-Type") ?? "no type"): \($0.bodyText)") }
  }

  @Test(arguments: [
    (["-d", "a=1"], "application/x-www-form-urlencoded: a=1"),
    (["-d", "a=1", "-d", "b"], "application/x-www-form-urlencoded: a=1&b"),
    (["-d", "hello", "-H", "Content-Type: text/plain"], "text/plain: hello"),
    (["--json", #"{"a": 1}"#], #"application/json: {"a": 1}"#),
    (["--form", "a=1 & 2", "--form", "b=ä"], "application/x-www-form-urlencoded: a=1+%26+2&b=%C3%A4"),
    ([], "no type: "),
  ])
  func theBodyFollowsTheOptions(_ options: [String], _ body: String) async {
    let words = ["post", trial.server.url("/a").absoluteString] + options
    #expect(await Courier.run(words, output: trial.output, errors: trial.errors) == 0)
    #expect(trial.output.text == body)
    #expect(trial.errors.text.isEmpty)
  }

  @Test func formFieldsAreSentInOrderWithTheirNames() async {
    #expect(await trial.run("post", "/a", "--form", "b=1", "--form", "a=2\n", "--form", "b=3") == 0)
    #expect(trial.server.log.requests.last?.bodyText == "b=1&a=2%0A&b=3")
  }

  @Test func filesAreBodies() async throws {
    try trial.create("order.json", Data(#"{"a": 2}"#.utf8))
    let file = "@" + trial.path("order.json")
    #expect(await trial.run("post", "/a", "--json", file) == 0)
    #expect(await trial.run("post", "/a", "-d", file) == 0)
    #expect(await trial.run("post", "/a", "-d", file, "-d", "b") == 0)
    #expect(trial.server.log.requests.map(\.bodyText) == [#"{"a": 2}"#, #"{"a": 2}"#, #"{"a": 2}&b"#])
    #expect(await trial.run("post", "/a", "-d", "@" + trial.path("missing")) == 26)
    #expect(await trial.run("post", "/a", "-d", "@" + trial.folder.path) == 26)
  }

  @Test(arguments: [["post", "-d", "@-"], ["upload", "--put", "-"]])
  func standardInputIsABody(_ words: [String]) async throws {
    let pipe = Pipe()
    try pipe.fileHandleForWriting.write(contentsOf: Data("from a pipe".utf8))
    try pipe.fileHandleForWriting.close()
    let words = [words[0], trial.server.url("/a").absoluteString] + words.dropFirst()
    let code = await Courier.run(
      words, output: trial.output, errors: trial.errors, input: pipe.fileHandleForReading)
    #expect(code == 0)
    #expect(trial.server.log.requests.last?.bodyText == "from a pipe")
  }

  @Test func standardInputIsNotSentTwice() async throws {
    let pipe = Pipe()
    try pipe.fileHandleForWriting.write(contentsOf: Data("from a pipe".utf8))
    try pipe.fileHandleForWriting.close()
    trial.server.route("PUT", "/b") { _ in .redirect(to: "/a", status: 307) }
    let words = ["upload", trial.server.url("/b").absoluteString, "-", "--put"]
    let code = await Courier.run(
      words, output: trial.output, errors: trial.errors, input: pipe.fileHandleForReading)
    #expect(code == 26)
    #expect(trial.errors.lines.last == "courier: standard input cannot be sent twice: send a file")
    #expect(trial.server.log.requests.count == 1)
  }

  /// A `PUT` is idempotent, and a 503 would be tried again.
  @Test(arguments: [["-", "--put"], ["-", "-X", "PUT"]])
  func aFailureAfterStandardInputIsReported(_ words: [String]) async throws {
    let pipe = Pipe()
    try pipe.fileHandleForWriting.write(contentsOf: Data("from a pipe".utf8))
    try pipe.fileHandleForWriting.close()
    trial.server.route("PUT", "/a") { _ in .status(503).header("Retry-After", "0") }
    let words = ["upload", trial.server.url("/a").absoluteString] + words
    let code = await Courier.run(
      words, output: trial.output, errors: trial.errors, input: pipe.fileHandleForReading)
    #expect(code == 22)
    #expect(trial.errors.lines.last?.hasPrefix("courier: the server responded with 503 ") == true)
    #expect(trial.server.log.requests.count == 1)
  }

  @Test func wrongBodiesAreUsageErrors() async {
    #expect(await trial.run("post", "/a", "--json", "{a: 1}") == 2)
    #expect(trial.errors.text.hasPrefix("courier: invalid JSON: "))
    #expect(await trial.run("post", "/a", "--json", "1", "-d", "2") == 2)
    #expect(await trial.run("post", "/a", "--form", "a") == 2)
    #expect(trial.server.log.requests.isEmpty)
  }

  @Test func aTerminalGetsALineEnd() async {
    trial.output = Recorder(columns: 80)
    #expect(await trial.run("post", "/a", "-d", "x") == 0)
    #expect(trial.output.text.hasSuffix(": x\n"))
  }

  @Test func aFileIsUploadedAsAForm() async throws {
    try trial.create("lamp.jpg", Trial.bytes(100_000))
    trial.errors = Recorder(columns: 80)
    let code = await trial.run(
      "upload", "/a", trial.path("lamp.jpg"), "--field", "title=Lamp", "--field", "size=", "--name", "photo")
    #expect(code == 0)
    let request = try #require(trial.server.log.requests.last)
    #expect(request.method == "POST")
    #expect(request.header("Content-Type")?.hasPrefix("multipart/form-data; boundary=") == true)
    #expect(request.body.range(of: Trial.bytes(100_000)) != nil)
    for text in [
      "name=\"title\"\r\n\r\nLamp\r\n", "name=\"size\"\r\n\r\n\r\n", "name=\"photo\"; filename=\"lamp.jpg\"",
    ] {
      #expect(request.body.range(of: Data(text.utf8)) != nil)
    }
    #expect(trial.errors.text.contains("100%"))
    #expect(trial.errors.lines.last?.contains("sent lamp.jpg: 100.4 kB in ") == true)
  }

  @Test func aFileIsUploadedAsItIs() async throws {
    try trial.create("backup.tar", Data("content".utf8))
    #expect(await trial.run("upload", "/a", trial.path("backup.tar"), "--put") == 0)
    #expect(trial.server.log.requests.last?.method == "PUT")
    #expect(trial.output.text == "application/octet-stream: content")
    #expect(
      await trial.run("upload", "/a", trial.path("backup.tar"), "--put", "-X", "POST", "-H", "Content-Type: a/b") == 0)
    #expect(trial.server.log.requests.last?.method == "POST")
    #expect(trial.server.log.requests.last?.header("Content-Type") == "a/b")
    #expect(await trial.run("upload", "/a", trial.path("backup.tar"), "--put", "--field", "a=b") == 2)
    #expect(await trial.run("upload", "/a", trial.path("missing")) == 26)
    #expect(await trial.run("upload", "/a", trial.folder.path) == 26)
  }
}
