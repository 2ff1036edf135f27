import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// A ``Trust`` over `URLSession`: on Linux it is refused, as no part of it can be kept.
struct SessionTrustTests {
  private func outcome(
    _ address: String, _ change: (inout Trust) throws -> Void
  ) async throws -> SignalRecorder<TransportEvent, NetworkError> {
    var trust = Trust()
    try change(&trust)
    let url = try require(URL(string: address))
    let recorder = SignalRecorder(URLSessionTransport(trust: trust).send(HTTPRequest(url: url)))
    await recorder.waitForEnd()
    return recorder
  }

  @Test("S1-36") func aMalformedPinIsRefused() async throws {
    let recorder = try await outcome("https://localhost:1/") { $0.pinnedKeys = ["localhost": ["pin"]] }
    expectEqual(recorder.failure?.code, .invalidTransport)
    expectEqual(recorder.failure?.request?.url.port, 1)
  }

  #if canImport(Security)
  @Suite(.enabled(if: NginxServer.isAvailable)) struct OverTLS {
    private let tests = SessionTrustTests()
    private let nginx: NginxServer
    private let authority: URL

    init() async throws {
      nginx = try await NginxServer()
      authority = try Certificates.file("ca.pem")
    }

    private func outcome(_ change: (inout Trust) throws -> Void) async throws -> NetworkError.Code? {
      try await tests.outcome(nginx.address(\.secure)) {
        $0.authorities = authority
        try change(&$0)
      }.failure?.code
    }

    @Test("S1-36") func anAuthorityIsTrusted() async throws {
      try await expectNil(outcome { _ in })
      try await expectNil(
        outcome {
          $0.additionalAuthorities = [authority]
          $0.authorities = nil
        })
      try await expectEqual(outcome { $0.authorities = nil }, .untrustedCertificate)
      try await expectEqual(outcome { $0.authorities = try Certificates.file("other.pem") }, .untrustedCertificate)
    }

    @Test("S1-36") func aPinIsKept() async throws {
      let (pin, other) = (try Certificates.pin(of: "site.pem"), try Certificates.pin(of: "other.pem"))
      try await expectNil(outcome { $0.pinnedKeys = ["localhost": [other, pin]] })
      try await expectEqual(outcome { $0.pinnedKeys = ["*": [other]] }, .untrustedCertificate)
      try await expectNil(outcome { $0.pinnedKeys = ["other.example": [other]] })
    }

    @Test("S1-36") func theClientShowsItsCertificate() async throws {
      let file = try Certificates.file("client.p12")
      let recorder = try await tests.outcome(nginx.address(\.client)) {
        $0.authorities = authority
        $0.identities["localhost"] = .init(pkcs12: file, passphrase: "open sesame")
      }
      expectEqual(recorder.values.body, Data("CN=client".utf8))
    }

    @Test("S1-36") func anotherHostGetsNoCertificate() async throws {
      let file = try Certificates.file("client.p12")
      let recorder = try await tests.outcome(nginx.address(\.client, host: "127.0.0.1")) {
        $0.authorities = authority
        $0.identities["localhost"] = .init(pkcs12: file, passphrase: "open sesame")
      }
      expect(!recorder.values.body.starts(with: "CN".utf8), "\(recorder.events)")
    }
  }
  #else
  @Test("S1-36", arguments: 0..<5) func whatCannotBeKeptIsRefused(_ part: Int) async throws {
    let recorder = try await outcome("https://localhost:1/") { trust in
      let file = URL(fileURLWithPath: "/etc/company.pem")
      switch part {
      case 0: trust.authorities = file
      case 1: trust.additionalAuthorities = [file]
      case 2: trust.pinnedKeys = ["localhost": [Data(count: 32).base64EncodedString()]]
      case 3: trust.identities = ["localhost": .init(pkcs12: file)]
      default: trust.minimumTLSVersion = .tls13
      }
    }
    expectEqual(recorder.failure?.code, .invalidTransport)
    expectEqual(recorder.failure?.reason.contains("CurlTransport"), true)
  }
  #endif
}
