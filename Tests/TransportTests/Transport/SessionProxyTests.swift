// Apple's session has the proxies of the system's settings.
#if canImport(FoundationNetworking)
import Foundation
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// A proxy that the environment names, over `URLSession` on Linux, whose libcurl uses it.
struct SessionProxyTests {
  /// What another process prints of a request over TLS that goes through the proxy.
  private func lines(_ url: String, by proxy: TunnelProxy) async throws -> [String] {
    let output = Pipe()
    let child = try Child.probe(
      ["tunnel", url], environment: ["https_proxy=http://127.0.0.1:\(proxy.port)", "no_proxy=", "NO_PROXY="],
      output: output.fileHandleForWriting)
    try output.fileHandleForWriting.close()
    let text = String(decoding: try await output.readToEnd(), as: UTF8.self)
    expectEqual(await child.wait(), 0)
    return text.split(separator: "\n").map(String.init)
  }

  /// Behind the tunnel there is no TLS, so that nothing but the proxy's head can come.
  @Test(arguments: [200, 407]) func theHeadOfATunnelIsNoResponse(_ status: Int) async throws {
    let server = try LoopbackServer()
    let proxy = try TunnelProxy(status: status)
    let lines = try await lines("https://127.0.0.1:\(server.port)/", by: proxy)
    expectEqual(proxy.heads.count, 1)
    expectEqual(proxy.heads.first?.hasPrefix("CONNECT 127.0.0.1:\(server.port) HTTP/1.1\r\n"), true)
    expect(server.log.requests.isEmpty)
    // A failure, and no head before it.
    expectEqual(lines.count, 1, "\(lines)")
    expectEqual(lines.last?.hasPrefix("network -"), true, "\(lines)")
  }
}
#endif
