import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// TLS through a proxy's tunnel, and to the proxy itself.
@Suite(.enabled(if: CurlTransport.isAvailable && NginxServer.isAvailable)) struct CurlTLSProxyTests {
  let nginx: NginxServer

  init() async throws {
    nginx = try await NginxServer()
  }

  private func address(_ proxy: TunnelProxy) throws -> URL {
    try require(URL(string: "http://127.0.0.1:\(proxy.port)"))
  }

  @Test("S1-36", arguments: [true, false]) func secretsGoThroughATunnel(_ allowsHTTP2: Bool) async throws {
    let proxy = try TunnelProxy()
    let client = try secureClient {
      $0.proxy = .server(try address(proxy), user: "me", password: "secret")
      $0.allowsHTTP2 = allowsHTTP2
    }
    let isHTTP2 = allowsHTTP2 && CurlTransport.supportsHTTP2
    for index in 0..<3 {
      let recorder = SignalRecorder(
        client.exchange(
          request: Request(.get, RequestPath(nginx.address(\.secure)), headers: ["Authorization": "Bearer mine"])))
      await recorder.waitForEnd()
      let response = try require(recorder.values.first, "\(recorder.events)")
      expectEqual(response.value, Data("secure".utf8))
      expectEqual(response.metrics?.protocolVersion, (isHTTP2 ? "HTTP/2" : "HTTP/1.1"))
      expectEqual(response.metrics?.isConnectionReused, (index > 0))
      // The proxy's own answer to CONNECT is none of it.
      expectEqual(response.statusCode, 200)
      expect(response.headers["X-Connection"] != nil)
    }
    expectEqual(proxy.heads.count, 1)
    let head = try require(proxy.heads.first)
    expect(head.hasPrefix("CONNECT localhost:\(nginx.ports.secure) HTTP/1.1\r\n"))
    expect(head.contains("Proxy-Authorization: Basic \(Data("me:secret".utf8).base64EncodedString())\r\n"))
    // What is the site's is not the proxy's to see.
    expect(!head.contains("Bearer"))
  }

  @Test("S1-36") func theSiteIsStillWhoMustBeTrusted() async throws {
    let proxy = try TunnelProxy()
    let recorder = try await record(nginx.address(\.foreign)) { $0.proxy = .server(try address(proxy)) }
    expectEqual(recorder.failure?.code, .untrustedCertificate, "\(recorder.events)")
  }

  @Test func anExceptionNeedsNoTunnel() async throws {
    let proxy = try TunnelProxy()
    let recorder = try await record(nginx.address(\.secure)) {
      $0.proxy = .server(try address(proxy), except: ["localhost"])
    }
    expect(recorder.isCompleted)
    expect(proxy.heads.isEmpty)
  }

  @Test(arguments: [403, 407, 502]) func aTunnelThatIsRefusedCannotBeUsed(_ status: Int) async throws {
    let proxy = try TunnelProxy(status: status)
    let recorder = try await record(nginx.address(\.secure)) { $0.proxy = .server(try address(proxy)) }
    expectEqual(recorder.failure?.code, status == 407 ? .status(407) : .cannotConnect, "\(recorder.events)")
    expectEqual(recorder.failure?.reason.contains("\(status)"), true)
    expectEqual(recorder.failure?.attribution.party, .path)
    // It is no answer of the site's.
    expectNil(recorder.failure?.response)
    expect(recorder.values.isEmpty)
  }

  /// nginx is no proxy, but answers to a whole address as if it were one.
  @Test("S1-36") func theProxyItselfMayBeReachedOverTLS() async throws {
    let trusted = try await record("http://shop.example/") { $0.proxy = .server(try nginx.url(\.secure)) }
    expectEqual(trusted.values.first?.value, Data("secure".utf8), "\(trusted.events)")
    let untrusted = try await record("http://shop.example/") { $0.proxy = .server(try nginx.url(\.foreign)) }
    expectEqual(untrusted.failure?.code, .untrustedCertificate, "\(untrusted.events)")
  }
}
