import Foundation
import Heliograph
import HeliographTesting
import Testing

/// TLS and HTTP/2 with a real nginx; `.ci/run` installs one where it can.
///
/// One at a time: what a test starts would keep the pipes of another open.
@Suite(.serialized, .enabled(if: CurlTransport.isAvailable && NginxServer.isAvailable)) struct CurlTLSTests {
  let nginx: NginxServer

  init() async throws {
    nginx = try await NginxServer()
  }

  private func settings(_ adjust: (inout TransportSettings) throws -> Void = { _ in }) rethrows -> TransportSettings {
    var settings = TransportSettings()
    settings.trust.authorities = nginx.file("ca.pem")
    try adjust(&settings)
    return settings
  }

  private func outcome(
    _ settings: TransportSettings, _ port: UInt16, host: String = "localhost"
  ) async throws -> SignalRecorder<Response<Data>, NetworkError> {
    let client = NetworkClient(.init(transport: try CurlTransport(settings)))
    let recorder = SignalRecorder(client.enqueue(request: "https://\(host):\(port)/"))
    await recorder.waitForEnd()
    return recorder
  }

  @Test("S1-36") func trustsWhomItIsToldTo() async throws {
    let recorder = try await outcome(settings(), nginx.http2Port)
    let response = try #require(recorder.values.first, "\(recorder.events)")
    #expect(response.value == Data("secure".utf8))
    let metrics = try #require(response.metrics)
    #expect(metrics.protocolVersion == (CurlTransport.supportsHTTP2 ? "HTTP/2" : "HTTP/1.1"))
    let instants = [
      metrics.startedAt, metrics.resolvedAt, metrics.connectedAt, metrics.securedAt, metrics.sentAt,
      metrics.firstByteAt, metrics.endedAt,
    ].compactMap { $0 }
    #expect(instants.count == 7)
    #expect(instants == instants.sorted())
  }

  @Test("S1-36") func trustsNobodyElse() async throws {
    let untrusted = [
      try await outcome(TransportSettings(), nginx.http2Port),
      try await outcome(settings { $0.trust.authorities = nginx.file("other.pem") }, nginx.http2Port),
      try await outcome(settings(), nginx.expiredPort),
      try await outcome(settings { $0.resolve = { _, _ in ["127.0.0.1"] } }, nginx.http2Port, host: "other.example"),
    ]
    for recorder in untrusted {
      #expect(recorder.failure?.domain == .network)
      #expect(recorder.failure?.code == .untrustedCertificate, "\(recorder.events)")
      #expect(recorder.failure?.reason.isEmpty == false)
    }
    let clear = try await outcome(settings(), nginx.plainPort)
    #expect(clear.failure?.code == .secureConnectionFailed)
  }

  @Test("S1-36") func aPinnedKeyIsAskedForBesides() async throws {
    let pin = try nginx.pin(of: "site.pem")
    let another = try nginx.pin(of: "other.pem")
    #expect(try await outcome(settings { $0.trust.pinnedKeys = [pin] }, nginx.http2Port).isCompleted)
    #expect(try await outcome(settings { $0.trust.pinnedKeys = [another, pin] }, nginx.http2Port).isCompleted)
    let refused = try await outcome(settings { $0.trust.pinnedKeys = [another] }, nginx.http2Port)
    #expect(refused.failure?.code == .untrustedCertificate)
  }

  @Test func theClientShowsItsCertificate() async throws {
    let shown = try await outcome(
      settings { $0.trust.identity = .init(certificate: nginx.file("client.pem"), key: nginx.file("client.key")) },
      nginx.clientPort)
    #expect(shown.values.first?.value == Data("CN=client".utf8))
    let hidden = try await outcome(settings(), nginx.clientPort)
    #expect(hidden.values.first?.statusCode == 400)
  }

  @Test(.enabled(if: CurlTransport.supportsHTTP2)) func fiftyRequestsShareOneConnectionOfHTTP2() async throws {
    let client = NetworkClient(.init(transport: try CurlTransport(settings())))
    let address = "https://localhost:\(nginx.http2Port)/"
    _ = try await client.enqueue(request: address).first()
    let recorder = SignalRecorder(Signal.merge((0..<50).map { _ in client.enqueue(request: address) }))
    await recorder.waitForEnd()
    #expect(recorder.values.count == 50)
    #expect(Set(recorder.values.compactMap { $0.headers["X-Connection"] }).count == 1)
    #expect(recorder.values.allSatisfy { $0.metrics?.protocolVersion == "HTTP/2" })

    let old = try await outcome(settings { $0.allowsHTTP2 = false }, nginx.http2Port)
    #expect(old.values.first?.metrics?.protocolVersion == "HTTP/1.1")
  }

  @Test func oneExchangeCanBeCancelledWithoutTheOthers() async throws {
    let client = NetworkClient(.init(transport: try CurlTransport(settings())))
    let address = "https://localhost:\(nginx.http2Port)/large"
    let recorders = (0..<6).map { _ in SignalRecorder(client.enqueue(request: address)) }
    recorders[0].dispose()
    recorders[3].dispose()
    for index in [1, 2, 4, 5] {
      await recorders[index].waitForEnd()
      #expect(recorders[index].values.first?.value.count == 5_000_000)
    }
    #expect(recorders[0].events.isEmpty && recorders[3].events.isEmpty)
  }

  @Test func nginxIsUnderstoodInTheClear() async throws {
    let client = NetworkClient(.init(baseURL: URL(string: "http://127.0.0.1:\(nginx.plainPort)")))
    let compressed = try #require(try await client.enqueue(request: "/").first())
    #expect(compressed.headers["Content-Encoding"] == "gzip")
    #expect(compressed.value == Data("plain".utf8))
    let part = try #require(
      try await client.enqueue(
        request: Request(.get, "/large", headers: ["Range": "bytes=10-19", "Accept-Encoding": "identity"])
      ).first())
    #expect(part.statusCode == 206)
    #expect(part.value.count == 10)
    let refused = try #require(
      try await client.enqueue(
        request: Request(.put, "/upload", body: .data(Data(count: 3_000_000), contentType: "a/b"))
      ).first())
    #expect(refused.statusCode == 413)
    // It closes after every three requests.
    let many = SignalRecorder(
      Signal.from((0..<200).map { _ in client.enqueue(request: "/") }).flatMap(.merge(maxConcurrent: 8)) { $0 })
    await many.waitForEnd()
    #expect(many.values.count == 200)
  }
}
