import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Heads that come one after another over one connection: what is remembered of one must not show in the next.
@Suite(.enabled(if: CurlTransport.isAvailable)) struct CurlHeadTests {
  private let server: LoopbackServer
  private let transport: CurlTransport

  init() throws {
    server = try LoopbackServer()
    // One handle for all.
    var settings = TransportSettings(concurrencyLimit: 1)
    settings.maximumConnectionIdleTime = .seconds(86_400)
    transport = try CurlTransport(settings)
  }

  /// The outcome of one request after another, each of which gets the next answer.
  private func outcomes(_ answers: [String]) async -> [SignalRecorder<TransportEvent, NetworkError>] {
    let left = Guarded(answers[...])
    server.route("GET", "/a") { _ in .script([.text(left.withLock { $0.popFirst() } ?? "")]) }
    var recorders: [SignalRecorder<TransportEvent, NetworkError>] = []
    for _ in answers {
      let recorder = SignalRecorder(transport.send(HTTPRequest(url: server.url("/a"))))
      await recorder.waitForEnd()
      recorders.append(recorder)
    }
    return recorders
  }

  private func head(_ recorder: SignalRecorder<TransportEvent, NetworkError>) -> HTTPResponse? {
    recorder.values.lazy.compactMap { if case .head(let head) = $0 { head } else { nil } }.first
  }

  private func body(_ recorder: SignalRecorder<TransportEvent, NetworkError>) -> String {
    let pieces = recorder.values.compactMap { if case .body(let data) = $0 { data } else { nil } }
    return String(decoding: pieces.reduce(Data(), +), as: UTF8.self)
  }

  private static let fields = [
    "Server: a", "Server: b", "Server: a, b", "Date: Sat, 21 Nov 2026 17:16:41 GMT",
    "Date: Sat, 21 Nov 2026 17:16:42 GMT",
    "X-Empty:", "X-Many: 1", "X-Many: 2", "ETag: \"1\"",
    "Content-Encoding: identity",
  ]

  /// Each head is made of few lines, in any order, so that most of them begin like the one before and then differ.
  @Test func eachHeadIsWhatItIsAfterAnyOther() async {
    var random = ParameterDice()
    var expected: [(status: Int, fields: [String], body: String)] = []
    var answers: [String] = []
    for number in 0..<300 {
      let isLikeTheLast = number > 0 && Int.random(in: 0..<3, using: &random) > 0
      var fields = isLikeTheLast ? expected[number - 1].fields : []
      if !isLikeTheLast || Bool.random(using: &random) {
        if !fields.isEmpty, Bool.random(using: &random) { fields.removeLast() }
        for _ in 0..<Int.random(in: 0...2, using: &random) {
          if let field = CurlHeadTests.fields.randomElement(using: &random) { fields.append(field) }
        }
      }
      let status = isLikeTheLast ? expected[number - 1].status : [200, 201, 404, 503][number % 4]
      let body = ["", "a", "bc", "de"][Int.random(in: 0..<4, using: &random)]
      let interim = Int.random(in: 0..<8, using: &random) == 0 ? "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" : ""
      let isChunked = Int.random(in: 0..<4, using: &random) == 0
      let framing = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(body.utf8.count)"
      let chunk = body.isEmpty ? "" : "\(body.utf8.count)\r\n\(body)\r\n"
      let content = isChunked ? "\(chunk)0\r\nX-Trailer: 1\r\n\r\n" : body
      expected.append((status, fields, body))
      answers.append(
        "\(interim)HTTP/1.1 \(status) \(number % 7)\r\n"
          + (fields + [framing]).map { $0 + "\r\n" }.joined() + "\r\n" + content)
    }
    let recorders = await outcomes(answers)
    for (recorder, wanted) in zip(recorders, expected) {
      let lines = head(recorder)?.headers.dropLast().map { field in "\(field.name): \(field.value)" }
      let wantedLines = wanted.fields.map {
        $0.replacing(/:$/, with: ": ")
      }
      expectNil(recorder.failure)
      expectEqual(head(recorder)?.statusCode, wanted.status)
      expectEqual(lines, wantedLines)
      expectEqual(body(recorder), wanted.body)
    }
    expectEqual(server.log.connections.count, 1)
  }

  @Test func whatIsRefusedIsRefusedAfterAHeadThatIsLikeIt() async {
    let good = "HTTP/1.1 200 OK\r\nX-A: 1\r\nContent-Length: 1\r\n\r\na"
    let bad = [
      "HTTP/1.1 200 OK\r\nX-A: 1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na",
      "HTTP/1.1 200 OK\r\nX-A: 1\r\nContent-Length : 1\r\n\r\na",
      "HTTP/1.1 200 OK\r\nX-A: 1\r\nno colon\r\n\r\na",
      "HTTP/1.1 200 OK\r\nX-A: 1\r\nContent-Length: 1\r\n\r\nab",
    ]
    let recorders = await outcomes(bad.flatMap { [good, $0, good] })
    for (index, recorder) in recorders.enumerated() {
      let isBad = index % 3 == 1
      expectEqual((recorder.failure?.code == .invalidResponse), isBad, "\(index): \(recorder.events)")
      if !isBad { expectEqual(body(recorder), "a") }
    }
  }

  /// Newer versions of libcurl join the lines by themselves, and then what they amount to is judged.
  @Test func aFoldedLengthOrCodingIsRefused() async {
    let recorders = await outcomes([
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n 0\r\n\r\nhello",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\t, gzip\r\n\r\n0\r\n\r\n",
    ])
    for recorder in recorders { expect(recorder.failure?.domain == .network && head(recorder) == nil) }
  }

  @Test func theLimitCountsForAHeadThatIsLikeTheLast() async {
    let answer = "HTTP/1.1 200 OK\r\nX-A: 123456789\r\nContent-Length: 0\r\n\r\n"
    server.route("GET", "/a") { _ in .script([.text(answer)]) }
    for (limit, isRefused) in [(1000, false), (40, true), (answer.utf8.count, false), (answer.utf8.count - 1, true)] {
      let request = HTTPRequest(url: server.url("/a"), limits: ResponseLimits(headerByteCount: limit))
      let recorder = SignalRecorder(transport.send(request))
      await recorder.waitForEnd()
      expectEqual((recorder.failure?.code == .responseTooLarge), isRefused, "\(limit)")
    }
  }

  /// RFC 9110 §5.5: what is not UTF-8 is ISO-8859-1, as older servers write it.
  @Test func valuesThatAreNotUTF8AreRead() async throws {
    let lines: [(bytes: [UInt8], value: String)] = [
      ([0xFC] + "ber.txt".utf8, "über.txt"), (Array("über.txt".utf8), "über.txt"), ([0xE4, 0xB8], "ä\u{B8}"),
    ]
    for (bytes, value) in lines {
      let head = Data("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Name: ".utf8) + Data(bytes) + Data("\r\n\r\n".utf8)
      server.route("GET", "/a") { _ in .script([.bytes(head)]) }
      let recorder = SignalRecorder(transport.send(HTTPRequest(url: server.url("/a"))))
      await recorder.waitForEnd()
      expectEqual(self.head(recorder)?.headers["X-Name"], value)
    }
  }

  @Test(arguments: [([0xFC], "/b%FCcher"), ([0xC3, 0xBC], "/b%C3%BCcher")] as [([UInt8], String)])
  func aLocationKeepsItsBytes(_ letter: [UInt8], _ target: String) async throws {
    let start = Data("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: /b".utf8)
    let head = start + letter + Data("cher\r\n\r\n".utf8)
    server.route("GET", "*") { $0.target == "/a" ? .script([.bytes(head)]) : .text("there") }
    let recorder = SignalRecorder(NetworkClient(.open(transport)).exchange(request: server.url("/a")))
    await recorder.waitForEnd()
    expectEqual(recorder.values.first?.value, Data("there".utf8), "\(recorder.events)")
    expectEqual(server.log.requests.map(\.target), ["/a", target])
  }

  @Test func aHeadTooLongToBeRememberedIsReadEachTime() async {
    let long = "HTTP/1.1 200 OK\r\n" + (0..<200).map { "X-\($0): \(String(repeating: "a", count: 40))\r\n" }.joined()
    let recorders = await outcomes(Array(repeating: long + "Content-Length: 1\r\n\r\na", count: 3))
    for recorder in recorders {
      expectEqual(head(recorder)?.headers.count, 201)
      expectEqual(body(recorder), "a")
    }
  }

  /// RFC 9112 §5.2, as libcurl does itself from 8.18 on; some security gateways send cookies so.
  @Test func aFoldedLineContinuesTheFieldBeforeIt() async {
    let folded =
      "HTTP/1.1 200 OK\r\nSet-Cookie: a=b;\r\n \tpath=/\r\n\t \r\nLocation:\r\n /next\r\nX-A: 1\r\nContent-Length: 1\r\n\r\na"
    let endless =
      "HTTP/1.1 200 OK\r\nX-A: 1\r\n" + String(repeating: " 1\r\n", count: 101) + "Content-Length: 0\r\n\r\n"
    let recorders = await outcomes([folded, folded, endless])
    for recorder in recorders.prefix(2) {
      expectEqual(head(recorder)?.headers["Set-Cookie"], "a=b; path=/")
      expectEqual(head(recorder)?.headers["Location"], "/next")
      expectEqual(head(recorder)?.headers["X-A"], "1")
      expectEqual(body(recorder), "a")
    }
    // Later versions of libcurl join any number.
    if let code = recorders.last?.failure?.code { expectEqual(code, .invalidResponse) }
  }

  /// Some devices send a bare date, or a blank in a name.
  @Test func aLineWithAMalformedNameIsDroppedWithItsFolds() async {
    let answer =
      "HTTP/1.1 200 OK\r\nX-A: 1\r\nTue, 12 Jun 2012 01:56:34 GMT\r\nX Powered By: a\r\n folded\r\n\tagain\r\n"
      + "X-B: 2\r\n 3\r\nContent-Length: 1\r\n\r\na"
    for recorder in await outcomes([answer, answer]) {
      expectEqual(
        head(recorder)?.headers.map { "\($0.name): \($0.value)" }, ["X-A: 1", "X-B: 2 3", "Content-Length: 1"])
      expectEqual(body(recorder), "a")
    }
  }

  @Test(arguments: ["content-length : 1", "Transfer-Encoding\t: identity", "Content-Encoding : gzip"])
  func aMalformedNameThatDescribesTheBodyIsRefused(_ line: String) async {
    let recorders = await outcomes(["HTTP/1.1 200 OK\r\n\(line)\r\nContent-Length: 1\r\n\r\na"])
    expectEqual(recorders.first?.failure?.code, .invalidResponse)
  }

  /// What a server writes is in the reason for developers, and in no text that is logged.
  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nContent-Length : hunter2\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: hunter2\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Encoding: compress, hunter2\r\nContent-Length: 1\r\n\r\na",
    "HTTP/1.1 2hunter2 OK\r\n\r\n",
  ])
  func logsDoNotShowTheTextOfAServer(_ answer: String) async throws {
    let error = try require(await outcomes([answer]).first?.failure)
    expect(!"\(error)".contains("hunter2"), "\(error)")
    expect(!"\(error.errorUserInfo) \(error.failureReason ?? "")".contains("hunter2"), "\(error.errorUserInfo)")
  }
}
