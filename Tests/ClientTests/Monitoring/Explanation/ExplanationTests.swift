import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

/// The text of an explanation, made of values without a run.
struct ExplanationTests {
  private func provenance(
    _ base: RequestProvenance.Base = .client, service: String? = nil, addsClient: Bool = true, addsService: Bool = true
  ) -> RequestProvenance {
    RequestProvenance(
      base: base, service: service, environment: service == nil ? nil : "test", addsClient: addsClient,
      addsService: addsService, clientFields: [:])
  }

  private func text(_ provenance: RequestProvenance, _ headers: HTTPHeaders = [:]) -> String {
    var request = HTTPRequest.sample()
    request.headers = headers
    request.context.provenance = CopyOnWrite(provenance)
    return Explanation(title: "title", request: request, metrics: nil, history: RunHistory()).text
  }

  /// After a redirect, the instants continue from those of the exchanges before.
  @Test func earlierExchangesAreNoQueue() {
    var last = Metrics(startedAt: .milliseconds(1), endedAt: .milliseconds(20))
    last.redirectCount = 1
    let metrics = last.adding(Metrics(endedAt: .milliseconds(800)))
    let text = Explanation(title: "title", request: .sample(), metrics: metrics, history: RunHistory()).text
    expect(text.contains("earlier exchanges and queue 801"), "\(text)")
  }

  /// A request that the transport resent on another connection had no exchange before.
  @Test(arguments: [(1, "earlier exchanges and queue 801"), (0, "\n  queue 801")])
  func aChallengeIsAnEarlierExchange(_ challengeCount: Int, _ expected: String) {
    var metrics = Metrics(startedAt: .milliseconds(801), endedAt: .milliseconds(820))
    metrics.resendCount = 1
    metrics.challengeCount = challengeCount
    let text = Explanation(title: "title", request: .sample(), metrics: metrics, history: RunHistory()).text
    expect(text.contains(expected), "\(text)")
  }

  @Test func theAddressNamesItsOriginAndItsAdditions() {
    let additions = "header fields, parameters, filters, middleware and signature"
    let texts = [
      provenance(), provenance(.service("cdn"), service: "shop"), provenance(.environment, service: "shop"),
      provenance(.options, service: "shop", addsService: false), provenance(.absolute, addsClient: false),
    ].map { text($0).split(separator: "\n")[2...3].map { $0.trimmingCharacters(in: .whitespaces) } }
    expectEqual(
      texts,
      [
        [
          "below the client's base URL",
          "an own origin: header fields, filters and middleware of the client were added",
        ],
        [
          "below the cdn address of the service shop in the environment test",
          "an own origin: \(additions) of the client and the service were added",
        ],
        [
          "below the custom address of the environment test, for the service shop",
          "an own origin: \(additions) of the client and the service were added",
        ],
        [
          "a base URL in the options of the request",
          "an own origin, but none of the service shop: its \(additions) were left out",
        ],
        [
          "an absolute URL of the request",
          "not an own origin: header fields, filters and middleware of the client were left out",
        ],
      ])
  }

  @Test func eachFieldNamesTheStageThatHasSetIt() {
    var provenance = CopyOnWrite(provenance())
    provenance.record(["A": "1", "B": "1"], after: .client)
    provenance.record(["A": "1", "B": "2"], after: .service)
    provenance.record(["A": "1", "B": "2", "C": "1", "D": "1"], after: .request)
    provenance.record(["A": "1", "B": "2", "C": "1", "D": "1", "sign": "s3cret"], after: .signer)
    let text = text(provenance.value, ["a": "1", "B": "2", "C": "9", "sign": "s3cret", "E": "5"])
    let lines = text.split(separator: "\n").drop { $0 != "Header fields" }.prefix(7)
    expectEqual(
      Array(lines),
      [
        "Header fields", "  client      a: 1", "  service     B: 2", "  middleware  C: 9",
        "  signer      sign: <redacted>", "  middleware  E: 5", "  removed     D, by middleware",
      ])
  }

  @Test func phasesFollowEachOther() {
    var metrics = Metrics(endedAt: .milliseconds(50))
    metrics.startedAt = .milliseconds(1)
    metrics.resolvedAt = .milliseconds(3)
    metrics.connectedAt = .milliseconds(6)
    metrics.securedAt = .milliseconds(16)
    metrics.sentAt = .milliseconds(17)
    metrics.firstByteAt = .milliseconds(40)
    let first = "queue 1.0 ms, resolving 2.0 ms, connecting 3.0 ms, TLS handshake 10.0 ms, preparing 1.0 ms"
    let last = "sending and waiting 23.0 ms, receiving 10.0 ms"
    expectEqual(
      metrics.explanation,
      "Timings of the last exchange\n  \(first), \(last)\n  50.0 ms, sent 0 bytes, received 0 bytes")
    expectEqual(
      Metrics(endedAt: .milliseconds(5)).explanation,
      "Timings of the last exchange\n  5.0 ms, sent 0 bytes, received 0 bytes")
  }

  @Test func anErrorWithoutARequestIsExplained() {
    let text = NetworkError(.invalidURL, reason: "invalid URL").explanation
    expect(text.hasPrefix("client error \(NetworkError.Code.invalidURL): invalid URL\n\nAttribution: client\n"))
    expect(text.contains("add one") || text.contains("Add one"))
  }

  @Test func anEarlierAttemptHasTheCodeOfItsService() {
    let attempts = [NetworkError.Code.api("E17"), .api(17), .rejected].map { code in
      Metrics.Attempt(NetworkError(code, reason: "failed"))
    }
    var metrics = Metrics(endedAt: .milliseconds(5))
    metrics.earlierAttempts = attempts
    let text = Explanation(title: "title", request: nil, metrics: metrics, history: nil).text
    expect(text.contains("Earlier attempts\n  api error E17\n  api error 17\n  api error -1011\n"), "\(text)")
    expectEqual(attempts.map(\.code), [-1011, 17, -1011])
    // A caller, who cannot set the service's code, can make an equal record.
    expectEqual(attempts[0], Metrics.Attempt(domain: "api", code: -1011))
  }

  /// At the limit nothing tells whether attempts were left out.
  @Test(arguments: [63, 64, 65]) func aSeriesAtItsLimitMayHaveAGap(_ count: Int) {
    var series = AttemptSeries()
    for number in 1...count { series.append(Metrics.Attempt(domain: "network", code: number)) }
    var metrics = Metrics(endedAt: .milliseconds(5))
    metrics.earlierAttempts = series.attempts
    let text = Explanation(title: "title", request: nil, metrics: metrics, history: nil).text
    let gap = "error 32\n  (any others, if there were more than 64)\n  network error \(count - 31)\n"
    expectEqual(text.contains(gap), count >= 64, "\(text)")
    expect(metrics.description.hasSuffix("attempts: \(count >= 64 ? "at least 65" : "64")"), "\(metrics)")
  }

  /// The server chooses it.
  @Test func theCodeOfAServiceIsOneShortLine() {
    var metrics = Metrics(endedAt: .milliseconds(5))
    let code = NetworkError.Code.api("E17\n  forged \u{202E}" + String(repeating: "a", count: 5_000))
    metrics.earlierAttempts = [Metrics.Attempt(NetworkError(code, reason: "failed"))]
    let text = Explanation(title: "title", request: nil, metrics: metrics, history: nil).text
    expect(text.contains("api error E17\\n  forged \\u{202E}aaa"), "\(text)")
    expect(text.utf8.count < 1_000)
  }

  @Test func longFieldsAreShortened() {
    let text = text(provenance(), ["X-Long": String(repeating: "a", count: 5_000)])
    expect(text.utf8.count < 1_000)
  }
}
