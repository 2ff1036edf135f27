import Foundation
import Heliograph
import HeliographTesting

/// A real nginx on loopback, with TLS and HTTP/2, for machines that have nginx and openssl.
package final class NginxServer: Sendable {
  package static let program = Certificates.find("nginx")
  package static var isAvailable: Bool { program != nil && Certificates.openssl != nil }

  package let ports: Ports
  private let process: ServerProcess

  /// The ports, in the order of the configuration.
  package struct Ports: Sendable {
    /// TLS with HTTP/2 where the client speaks it.
    package let secure: UInt16
    /// The same, but every connection is closed after three requests.
    package let brief: UInt16
    /// TLS that requires a client's certificate.
    package let client: UInt16
    /// TLS with a certificate that has expired.
    package let expired: UInt16
    /// TLS with a certificate of another authority.
    package let foreign: UInt16
    /// In the clear; every connection is closed after three requests.
    package let plain: UInt16
    /// TLS with HTTP/2; every connection is closed after ten requests.
    package let few: UInt16
    /// In the clear, without that limit.
    package let open: UInt16

    /// TLS with HTTP/2; every connection is closed after a hundred requests.
    package let many: UInt16

    package static let count = 9

    package init(_ ports: [UInt16]) {
      (secure, brief, client, expired) = (ports[0], ports[1], ports[2], ports[3])
      (foreign, plain, few, open) = (ports[4], ports[5], ports[6], ports[7])
      many = ports[8]
    }
  }

  /// Starts it; it is listening when this returns.
  ///
  /// - Parameters:
  ///   - upstream: the port of the server that answers what is below `/upstream/` and `/hasty/`.
  ///   - canReload: whether it has a master process, so that its configuration can be loaded again.
  /// - Throws: when a port, a file or the program cannot be had.
  package init(upstream: LoopbackServer? = nil, canReload: Bool = false) async throws {
    process = try await ServerProcess.start(
      .init(
        program: NginxServer.program, portCount: Ports.count, signal: canReload ? "TERM" : "KILL",
        arguments: { folder, ports in
          let text = try NginxServer.configuration(folder, Ports(ports), upstream?.port, canReload: canReload)
          try Data(text.utf8).write(to: folder.appendingPathComponent("nginx.conf"))
          return ["-p", folder.path, "-c", "nginx.conf"]
        }, greeting: { "http://localhost:\(Ports($0).plain)/files/greeting" }))
    ports = Ports(process.ports)
  }

  /// Where its files are; `files/` below is served.
  package var folder: URL { process.folder }

  /// The address of a path on one of its ports.
  package func address(_ port: KeyPath<Ports, UInt16>, _ path: String = "/", host: String = "localhost") -> String {
    "\(port == \.plain || port == \.open ? "http" : "https")://\(host):\(ports[keyPath: port])\(path)"
  }

  /// The path of the Unix socket that it listens on, in the clear.
  package var socketPath: String { folder.path + "/nginx.sock" }

  package func url(_ port: KeyPath<Ports, UInt16>, _ path: String = "/") throws -> URL {
    guard let url = URL(string: address(port, path)) else { throw URLError(.badURL) }
    return url
  }

  /// Puts a file where it is served as `/files/<name>`, and as `/text/<name>` compressed.
  package func serve(_ name: String, _ data: Data) throws {
    try data.write(to: folder.appendingPathComponent("files").appendingPathComponent(name))
  }

  /// Loads the configuration again, as `nginx -s reload` does: new workers take over, and old ones close when they can.
  package func reload() throws {
    let child = try Child(
      NginxServer.program?.path ?? "", ["-p", folder.path, "-c", "nginx.conf", "-s", "reload"])
    // blocks: a moment.
    guard child.waitBlocking() == 0 else { throw ServerProcess.Failure(log: process.log) }
  }

  /// The paths that were asked for below `/posts/`, one for each time a request was processed.
  package func processed() throws -> [String] {
    let log = folder.appendingPathComponent("processed.log")
    return try String(contentsOf: log, encoding: .utf8).split(separator: "\n").map(String.init)
  }
}
