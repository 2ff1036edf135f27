import Foundation
import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

/// Codes mean something only together with their domain.
struct ForeignErrorTests {
  @Test(
    arguments: [
      (NSURLErrorDomain, -1001, .timedOut), (NSURLErrorDomain, -1009, .network(-1009)),
      (NSURLErrorDomain, -1015, .undecodableBody),
      (NSURLErrorDomain, -1016, .undecodableBody), (NSPOSIXErrorDomain, Int(ECONNRESET), .connectionLost),
      (NSPOSIXErrorDomain, Int(EPIPE), .connectionLost), (NSPOSIXErrorDomain, Int(ECONNREFUSED), .cannotConnect),
      (NSPOSIXErrorDomain, Int(ETIMEDOUT), .timedOut), (NSPOSIXErrorDomain, Int(ENETDOWN), .network(-1009)),
      (NSPOSIXErrorDomain, Int(ENOSPC), .unknown), ("kCFErrorDomainCFNetwork", -1003, .cannotFindHost),
      ("kCFErrorDomainCFNetwork", 2, .cannotFindHost), ("kCFErrorDomainCFNetwork", 310, .cannotConnect),
      ("kCFErrorDomainCFNetwork", 303, .invalidResponse), ("kCFErrorDomainCFNetwork", 72_000, .unknown),
      ("NSOSStatusErrorDomain", -9807, .unknown),
    ] as [(String, Int, NetworkError.Code)])
  func eachDomainHasATableOfItsOwn(_ domain: String, _ number: Int, _ expected: NetworkError.Code) {
    let code = NetworkError.Code(urlLoading: NSError(domain: domain, code: number))
    expectEqual(code, expected)
    // It is bridged as one of URL loading's, which are negative.
    expect(code.number < 0)
  }
}
