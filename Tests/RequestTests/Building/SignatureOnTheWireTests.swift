import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// What a server receives, checked by one.
struct SignatureOnTheWireTests {
  let server: LoopbackServer

  init() throws {
    server = try LoopbackServer()
    server.route("*", "*") { _ in .text("ok") }
  }

  private func send(_ draft: RequestDraft, by transport: any Transport) async throws -> LoopbackRequest {
    let count = server.log.requests.count
    let recorder = SignalRecorder(transport.send(try draft.wired()))
    await recorder.waitForEnd()
    expect(recorder.isCompleted)
    expectEqual(server.log.requests.count, count + 1)
    return try require(server.log.requests.last)
  }

  @Test("S1-35", arguments: TransportKind.present, [HMACSigner.Location.query, .header])
  func aServerCanCheckIt(_ kind: TransportKind, _ location: HMACSigner.Location) async throws {
    let signer = HMACSigner(key: Data("secret".utf8), location: location)
    let verifier = SignatureVerifier(location: location, names: location == .query ? .query : .header)
    let transport = try kind.transport()
    let pairs = [ParameterPair("b", "x y+é/"), ParameterPair("a", nil), ParameterPair("a", "")]
    let drafts = [
      RequestDraft(url: server.baseURL),
      RequestDraft(url: server.url("/a%20b//c;d/%C3%A9?own=1+1&flag#top"), query: pairs),
      RequestDraft(method: .post, url: server.url("/form?x=1"), query: pairs, form: pairs),
      RequestDraft(method: .put, url: server.url("/body"), query: pairs, body: .data(Data("body".utf8))),
      // Set by a filter: the form replaces the body, unless it loses its only field.
      RequestDraft(method: .post, url: server.url("/both"), form: pairs, body: .data(Data("body".utf8))),
      RequestDraft(
        method: .post, url: server.url("/old"), form: [ParameterPair("sign", "old")],
        headers: ["Content-Type": "text/plain"], body: .data(Data("body".utf8))),
    ]
    for var draft in drafts {
      try signer.sign(&draft)
      let request = try await send(draft, by: transport)
      expect(verifier.accepts(request), "\(request.target)")
    }
  }

  @Test func aServerFindsWhatWasChanged() async throws {
    let verifier = SignatureVerifier()
    var draft = RequestDraft(
      method: .put, url: server.url("/a?x=1"), query: [ParameterPair("y", "2")], body: .data(Data("body".utf8)))
    try HMACSigner(key: Data("secret".utf8)).sign(&draft)
    let request = try await send(draft, by: URLSessionTransport())
    let (target, body) = (request.target, request.body)
    expect(verifier.accepts(method: "PUT", target: target, body: body))
    expect(!verifier.accepts(method: "POST", target: target, body: body))
    expect(!verifier.accepts(method: "PUT", target: target, body: Data("bodY".utf8)))
    for (old, new) in [("/a", "/b"), ("x=1", "x=2"), ("y=2", "y=3"), ("y=2", "z=2"), ("x=1&", ""), ("?", "?w=0&")] {
      let changed = target.replacing(old, with: new, maxReplacements: 1)
      expect(changed != target)
      expect(!verifier.accepts(method: "PUT", target: changed, body: body))
    }
    let stamp = try require(request.queryValue("timestamp"))
    let aged = target.replacing("timestamp=\(stamp)", with: "timestamp=1")
    expect(!verifier.accepts(method: "PUT", target: aged, body: body))
    expect(!SignatureVerifier(key: Data("Secret".utf8)).accepts(request))
  }

  /// The signature covers the old path, and its nonce is used.
  @Test(arguments: [HMACSigner.Location.query, .header], [302, 308])
  func aRedirectIsSentWithoutTheSignature(_ location: HMACSigner.Location, _ status: Int) async throws {
    server.route("*", "/old") { _ in .redirect(to: "/new?own=1", status: status) }
    let service = Bookshop(
      defaultCommon: [], signer: HMACSigner(key: Data("secret".utf8), location: location),
      addresses: ServiceAddresses(server.baseURL))
    let client = NetworkClient(.init(services: [service]))
    _ = try await client.send(Request(.post, "/old", service: "books", headers: ["X-Own": "1"], body: .json(["a": 1])))
    let (first, last) = (try require(server.log.requests.first), try require(server.log.requests.last))
    let names = location == .query ? HMACSigner.FieldNames.query : .header
    expect(SignatureVerifier(location: location, names: names).accepts(first))
    expectEqual(last.target, "/new?own=1")
    expectEqual(last.header("X-Own"), "1")
    for name in ["X-Signature", "X-Timestamp", "X-Nonce"] { expectNil(last.header(name)) }
  }

  /// Later versions of libcurl do so in any case: what is signed is what is sent.
  @Test(arguments: TransportKind.present) func theEscapesOfASignedPathAreInUpperCase(_ kind: TransportKind) async throws
  {
    var draft = RequestDraft(url: server.url("/%c3%a9/%7E%2f100%25?q=%c3%a9"))
    try HMACSigner(key: Data("secret".utf8), location: .header).sign(&draft)
    let request = try await send(draft, by: kind.transport())
    expectEqual(request.target.split(separator: "?").first, "/%C3%A9/%7E%2F100%25")
    expect(SignatureVerifier(location: .header, names: .header).accepts(request))
  }

  @Test func aStreamIsSentWithItsMarker() async throws {
    var draft = RequestDraft(
      method: .put, url: server.url("/up"), body: .stream(BodyStream { BodyStream.pieces(of: [Data("piece".utf8)]) }))
    try HMACSigner(key: Data("secret".utf8)).sign(&draft)
    let request = try await send(draft, by: URLSessionTransport())
    expectEqual(request.bodyText, "piece")
    expect(SignatureVerifier(isBodySigned: false).accepts(request))
    expect(!SignatureVerifier().accepts(request))
  }

  @Test(arguments: TransportKind.present) func anyTextCanBeSigned(_ kind: TransportKind) async throws {
    var source = TextSource(state: 35)
    let transport = try kind.transport()
    for round in 0..<150 {
      let location: HMACSigner.Location = round.isMultiple(of: 2) ? .query : .header
      var draft = RequestDraft(
        method: round % 3 == 0 ? .get : .post, url: server.url(source.target()), query: source.pairs(),
        form: round % 3 == 1 ? source.pairs() : [], body: .empty)
      if round % 3 == 2 {
        draft.body = .data(Data(source.text().utf8))
        // Without one, URLSession on Linux says that it is a form.
        draft.headers["Content-Type"] = "text/plain"
      }
      try HMACSigner(key: Data("secret".utf8), location: location).sign(&draft)
      let request = try await send(draft, by: transport)
      let verifier = SignatureVerifier(location: location, names: location == .query ? .query : .header)
      let isAccepted = verifier.accepts(request)
      expect(isAccepted, "round \(round): \(request.target) \(request.bodyText)")
    }
  }
}

/// Texts of all sorts, the same in every run: SplitMix64.
private struct TextSource: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  mutating func text() -> String {
    let ranges: [ClosedRange<UInt32>] = [
      0...0x1F, 0x20...0x7E, 0x20...0x7E, 0x7F...0xFF, 0x300...0x36F, 0x590...0x6FF, 0x200B...0x202E, 0x1F300...0x1F6FF,
      0x10_FFF0...0x10_FFFF,
    ]
    var text = ""
    for _ in 0..<Int.random(in: 0...6, using: &self) {
      let range = ranges.randomElement(using: &self) ?? 0...0x7F
      if let scalar = UnicodeScalar(UInt32.random(in: range, using: &self)) { text.unicodeScalars.append(scalar) }
    }
    return text
  }

  mutating func pairs() -> [ParameterPair] {
    (0..<Int.random(in: 1...6, using: &self)).map { _ in
      ParameterPair(text(), Bool.random(using: &self) ? text() : Bool.random(using: &self) ? "" : nil)
    }
  }

  /// A path and a query of what an address may hold, some of it escaped without need, and some as no UTF-8.
  mutating func target() -> String {
    let pieces = [
      "a", "Z", "~", "+", "%20", "%7e", "%FF", "%00", "%61", ";", ":", "@", "!", "'", "(", "*", ",", "$", "/",
    ]
    func some(_ more: [String], _ source: inout TextSource) -> String {
      (0..<Int.random(in: 0...8, using: &source)).map { _ in (pieces + more).randomElement(using: &source) ?? "" }
        .joined()
    }
    let path = "/x" + some([], &self)
    return Bool.random(using: &self) ? path : path + "?" + some(["&", "&", "=", "=", "?", "%26", "%3D", "%2B"], &self)
  }
}
