import Foundation
import HeliographTesting

/// A real HAProxy on loopback, which answers by itself and closes before a request has been sent, for machines that have it.
package final class HAProxyServer: Sendable {
  package static let program = Certificates.find("haproxy")
  package static var isAvailable: Bool { program != nil && Certificates.openssl != nil }

  private let process: ServerProcess

  /// Starts it; it is listening when this returns.
  ///
  /// - Parameter upstream: the server that answers what HAProxy does not.
  /// - Throws: when a port, a file or the program cannot be had.
  package init(upstream: LoopbackServer? = nil) async throws {
    process = try await ServerProcess.start(
      .init(
        program: HAProxyServer.program, portCount: 4,
        arguments: { folder, ports in
          let pem = try ["site.pem", "site.key"].map { try Data(contentsOf: Certificates.file($0)) }.reduce(Data(), +)
          try pem.write(to: folder.appendingPathComponent("both.pem"))
          let file = folder.appendingPathComponent("haproxy.cfg")
          try Data(HAProxyServer.configuration(folder, ports, upstream?.port).utf8).write(to: file)
          return ["-db", "-q", "-f", file.path]
        }, greeting: { "http://localhost:\($0[1])/" }))
  }

  /// TLS and plain, and both again with a close after every response.
  private static func configuration(_ folder: URL, _ ports: [UInt16], _ upstream: UInt16?) -> String {
    func frontend(_ name: String, _ secure: UInt16, _ plain: UInt16, _ option: String) -> String {
      """
      frontend \(name)
        bind 127.0.0.1:\(secure) ssl crt \(folder.path)/both.pem alpn h2,http/1.1
        bind 127.0.0.1:\(plain)
        \(option)
        http-request deny deny_status 413 if { path /denied }
        http-request auth realm here if { path /private }
        http-request redirect location /text/fox code 302 if { path /moved }
        http-request redirect location /upstream/echo code 307 if { path /kept }
        http-request return status 204 if { path /nothing }
        \(upstream == nil ? "" : "use_backend upstream if { path_beg /upstream/ /files/ /text/ }")
        http-request return status 200 content-type text/plain string "\(folder.lastPathComponent)" if !{ path_beg /upstream/ /files/ /text/ }

      """
    }
    let backend =
      upstream.map { port in
        """
        backend upstream
          compression algo gzip
          compression type text/plain
          http-request replace-path /upstream(/.*) \\1
          server one 127.0.0.1:\(port)

        """
      } ?? ""
    // Otherwise two of them may listen on one port, and each gets some of the other's connections.
    return """
      global
        noreuseport
      defaults
        mode http
        timeout client 20s
        timeout server 20s
        timeout connect 5s
      \(frontend("all", ports[0], ports[1], "option http-keep-alive"))
      \(frontend("brief", ports[2], ports[3], "option httpclose"))
      \(backend)
      """
  }

  package func url(_ path: String, isSecure: Bool, isBrief: Bool = false) throws -> URL {
    let port = process.ports[(isSecure ? 0 : 1) + (isBrief ? 2 : 0)]
    guard let url = URL(string: "\(isSecure ? "https" : "http")://localhost:\(port)\(path)") else {
      throw URLError(.badURL)
    }
    return url
  }
}
