import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

/// After which failures, and after which delays.
struct RetryRulesTests {
  @Test(arguments: [
    (1, 500), (2, 1000), (3, 2000), (4, 4000), (5, 8000), (6, 16_000), (7, 30_000), (8, 30_000), (.max, 30_000),
  ])
  func theTableOfTheDocumentationHolds(number: Int, milliseconds: Int) {
    expectEqual(Retry().backoff.longestDelay(before: number), .milliseconds(milliseconds))
  }

  @Test func theDefaultHasFullJitter() {
    let delays = (0..<10_000).map { _ in Retry().backoff.delay(before: 1) }
    expect(delays.allSatisfy { $0 >= .zero && $0 < .milliseconds(500) })
    expect(abs(delays.reduce(.zero, +) / .seconds(5000) - 0.5) < 0.05)
  }

  @Test(arguments: [408, 429, 500, 502, 503, 504, 520, 524, 529]) func theseStatusesAreCovered(status: Int) {
    expect(Retry().covers(.status(status)))
    expect(!Retry(statuses: []).covers(.status(status)))
  }

  @Test(arguments: [400, 401, 403, 404, 409, 410, 422, 501, 505, 525, 530]) func theseAreNot(status: Int) {
    expect(!Retry().covers(.status(status)))
    expect(Retry(statuses: [status]).covers(.status(status)))
  }

  @Test func codesOfTheWayAreCoveredAndCertificatesAreNot() {
    let covered: [NetworkError.Code] = [
      .timedOut, .cannotFindHost, .cannotConnect, .connectionLost, .secureConnectionFailed,
    ]
    for code in covered { expect(Retry().covers(.network(code))) }
    expect(!Retry().covers(NetworkError(.timedOut)), "without a request")
    for code in [.untrustedCertificate, .rejectedClientCertificate, .responseTooLarge] as [NetworkError.Code] {
      expect(!Retry().covers(.network(code)))
    }
  }

  /// The same number means something else in another domain.
  @Test(arguments: [NetworkError.Domain.client, .api, .processing]) func otherDomainsAreNotCovered(
    domain: NetworkError.Domain
  ) {
    for number in [503, NetworkError.Code.timedOut.number] {
      expect(!Retry().covers(NetworkError(NetworkError.Code(domain, number), request: .sample())))
    }
  }

  @Test func aCodeIsCoveredWhateverItsDomain() {
    let codes: Set<NetworkError.Code> = [.status(418), .api(1), .malformedBody, .timedOut, .unreachable]
    let retry = Retry(statuses: [], codes: codes)
    for code in [.status(418), .api(1), .malformedBody, .timedOut] as [NetworkError.Code] {
      expect(retry.covers(NetworkError(code, request: .sample())), "\(code)")
    }
    // A client error is not repaired by a repetition.
    for code in [.status(419), .api(2), .network(1), .unreachable] as [NetworkError.Code] {
      expect(!retry.covers(NetworkError(code, request: .sample())), "\(code)")
    }
  }

  /// A server may report one failure by a status and a code, whichever of the two refuses the response.
  @Test func aStatusAndTheServicesCodeAreBothCovered() {
    var refused = NetworkError.status(400)
    refused.serverCode = .api(7)
    expect(Retry(statuses: [], codes: [.api(7)]).covers(refused))
    expect(Retry(statuses: [400]).covers(refused))
    expect(!Retry(statuses: [7], codes: [.api(400)]).covers(refused))
    let reported = NetworkError(.api(7), request: .sample(), response: refused.response)
    expect(Retry(statuses: [400]).covers(reported))
    expect(Retry(codes: [.status(400)]).covers(reported))
    let unreadable = NetworkError(.malformedBody, request: .sample(), response: NetworkError.status(503).response)
    expect(!Retry().covers(unreadable))
  }

  @Test func onlyWhatMayBeRepeatedIs() {
    for method in [.get, .head, .options, .put, .delete, "PROPFIND", "MKCOL", "MKCALENDAR"] as [HTTPMethod] {
      expect(Retry().covers(.status(503, for: .sample(method))))
      expect(!Retry().covers(.status(503, for: .sample(method, isIdempotent: false))))
    }
    for method in [.post, .patch, "ODD", "LOCK"] as [HTTPMethod] {
      expect(!Retry().covers(.status(503, for: .sample(method))))
      expect(Retry().covers(.status(503, for: .sample(method, isIdempotent: true))))
    }
    expect(!Retry().covers(NetworkError(.timedOut)))
  }

  @Test func neverIsNever() {
    expectEqual(Retry.never.limit, 0)
  }
}
