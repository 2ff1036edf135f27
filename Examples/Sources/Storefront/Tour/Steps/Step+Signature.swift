import Foundation
import Heliograph
import HeliographTesting

extension Step {
  static let signature = Step("A signed service, whose server checks every signature") { tour in
    let hosts = try PartnerHosts()
    let store = EnvironmentStore(choices: PartnerHosts.environments, storage: .memory())
    let engine = PartnerEngine(hosts.addresses, key: PartnerHosts.key, environments: store)
    guard let host = hosts.payments[store.current] else { return }
    // A cold signal: each subscription sends and signs a new request.
    let payment = engine.pay(4900, for: 2001)
    let receipts = try await payment.concat(payment).collect().value()
    let nonces = host.log.requests.compactMap { $0.header("X-Nonce") }
    tour.report.check(
      receipts.count == 2 && Set(nonces).count == 2, "the server computed the same signatures, one for each request",
      "\(receipts.count) receipts, nonces \(nonces.map { $0.prefix(8) + "…" }.joined(separator: ", "))")

    guard let sent = host.log.requests.first else { return }
    await tour.replay(sent, to: host, "the same request again is refused", verdict: .repeated)
    await tour.replay(sent, to: host, "with another sum it is refused", verdict: .changed) { request in
      request.body = .data(Data(sent.bodyText.replacing("4900", with: "1").utf8), contentType: "application/json")
    }
    await tour.replay(sent, to: host, "with an older timestamp it is refused", verdict: .outdated) { request in
      request.headers["X-Timestamp"] = "1700000000"
    }
    await tour.replay(sent, to: host, "without a signature it is refused", verdict: .unsigned) { request in
      request.headers["X-Signature"] = nil
    }
    let forged = PartnerEngine(hosts.addresses, key: Data("a guess".utf8), environments: store)
    let code = await SignalRecorder(forged.pay(4900, for: 2001)).failureCode
    tour.report.check(
      code == .status(403), "under another key it is refused", "status \(code.map { "\($0)" } ?? "200")")
  }
}

extension Tour {
  /// Sends a recorded request again, unchanged or changed.
  fileprivate func replay(
    _ sent: LoopbackRequest, to host: LoopbackServer, _ claim: String, verdict: SignatureGate.Verdict,
    _ change: (inout Request) -> Void = { _ in }
  ) async {
    var request = Request(.post, RequestPath(host.url(sent.target).absoluteString))
    request.body = .data(sent.body, contentType: "application/json")
    for name in ["X-Timestamp", "X-Nonce", "X-Signature"] { request.headers[name] = sent.header(name) }
    change(&request)
    let client = NetworkClient(.init(monitors: Traffic.monitors))
    let answer = SignalRecorder(client.exchange(request: request))
    await answer.waitForEnd()
    let body = answer.values.first.map { String(decoding: $0.value, as: UTF8.self) } ?? "no answer"
    report.check(
      answer.values.first?.statusCode == 403 && body == #"{"refused":"\#(verdict.rawValue)"}"#, claim,
      "status \(answer.values.first?.statusCode ?? 0), \(body)")
  }
}

extension SignalRecorder where Failure == NetworkError {
  /// The code of the failure, once it has ended.
  fileprivate var failureCode: NetworkError.Code? {
    get async {
      await waitForEnd()
      return failure?.code
    }
  }
}
