import Foundation

/// A real nghttpd on loopback, which speaks HTTP/2 over TLS and nothing else, for machines that have it.
///
/// It sends back what is posted to it, at any path.
package final class NghttpServer: Sendable {
  package static let program = Certificates.find("nghttpd")
  package static var isAvailable: Bool { program != nil && Certificates.openssl != nil }

  private let process: ServerProcess

  /// Starts it; it is listening when this returns.
  ///
  /// - Throws: when a port, a file or the program cannot be had, or libcurl speaks no HTTP/2.
  package init() async throws {
    process = try await ServerProcess.start(
      .init(
        program: NghttpServer.program, portCount: 1,
        arguments: { folder, ports in
          return try [
            "-a", "127.0.0.1", "-d", folder.path, "--echo-upload", "\(ports[0])",
            Certificates.file("site.key").path, Certificates.file("site.pem").path,
          ]
        }, greeting: { "https://localhost:\($0[0])/files/greeting" }))
  }

  /// Puts a file where it is served as `/files/<name>`.
  package func serve(_ name: String, _ data: Data) throws {
    try data.write(to: process.folder.appendingPathComponent("files").appendingPathComponent(name))
  }

  package var origin: String { "https://localhost:\(process.ports[0])" }
}
