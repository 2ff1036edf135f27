import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// Ranges of bodies with a content coding, which the transport decodes only without a range.
struct CacheRangeTests {
  private let kit = TestKit()
  private let plain: HTTPHeaders = ["Cache-Control": "max-age=60", "ETag": "\"1\""]
  private var coded: HTTPHeaders {
    var headers = plain
    headers["Content-Encoding"] = "gzip"
    return headers
  }

  private func part(_ text: String, _ range: String, _ headers: HTTPHeaders) -> StubAnswer {
    var headers = headers
    headers["Content-Range"] = "bytes " + range
    return StubAnswer([.head(status: 206, headers: headers), .body(Data(text.utf8))])
  }

  private func get(_ range: String? = nil) async -> String {
    let headers = range.map { HTTPHeaders([HTTPHeaders.Field(name: "Range", value: "bytes=" + $0)]) } ?? [:]
    let recorder = SignalRecorder(kit.client.exchange(request: Request(.get, "/a", headers: headers, cache: .http)))
    await kit.clock.advance()
    let response = recorder.values.first
    return "\(response?.statusCode ?? 0) \(response.map { String(decoding: $0.value, as: UTF8.self) } ?? "")"
  }

  private var sent: [String?] { kit.stub.requests.map { $0.headers["Range"] } }

  /// A transport may deliver a part of a larger buffer.
  @Test func aRangeOfAStoredSliceIsFound() async {
    let slice = Data("0123456789".utf8).dropFirst(4)
    kit.stub.on(.get, "/a", StubAnswer([.head(status: 200, headers: plain), .body(slice)]))
    await expectEqual(get(), "200 456789")
    await expectEqual(get("0-1"), "206 45")
    expectEqual(sent, [nil])
  }

  @Test func aRangeOfACodedBodyIsThatOfTheServer() async {
    kit.stub.on(.get, "/a", .text("decoded", headers: coded), part("co", "0-1/5", coded), .status(416))
    await expectEqual(get(), "200 decoded")
    await expectEqual(get("0-1"), "206 co")
    await expectEqual(get("6-"), "416 ")
    await expectEqual(get(), "200 decoded")
    expectEqual(sent, [nil, "bytes=0-1", "bytes=6-"])
  }

  /// The request does not offer a coding.
  @Test func aPlainRangeLeavesTheCodedWhole() async {
    kit.stub.on(.get, "/a", .text("decoded", headers: coded), part("de", "0-1/7", plain))
    await expectEqual(get(), "200 decoded")
    await expectEqual(get("0-1"), "206 de")
    await expectEqual(get(), "200 decoded")
    expectEqual(sent, [nil, "bytes=0-1"])
  }

  @Test func aPartOfACodedBodyIsNotStored() async {
    kit.stub.on(.get, "/a", part("co", "0-1/5", coded), .text("decoded", headers: coded))
    await expectEqual(get("0-1"), "206 co")
    await expectEqual(get(), "200 decoded")
    expectEqual(sent, ["bytes=0-1", nil])
  }

  /// A server may also ignore the range, with a coded body that is not decoded.
  @Test(arguments: [false, true]) func aPlainBeginningIsNotCompletedByACodedBody(_ isWhole: Bool) async {
    let rest = isWhole ? StubAnswer.text("coded", headers: coded) : part("ed", "2-4/5", coded)
    kit.stub.on(.get, "/a", part("pl", "0-1/5", plain), rest, .text("plain", headers: coded))
    await expectEqual(get("0-1"), "206 pl")
    for _ in 0..<2 { await expectEqual(get(), "200 plain") }
    expectEqual(sent, ["bytes=0-1", "bytes=2-", nil])
  }

  /// The end of a chunked body is not that of the range.
  @Test(arguments: ["0-4/7", "0-6/7"]) func aRangeWithTooFewBytesIsNotStored(_ range: String) async {
    kit.stub.on(.get, "/a", part("de", range, plain), .text("decoded", headers: plain))
    await expectEqual(get("0-"), "206 de")
    await expectEqual(get(), "200 decoded")
    expectEqual(sent, ["bytes=0-", nil])
  }

  /// A response that the request would also get without a range.
  @Test(arguments: [(401, true), (404, false), (410, false), (429, true), (503, true)])
  func aResponseThatIsNotAboutTheRangeIsDelivered(_ status: Int, _ leavesBeginning: Bool) async {
    let rest = leavesBeginning ? part("ain", "2-4/5", plain) : .text("plain", headers: plain)
    kit.stub.on(.get, "/a", part("pl", "0-1/5", plain), .status(status, headers: ["Retry-After": "30"]), rest)
    await expectEqual(get("0-1"), "206 pl")
    await expectEqual(get(), "\(status) ")
    for _ in 0..<2 { await expectEqual(get(), "200 plain") }
    expectEqual(sent, ["bytes=0-1", "bytes=2-", leavesBeginning ? "bytes=2-" : nil])
  }

  /// Some servers answer a range with the slice and the status of the whole.
  @Test func aSliceWithTheStatusOfTheWholeIsNotTheWhole() async {
    var slice = plain
    slice["Content-Range"] = "bytes 2-4/5"
    kit.stub.on(
      .get, "/a", part("pl", "0-1/5", plain), .text("ain", headers: slice), .text("plain", headers: plain))
    await expectEqual(get("0-1"), "206 pl")
    for _ in 0..<2 { await expectEqual(get(), "200 plain") }
    expectEqual(sent, ["bytes=0-1", "bytes=2-", nil])
  }

  @Test(arguments: [CachePolicy.http, .timeToLive(.seconds(60))])
  func aSliceWithTheStatusOfTheWholeIsNotStored(_ policy: CachePolicy) async {
    var slice = plain
    slice["Content-Range"] = "bytes 2-4/5"
    kit.stub.on(.get, "/a", .text("ain", headers: slice), .text("plain", headers: plain))
    for (range, text) in [("bytes=2-", "ain"), (nil, "plain")] {
      let headers: HTTPHeaders = range.map { ["Range": $0] } ?? [:]
      let recorder = SignalRecorder(kit.client.exchange(request: Request(.get, "/a", headers: headers, cache: policy)))
      await kit.clock.advance()
      expectEqual(recorder.values.first?.value, Data(text.utf8))
    }
  }

  @Test func aWholeCodedBodyInAnswerToARangeIsNotStored() async {
    kit.stub.on(.get, "/a", .text("coded", headers: coded), .text("decoded", headers: coded))
    await expectEqual(get("0-"), "200 coded")
    await expectEqual(get(), "200 decoded")
  }

  /// Only the cache knows how much is missing: the caller has requested no range.
  @Test func aBeginningIsNotCompletedByTooLittle() async {
    var short = plain
    short["Content-Range"] = "bytes 2-5/6"
    let rest = StubAnswer([.head(status: 206, headers: short), .body(Data("cd".utf8))])
    kit.stub.on(.get, "/a", part("ab", "0-1/6", plain), rest, .text("abcdef", headers: plain))
    await expectEqual(get("0-1"), "206 ab")
    let recorder = SignalRecorder(kit.client.exchange(request: Request(.get, "/a", cache: .http)))
    await kit.clock.advance()
    expectEqual(recorder.failure?.code, .connectionLost, "\(recorder.events)")
    // Otherwise each request would fail so.
    await expectEqual(get(), "200 abcdef")
    expectEqual(sent, ["bytes=0-1", "bytes=2-", nil])
  }
}
