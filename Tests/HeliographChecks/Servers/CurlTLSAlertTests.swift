import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Servers that break a handshake off, or speak when nobody has asked.
@Suite(.enabled(if: CurlTransport.isAvailable && Certificates.openssl != nil)) struct CurlTLSAlertTests {
  /// With TLS 1.3 the server's refusal comes when the handshake is over for the client.
  @Test(arguments: ["-tls1_2", "-tls1_3"], ["stranger", "expired", "client"])
  func aServerThatRefusesTheCertificateSaysSo(_ version: String, _ name: String) async throws {
    let server = try OpenSSLServer(["-Verify", "1", "-verify_return_error", "-www", version])
    let recorder = try await record(server.address) {
      $0.trust.identities["localhost"] = Trust.Identity(
        certificate: try Certificates.file("\(name).pem"), key: try Certificates.file("\(name).key"))
    }
    guard name != "client" else {
      expectEqual(recorder.values.first?.statusCode, 200, "\(recorder.events)")
      return
    }
    expectEqual(recorder.failure?.code, .rejectedClientCertificate, "\(recorder.events)")
    expectEqual(recorder.failure?.attribution.party, .client)
  }

  @Test func aMissingCertificateIsTheClients() async throws {
    let server = try OpenSSLServer(["-Verify", "1", "-verify_return_error", "-www", "-tls1_3"])
    let recorder = try await record(server.address)
    expectEqual(recorder.failure?.code, .rejectedClientCertificate, "\(recorder.events)")
  }

  @Test("S1-36", arguments: [TLSVersion.tls12, .tls13]) func theOldestVersionMayBeSet(_ version: TLSVersion)
    async throws
  {
    let server = try OpenSSLServer(["-www", "-tls1_2"])
    let recorder = try await record(server.address) { $0.trust.minimumTLSVersion = version }
    if version == .tls12 {
      expectEqual(recorder.values.first?.statusCode, 200, "\(recorder.events)")
    } else {
      expectEqual(recorder.failure?.code, .secureConnectionFailed, "\(recorder.events)")
    }
  }

  @Test func anUploadWhoseSourceIsSilentEndsWithItsConnection() async throws {
    var server: OpenSSLServer? = try OpenSSLServer([])
    let stream = BodyStream {
      let count = Guarded(0)
      return {
        let isFirst = count.withLock { count in
          count += 1
          return count == 1
        }
        return isFirst ? .just(Data(count: 10)) : .never
      }
    }
    let url = try require(URL(string: server?.address ?? ""))
    let recorder = SignalRecorder(
      try CurlTransport(try secureSettings()).send(HTTPRequest(method: .post, url: url, body: .stream(stream))))
    await recorder.wait { !$0.isEmpty }
    server = nil
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .connectionLost, "\(recorder.events)")
  }

  /// A server without ALPN speaks HTTP/1.1, even to a client that offers HTTP/2.
  @Test(arguments: [true, false], ["hello", ""])
  func aBodyBeyondItsLengthIsRefused(_ offersHTTP2: Bool, _ body: String) async throws {
    let server = try OpenSSLServer([])
    let transport = try CurlTransport(try secureSettings { $0.allowsHTTP2 = offersHTTP2 })
    let url = try require(URL(string: server.address))
    let recorder = SignalRecorder(transport.send(HTTPRequest(url: url, idleTimeout: .seconds(60))))
    try server.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body), world")
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .invalidResponse, "\(recorder.events)")
    expectEqual(recorder.values.body, Data(body.utf8))
  }

  /// What comes on a kept connection before the next request is no answer to it.
  @Test(arguments: ["-tls1_2", "-tls1_3"]) func anAnswerThatNobodyAskedForIsNotDelivered(_ version: String) async throws
  {
    let server = try OpenSSLServer([version])
    let transport = try CurlTransport(try secureSettings())
    var request = HTTPRequest(url: try require(URL(string: server.address)), idleTimeout: .seconds(60))
    let first = SignalRecorder(transport.send(request))
    try server.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst")
    await first.waitForEnd()
    expectEqual(first.values.body, Data("first".utf8), "\(first.events)")
    expectEqual(ClientSocket(to: server.port)?.isReadable, false)
    try server.send("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nunasked")
    // It has to be there before the request is sent.
    await until { ClientSocket(to: server.port)?.isReadable != false }
    request.idleTimeout = .seconds(2)
    let second = SignalRecorder(transport.send(request))
    // The server serves no other connection while the first is open.
    await second.waitForEnd()
    expect(second.values.body.isEmpty, "\(second.events)")
  }
}
