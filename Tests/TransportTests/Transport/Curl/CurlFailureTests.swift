import Foundation
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

@testable import Heliograph

/// What an error of libcurl means, and what it tells.
@Suite(.enabled(if: CurlTransport.isAvailable)) struct CurlFailureTests {
  /// The handle of the first request, which is used again, still has its figures.
  @Test func anUploadOfAMissingFileHasNoFiguresOfAnEarlierRequest() async throws {
    let server = try LoopbackServer()
    server.route("*", "/a") { _ in .text("a") }
    let transport = try CurlTransport()
    let first = SignalRecorder(transport.send(HTTPRequest(url: server.url("/a"))))
    await first.waitForEnd()
    expect(first.values.metrics?.sentAt != nil, "\(first.events)")
    let missing = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let upload = HTTPRequest(method: .put, url: server.url("/a"), body: .file(missing))
    let second = SignalRecorder(transport.send(upload))
    await second.waitForEnd()
    expectEqual(second.failure?.code, .invalidBody)
    let metrics = try require(second.failure?.metrics)
    expectNil(metrics.sentAt)
    expectNil(metrics.firstByteAt)
    expectEqual(metrics.sentByteCount, 0)
    expectEqual(metrics.receivedByteCount, 0)
    expectEqual(server.log.requests.count, 1)
  }

  #if HELIOGRAPH_CURL
  /// A host's name in libcurl's text is not an alert of the server; the results are libcurl's public numbers.
  @Test(
    arguments: [
      // CURLE_COULDNT_RESOLVE_HOST
      (6, "Could not resolve host: certificate.alertmanager.internal", .cannotFindHost),
      // CURLE_PEER_FAILED_VERIFICATION
      (60, "SSL: no certificate subject name matches host 'alertmanager.internal'", .untrustedCertificate),
      // The alert about an expired certificate, with TLS 1.2.
      (60, "SSL certificate verification failed", .rejectedClientCertificate),
      // CURLE_SSL_CONNECT_ERROR, CURLE_SEND_ERROR, CURLE_RECV_ERROR
      (35, "error:0A000412:SSL routines::sslv3 alert bad certificate", .rejectedClientCertificate),
      (55, "SSL_write() returned SYSCALL: tlsv1 alert unknown ca", .rejectedClientCertificate),
      (56, "SSL_read: tlsv13 alert certificate required, errno 0", .rejectedClientCertificate),
      (56, "SSL_read: error:0A000410:SSL routines::sslv3 alert handshake failure", .rejectedClientCertificate),
      (35, "error:0A000410:SSL routines::sslv3 alert handshake failure", .secureConnectionFailed),
      (56, "Recv failure: Connection reset by peer", .connectionLost),
      (56, "Out of memory in chunked-encoding", .responseTooLarge),
      // CURLE_HTTP2
      (16, "Error in the HTTP2 framing layer", .connectionLost),
    ] as [(Int, String, NetworkError.Code)])
  func aResultAndItsTextDecideTheCode(_ result: Int, _ text: String, _ code: NetworkError.Code) {
    let error = NetworkError(curl: result, text, .sample())
    expectEqual(error.code, code)
    expectEqual(error.domain, .network)
    expectEqual(error.reason, text)
  }
  #endif
}
