import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Whom a client over TLS trusts: the authorities, the name and the time.
@Suite(.enabled(if: CurlTransport.isAvailable && NginxServer.isAvailable)) struct CurlTLSTrustTests {
  let nginx: NginxServer

  init() async throws {
    nginx = try await NginxServer()
  }

  @Test("S1-36", arguments: ["localhost", "127.0.0.1"]) func trustsTheAuthorityItIsTold(_ host: String) async throws {
    let recorder = try await record(nginx.address(\.secure, host: host))
    let response = try require(recorder.values.first, "\(recorder.events)")
    expectEqual(response.statusCode, 200)
    expectEqual(response.value, Data("secure".utf8))
    expect(recorder.isCompleted)
  }

  @Test("S1-36") func trustsNobodyButTheSystemsAuthoritiesOtherwise() async throws {
    let recorder = try await record(nginx.address(\.secure)) { $0.trust = Trust() }
    expectUntrusted(recorder, "issuer", "authenticate", "verif")
  }

  @Test("S1-36") func distrustsAnotherAuthority() async throws {
    expectUntrusted(try await record(nginx.address(\.foreign)), "issuer", "authenticate", "verif")
    let other = try Certificates.file("other.pem")
    let recorder = try await record(nginx.address(\.foreign)) { $0.trust.authorities = other }
    expectEqual(recorder.values.first?.value, Data("foreign".utf8))
  }

  @Test("S1-36") func distrustsAnotherHostsCertificate() async throws {
    let recorder = try await record(nginx.address(\.secure, host: "other.example")) {
      $0.resolve = { _, _ in ["127.0.0.1"] }
    }
    expectUntrusted(recorder, "other.example")
  }

  @Test("S1-36") func distrustsWhatHasExpired() async throws {
    expectUntrusted(try await record(nginx.address(\.expired)), "expired")
  }

  @Test func plainHTTPIsNoTLS() async throws {
    let recorder = try await record("https://localhost:\(nginx.ports.plain)/")
    expectEqual(recorder.failure?.code, .secureConnectionFailed, "\(recorder.events)")
    expectEqual(recorder.failure?.reason.isEmpty, false)
  }

  @Test func itsOwnWayIsNoPlainHTTP() async throws {
    // nginx sees that and says so, with a status of its own.
    let recorder = try await record("http://localhost:\(nginx.ports.secure)/")
    expectEqual(recorder.values.first?.statusCode, 400)
  }

  @Test func aHandshakeThatIsCutOffFails() async throws {
    let server = try LoopbackServer()
    // A TLS hello is no HTTP: the server refuses it and closes.
    let recorder = try await record("https://localhost:\(server.port)/")
    expectEqual(recorder.failure?.code, .secureConnectionFailed, "\(recorder.events)")
  }

  @Test func aFailedHandshakeLeavesNothingBehind() async throws {
    var settings = TransportSettings()
    settings.trust.authorities = try Certificates.file("ca.pem")
    let client = NetworkClient(.init(transport: try CurlTransport(settings)))
    for _ in 0..<3 {
      let refused = SignalRecorder(client.exchange(request: Request(.get, RequestPath(nginx.address(\.foreign)))))
      await refused.waitForEnd()
      expectEqual(refused.failure?.code, .untrustedCertificate)
      let accepted = SignalRecorder(client.exchange(request: Request(.get, RequestPath(nginx.address(\.secure)))))
      await accepted.waitForEnd()
      expect(accepted.isCompleted)
    }
  }

  /// Expects the code, and a reason with one of these words: TLS libraries differ.
  private func expectUntrusted(
    _ recorder: SignalRecorder<Response<Data>, NetworkError>, _ words: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(recorder.values.isEmpty, sourceLocation: sourceLocation)
    #expect(recorder.failure?.domain == .network, sourceLocation: sourceLocation)
    #expect(recorder.failure?.code == .untrustedCertificate, "\(recorder.events)", sourceLocation: sourceLocation)
    let reason = recorder.failure?.reason ?? ""
    #expect(words.contains { reason.contains($0) }, "\(reason)", sourceLocation: sourceLocation)
  }
}
