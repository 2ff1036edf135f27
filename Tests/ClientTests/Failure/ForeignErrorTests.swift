import Foundation
import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

/// Codes mean something only together with their domain.
struct ForeignErrorTests {
  @Test(
    arguments: [
      (NSURLErrorDomain, -1001, .timedOut), (NSURLErrorDomain, -1009, .unreachable),
      (NSURLErrorDomain, -1018, .unreachable), (NSURLErrorDomain, -1019, .unreachable),
      (NSURLErrorDomain, -1020, .unreachable), (NSURLErrorDomain, -1022, .network(-1022)),
      (NSURLErrorDomain, -1015, .undecodableBody), (NSURLErrorDomain, -3007, .undecodableBody),
      (NSURLErrorDomain, -1006, .cannotFindHost), (NSURLErrorDomain, -1206, .rejectedClientCertificate),
      (NSURLErrorDomain, -1201, .untrustedCertificate), (NSURLErrorDomain, -1203, .untrustedCertificate),
      (NSURLErrorDomain, -1204, .untrustedCertificate), ("kCFErrorDomainCFNetwork", -1201, .untrustedCertificate),
      ("kCFErrorDomainCFNetwork", -1203, .untrustedCertificate),
      ("kCFErrorDomainCFNetwork", -1204, .untrustedCertificate),
      (NSURLErrorDomain, -1016, .undecodableBody), (NSPOSIXErrorDomain, Int(ECONNRESET), .connectionLost),
      (NSPOSIXErrorDomain, Int(EPIPE), .connectionLost), (NSPOSIXErrorDomain, Int(ECONNREFUSED), .cannotConnect),
      (NSPOSIXErrorDomain, Int(ETIMEDOUT), .timedOut), (NSPOSIXErrorDomain, Int(ENETDOWN), .unreachable),
      (NSPOSIXErrorDomain, Int(EPROTO), .invalidResponse), (NSURLErrorDomain, -1017, .invalidResponse),
      ("kCFErrorDomainCFNetwork", -1017, .invalidResponse), (NSPOSIXErrorDomain, Int(ENOSPC), .unknown),
      ("kCFErrorDomainCFNetwork", -1003, .cannotFindHost),
      ("kCFErrorDomainCFNetwork", 2, .cannotFindHost), ("kCFErrorDomainCFNetwork", 310, .cannotConnect),
      ("kCFErrorDomainCFNetwork", 303, .invalidResponse), ("kCFErrorDomainCFNetwork", 72_000, .unknown),
      ("NSOSStatusErrorDomain", -9807, .unknown),
    ] as [(String, Int, NetworkError.Code)])
  func eachDomainHasATableOfItsOwn(_ domain: String, _ number: Int, _ expected: NetworkError.Code) {
    let code = NetworkError.Code(urlLoading: NSError(domain: domain, code: number))
    expectEqual(code, expected)
    // It is bridged as one of URL loading's, which are negative.
    expect(code.number < 0 || code == .unreachable)
  }

  @Test(
    arguments: [
      ("kCFErrorDomainCFNetwork", 306, .path), ("kCFErrorDomainCFNetwork", 311, .path),
      ("kCFErrorDomainCFNetwork", 303, .undetermined), (NSPOSIXErrorDomain, 310, .undetermined),
    ] as [(String, Int, Attribution.Party)])
  func aProxyIsPartOfThePath(_ domain: String, _ number: Int, _ party: Attribution.Party) {
    let error = NetworkError(.cannotConnect).attributingProxies(by: NSError(domain: domain, code: number))
    expectEqual(error.attribution.party, party)
  }

  @Test(
    arguments: [
      (
        -1009, nil,
        "NSURLErrorDomain -1009: no network, or no permission for the local network "
          + "(NSLocalNetworkUsageDescription in the Info.plist)"
      ),
      (
        -1020, nil,
        "NSURLErrorDomain -1020: cellular data is not allowed for the app, or no permission for the local network"
      ),
      (-1009, 0, "NSURLErrorDomain -1009: the request does not allow a cellular network"),
      (-1009, 1, "NSURLErrorDomain -1009: the request does not allow an expensive network"),
      (-1009, 2, "NSURLErrorDomain -1009: the request does not allow a constrained network"),
      (-1003, nil, "NSURLErrorDomain -1003"),
      (-1201, nil, "NSURLErrorDomain -1201: the certificate has expired, or the date of the device is wrong"),
      (-1204, nil, "NSURLErrorDomain -1204: the certificate is not yet valid, or the date of the device is wrong"),
    ] as [(Int, Int?, String)])
  func theReasonNamesTheCause(_ number: Int, _ unavailability: Int?, _ expected: String) {
    let error = NSError(domain: NSURLErrorDomain, code: number)
    expectEqual(NetworkError.reason(ofURLLoading: error, unavailability: unavailability), expected)
  }

  @Test func theReasonNamesWhatTheAppHasToSetUp() {
    let reason = { NetworkError.reason(ofURLLoading: NSError(domain: NSURLErrorDomain, code: $0), unavailability: nil) }
    expect(reason(-1022).contains("Info.plist"))
    expect(reason(-995).contains("shared container"))
    expectEqual(NetworkError.reason(ofURLLoading: NSError(domain: "x", code: -1022), unavailability: 0), "x -1022")
  }
}
