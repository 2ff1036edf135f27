import Foundation
import Heliograph
import HeliographTesting
import Testing

@testable import Courier

@Suite(.timeLimit(.minutes(1))) struct FailureTests {
  private let trial: Trial

  init() throws { trial = try Trial() }

  @Test func aStatusShowsTheBody() async {
    trial.server.route("GET", "/json") { _ in .json("{\"error\":\n  \"no lamp\"}", status: 404) }
    #expect(await trial.run("get", "/json", "-o", trial.path("a")) == 22)
    #expect(
      trial.errors.text
        == "courier: the server responded with 404 Not Found: check the URL: \"{\"error\": \"no lamp\"}\"\n")
    #expect(trial.content("a") == nil)
  }

  @Test func markupAndBinaryBodiesBecomeText() async {
    let page = "<html><head><title>t</title><style>x{}</style></head><body><h1>Not\nhere</h1></body></html>"
    trial.server.route("GET", "/html") { _ in .data(Data(page.utf8), contentType: "text/html", status: 403) }
    trial.server.route("GET", "/binary") { _ in .data(Data([0, 1, 2, 255]), status: 403) }
    trial.server.route("GET", "/long") { _ in .text(String(repeating: "ab ", count: 1_000), status: 403) }
    trial.server.route("GET", "/escape") { _ in .text("a\u{1B}[2Jb", status: 403) }
    for name in ["html", "binary", "long", "escape"] { #expect(await trial.run("post", "/\(name)", "-X", "GET") == 22) }
    let lines = trial.errors.lines
    #expect(lines.count == 4)
    #expect(lines[0] == "courier: the server responded with 403 Forbidden: you don't have permission: \"Not here\"")
    #expect(lines[1].hasSuffix(": \"4 bytes of binary data\""))
    #expect(lines[2].count < 300 && lines[2].hasSuffix("…\""))
    #expect(lines[3].hasSuffix("\"a [2Jb\""))
  }

  @Test func aServerThatAsksForAPauseIsQuoted() async {
    trial.server.route("GET", "/a") { _ in .status(429).header("Retry-After", "30") }
    #expect(await trial.run("get", "/a", "-o", "-", "--retry", "0") == 22)
    #expect(trial.errors.text == "courier: the server responded with 429 Too Many Requests: try again later, in 30 s\n")
  }

  /// Ctrl-C ends all commands of a pipeline, and the next one before this one has noticed.
  @Test func anInterruptedCommandWhoseReaderHasEndedIsInterrupted() async {
    struct EndedPipeline: Output {
      let columns: Int? = nil
      func write(_ data: Data) throws(Failure) {
        withUnsafeCurrentTask { $0?.cancel() }
        throw Failure(.cannotWrite)
      }
    }
    trial.server.route("GET", "/a") { _ in .text("a") }
    let words = ["get", trial.server.url("/a").absoluteString, "-o", "-"]
    let run = Task { [errors = trial.errors] in await Courier.run(words, output: EndedPipeline(), errors: errors) }
    #expect(await run.value == 130)
  }

  @Test func aRefusedConnection() async {
    let url = trial.server.url("/a").absoluteString
    trial.server.stop()
    #expect(await trial.run("get", url, "-o", "-", "--retry", "0") == 7)
    #expect(trial.errors.text.hasPrefix("courier: cannot connect to 127.0.0.1 port \(trial.server.port): "))
  }

  @Test func anUnknownHost() async {
    #expect(await trial.run("get", "http://nosuch.invalid/a", "-o", "-", "--retry", "0") == 6)
    #expect(trial.errors.text == "courier: cannot find the host nosuch.invalid: check its name and the network\n")
  }

  @Test func invalidURLs() async {
    for url in ["http://a b/", "ftp://example.com/a", "http://", "", "http://x/%zz", "x:y"] {
      #expect(await trial.run("lines", url) == 3, "\(url)")
    }
    #expect(trial.errors.lines.allSatisfy { $0.hasPrefix("courier: ") })
  }

  @Test func endlessRedirects() async {
    trial.server.route("GET", "/a") { _ in .redirect(to: "/a") }
    #expect(await trial.run("get", "/a", "-o", "-") == 47)
  }

  @Test func aServerThatSaysNothing() async {
    trial.server.route("POST", "/a") { _ in .script([.close]) }
    #expect(await trial.run("post", "/a") == 56)
    trial.server.route("POST", "/b") { _ in
      .script([.text("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"), .close])
    }
    #expect(await trial.run("post", "/b") == 18)
    #expect(trial.output.text == "hello")
  }

  @Test func aConnectTimeoutIsNotTheIdleTimeout() {
    var error = NetworkError(.timedOut, reason: "no connection after 30 s")
    for phase in [Evidence.Phase.resolving, .connecting, .tlsHandshake] {
      error.attribution = Attribution(.timedOut, Evidence(phase: phase))
      let text = Failure(error).text
      #expect(text == "no connection to the host in time: no connection after 30 s: check the host and the network")
    }
  }

  @Test func everyCodeHasALineForTheUser() {
    let errors: [(NetworkError, ExitCode)] = [
      (NetworkError(.secureConnectionFailed, reason: "r"), .tls),
      (NetworkError(.untrustedCertificate), .certificate),
      (NetworkError(.invalidResponse, reason: "r"), .failure),
      (NetworkError(.diskFull, reason: "cannot write a: No space left on device"), .cannotWrite),
      (NetworkError(.fileInUse, reason: "r"), .cannotWrite),
      (NetworkError(.unreachable), .cannotConnect), (NetworkError(.cancelled), .interrupted),
      (NetworkError(.contextChanged), .failure), (NetworkError(.api(7)), .failure),
      (NetworkError(.unacceptableType, reason: "r"), .failure),
    ]
    for (error, code) in errors {
      let failure = Failure(error)
      #expect(failure.code == code)
      #expect(failure.text?.isEmpty == false && failure.text?.contains("\n") == false)
    }
  }
}
