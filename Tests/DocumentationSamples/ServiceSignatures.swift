import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

// sample: gate
struct Gate {
  let key: Data
  private var seen: Set<String> = []

  init(key: Data) {
    self.key = key
  }

  mutating func admits(_ request: LoopbackRequest, for server: LoopbackServer, at now: Date = Date()) -> Bool {
    guard let sent = request.header("X-Signature"), let nonce = request.header("X-Nonce"),
      let seconds = request.header("X-Timestamp").flatMap({ Int64($0) })
    else { return false }
    // 1. It is not old. A clock may be wrong by five minutes.
    let time = Date(timeIntervalSince1970: TimeInterval(seconds))
    guard abs(now.timeIntervalSince(time)) <= 300 else { return false }
    // 2. What has arrived, signed once more, has the same signature.
    let signer = HMACSigner(key: key, place: .header, now: { time }, nonce: { nonce })
    var draft = RequestDraft(
      method: HTTPMethod(rawValue: request.method), url: server.url(request.target), body: .data(request.body))
    guard (try? signer.sign(&draft)) != nil, let own = draft.headers["X-Signature"] else { return false }
    guard own.utf8.count == sent.utf8.count else { return false }
    // Each byte is looked at, so that the time it takes tells nothing.
    guard zip(own.utf8, sent.utf8).reduce(0, { $0 | ($1.0 ^ $1.1) }) == 0 else { return false }
    // 3. It is new. Only now: a forgery must not use up another client's nonce.
    return seen.insert(nonce).inserted
  }
}
// end sample

/// The sample of Docs/Services.md that signs, and the server that checks.
struct SignatureSamples {
  @Test func aServerChecksTheSignature() async throws {
    let server = try LoopbackServer()
    server.route("*", "*") { _ in .status(204) }
    let store = EnvironmentStore(storage: .memory())
    try store.setCustomAddress(server.baseURL)
    try store.switch(to: .custom)
    // sample: signing
    let key = Data("a secret that the server has, too".utf8)
    let payments = Payments(signer: HMACSigner(key: key, place: .header))
    let client = NetworkClient(.init(services: [payments], environments: store))
    let pay = Request(.post, "/pay", service: .payments, parameters: ["order": 7, "cents": 4900])
    _ = try await client.enqueue(request: pay).value()  // with X-Timestamp, X-Nonce and X-Signature
    // end sample
    let received = try require(server.log.requests.first)
    expectEqual(received.bodyText, #"{"cents":4900,"order":7}"#)
    var gate = Gate(key: key)
    var stranger = Gate(key: Data("another".utf8))
    let late = gate.admits(received, for: server, at: Date(timeIntervalSinceNow: 310))
    let strange = stranger.admits(received, for: server)
    let first = gate.admits(received, for: server)
    let second = gate.admits(received, for: server)
    expectEqual([late, strange, first, second], [false, false, true, false])

    var forged = Request(.post, "/pay", service: .payments, parameters: ["order": 7, "cents": 1])
    forged.options.isSigned = false
    for name in ["X-Timestamp", "X-Nonce", "X-Signature"] { forged.headers[name] = received.header(name) }
    _ = try await client.enqueue(request: forged).value()
    _ = try await client.enqueue(request: pay).value()
    let (changed, again) = (server.log.requests[1], server.log.requests[2])
    gate = Gate(key: key)
    let another = gate.admits(changed, for: server)
    let renewed = gate.admits(again, for: server)
    expectEqual([another, renewed], [false, true])
  }
}
