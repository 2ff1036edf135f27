// Apple's session has the proxies of the system's settings.
#if canImport(FoundationNetworking)
import Foundation
import HeliographTesting
import Testing

/// A proxy that the environment names, over `URLSession` on Linux, whose libcurl uses it.
@Suite struct SessionProxyTests {
  /// What another process prints of a request over TLS that goes through the proxy.
  private func lines(_ url: String, by proxy: TunnelProxy) throws -> [String] {
    let output = Pipe()
    let child = try Child.probe(
      ["tunnel", url], environment: ["https_proxy=http://127.0.0.1:\(proxy.port)", "no_proxy=", "NO_PROXY="],
      output: output.fileHandleForWriting)
    try output.fileHandleForWriting.close()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    #expect(child.wait() == 0)
    return text.split(separator: "\n").map(String.init)
  }

  /// Behind the tunnel there is no TLS, so that nothing but the proxy's head can come.
  @Test(.timeLimit(.minutes(1)), arguments: [200, 407]) func theHeadOfATunnelIsNoResponse(_ status: Int) throws {
    let server = try LoopbackServer()
    let proxy = try TunnelProxy(status: status)
    let lines = try lines("https://127.0.0.1:\(server.port)/", by: proxy)
    #expect(proxy.heads.count == 1)
    #expect(proxy.heads.first?.hasPrefix("CONNECT 127.0.0.1:\(server.port) HTTP/1.1\r\n") == true)
    #expect(server.log.requests.isEmpty)
    // A failure, and no head before it.
    #expect(lines.count == 1, "\(lines)")
    #expect(lines.last?.hasPrefix("network -") == true, "\(lines)")
  }
}
#endif
