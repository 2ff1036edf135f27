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
  @Test func aRequestThatCannotBeSentHasNoFiguresOfAnEarlierOne() async throws {
    let server = try LoopbackServer()
    server.route("*", "/a") { _ in .text("a") }
    var settings = TransportSettings()
    settings.resolve = { _, _ in [] }
    let transport = try CurlTransport(settings)
    let first = SignalRecorder(transport.send(HTTPRequest(url: server.url("/a"))))
    await first.waitForEnd()
    expect(first.values.metrics?.sentAt != nil, "\(first.events)")
    let second = SignalRecorder(transport.send(HTTPRequest(url: try require(URL(string: "http://none.example/")))))
    await second.waitForEnd()
    expectEqual(second.failure?.code, .cannotFindHost)
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
      // CURLE_BAD_FUNCTION_ARGUMENT
      (43, "unable to set private key file: 'key.pem' type PEM", .rejectedClientCertificate),
      // CURLE_HTTP2
      (16, "Error in the HTTP2 framing layer", .connectionLost),
    ] as [(Int, String, NetworkError.Code)])
  func aResultAndItsTextDecideTheCode(_ result: Int, _ text: String, _ code: NetworkError.Code) {
    let error = NetworkError(curl: result, text, .sample())
    expectEqual(error.code, code)
    expectEqual(error.domain, .network)
    expectEqual(error.reason, text)
  }

  /// CURLE_OUT_OF_MEMORY and CURLE_TOO_LARGE: only the first one has the name of another failure.
  @Test(arguments: [(27, "a header line is too long for libcurl"), (100, "Too large")])
  func aLineThatIsTooLongIsNoLackOfMemory(_ result: Int, _ reason: String) {
    let error = NetworkError(curl: result, result == 27 ? "Out of memory" : reason, .sample())
    expectEqual(error.code, .responseTooLarge)
    expectEqual(error.reason, reason)
  }

  @Test func aHeadOfARequestThatIsTooLongIsNoneOfTheResponse() {
    var request = HTTPRequest.sample()
    request.headers["X-Long"] = String(repeating: "x", count: 100_001)
    let error = NetworkError(curl: 27, "Out of memory", request)
    expectEqual(error.code, .requestTooLarge)
    expectEqual(error.reason, "Out of memory")
  }

  /// The text is nghttp2's, and quotes the server.
  @Test func aFieldThatHTTP2ForbidsIsNoLostConnection() {
    let text = "Invalid HTTP header field was received: frame type: 1, stream: 1, name: [upgrade], value: [hunter2]"
    let error = NetworkError(curl: 92, text, .sample())
    expectEqual(error.code, .invalidResponse)
    expect(error.reason.contains("upgrade"), "\(error.reason)")
    expect(!error.reason.contains("hunter2"), "\(error.reason)")
    expect(!"\(error)".contains("upgrade"), "\(error)")
  }

  // CURLE_COULDNT_RESOLVE_PROXY and CURLE_COULDNT_RESOLVE_HOST.
  @Test(arguments: [5, 6]) func aNameThatCannotBeLookedUpIsNoFaultOfTheHost(_ result: Int) {
    let error = NetworkError(curl: result, "getaddrinfo() thread failed to start", .sample())
    expectEqual(error.code, .cannotConnect)
    expectEqual(error.attribution.party, .client)
  }

  @Test func theNameOfAProxyIsOfThePath() {
    let error = NetworkError(curl: 5, "Could not resolve proxy: proxy.example", .sample())
    expectEqual(error.code, .cannotFindHost)
    expectEqual(error.attribution.party, .path)
  }

  @Test func aConnectionWithoutASocketIsNoFaultOfTheHost() throws {
    let error = NetworkError(curl: 7, "Couldn't connect", .sample(), shortage: EMFILE)
    expectEqual(error.code, .cannotConnect)
    expectEqual(error.attribution.party, .client)
    expectEqual((error.underlying as? POSIXError)?.code, .EMFILE)
    // As by a client, which adds the evidence.
    let attributed = EvidenceCollector(ManualReachability(.reachable), VirtualScheduler())
      .attributing(error, since: .reachable)
    expectEqual(attributed.attribution.party, .client)
    expectEqual(attributed.message, NetworkError(.invalidTransport).message)
    expectEqual(NetworkError(curl: 7, "Couldn't connect", .sample()).attribution.party, .undetermined)
  }

  /// The URL of a proxy contains its password, and what is invalid in a response may be a cookie.
  @Test(
    arguments: [
      // CURLE_NOT_BUILT_IN, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT
      (4, "Unsupported proxy 'https://me:SECRET@proxy', libcurl is built without the HTTPS-proxy", .invalidTransport),
      (5, "Unsupported proxy syntax in 'http://me:SECRET@proxy:99999'", .invalidTransport),
      (5, "Unsupported proxy syntax in 'me:SECRET/@proxy': Port number was not a decimal", .invalidTransport),
      (7, "Unsupported proxy scheme for 'CONNECT://me:SECRET@proxy'", .invalidTransport),
      // CURLE_HTTP2, CURLE_OPERATION_TIMEDOUT, CURLE_BAD_CONTENT_ENCODING
      (16, "[HTTP2] [1] received invalid frame: FRAME[GOAWAY, error=1, reason='SECRET']", .connectionLost),
      (28, "Ignoring received invalid HTTP header field: name: [a], value: [SECRET]", .timedOut),
      (61, "Unrecognized content encoding type SECRET", .undecodableBody),
    ] as [(Int, String, NetworkError.Code)])
  func aTextThatQuotesIsReplaced(_ result: Int, _ text: String, _ code: NetworkError.Code) {
    let error = NetworkError(curl: result, text, .sample())
    expectEqual(error.code, code)
    expect(!error.reason.contains("SECRET") && !error.reason.isEmpty, "\(error.reason)")
    expectEqual(error.attribution.party == .client, code == .invalidTransport)
  }
  #endif
}
