import Foundation
import HeliographTesting

/// A real Apache on loopback, with TLS and HTTP/2, for machines that have Debian's `apache2-bin`.
package final class ApacheServer: Sendable {
  package static let program = Certificates.find("apache2")
  private static let modules = "/usr/lib/apache2/modules"

  package static var isAvailable: Bool {
    program != nil && Certificates.openssl != nil
      && FileManager.default.fileExists(atPath: modules + "/mod_http2.so")
  }

  private let process: ServerProcess

  /// Starts it; it is listening when this returns.
  ///
  /// - Parameters:
  ///   - upstream: the server that answers what is below `/upstream/`.
  ///   - canReload: whether it has a parent process, so that its configuration can be loaded again.
  /// - Throws: when a port, a file or the program cannot be had.
  package init(upstream: LoopbackServer, canReload: Bool = false) async throws {
    process = try await ServerProcess.start(
      .init(
        program: ApacheServer.program, portCount: 4, signal: canReload ? "TERM" : "KILL",
        arguments: { folder, ports in
          try Data().write(to: folder.appendingPathComponent("users"))
          // MD5 of "ada:our house:sesame", as `htdigest` writes it.
          try Data("ada:our house:8abeba3a71b4714e1edca38022f232fd\n".utf8)
            .write(to: folder.appendingPathComponent("digests"))
          try Data("well".utf8).write(to: folder.appendingPathComponent("greeting"))
          let text = try ApacheServer.configuration(folder, ports, upstream.port)
          try Data(text.utf8).write(to: folder.appendingPathComponent("httpd.conf"))
          // In the foreground.
          return [canReload ? "-DFOREGROUND" : "-X", "-d", folder.path, "-f", "httpd.conf"]
        }, greeting: { "http://localhost:\($0[1])/files/greeting" }))
  }

  private static func configuration(_ folder: URL, _ ports: [UInt16], _ upstream: UInt16) throws -> String {
    let keys = try Certificates.folder.get().path
    let names = [
      "mpm_event", "authz_core", "authz_user", "authn_core", "authn_file", "auth_basic", "auth_digest", "alias", "ssl",
      "http2",
      "filter", "deflate", "mime", "proxy", "proxy_http",
    ]
    let loads = names.map { "LoadModule \($0)_module \(modules)/mod_\($0).so" }.joined(separator: "\n")
    let hosts = ports.enumerated().map { index, port in
      """
      Listen 127.0.0.1:\(port)
      <VirtualHost 127.0.0.1:\(port)>
        SSLEngine \(index % 2 == 0 ? "on" : "off")
        SSLCertificateFile \(keys)/site.pem
        SSLCertificateKeyFile \(keys)/site.key
        SSLCACertificateFile \(keys)/ca.pem
        MaxKeepAliveRequests \(index < 2 ? 0 : 3)
      </VirtualHost>
      """
    }
    return """
      \(loads)
      ServerName localhost
      DefaultRuntimeDir \(folder.path)
      PidFile httpd.pid
      \(geteuid() == 0 ? "User www-data\nGroup www-data" : "")
      ErrorLog /dev/stderr
      Mutex pthread
      # With fewer it closes kept connections at any time, which a POST does not survive.
      ThreadLimit 128
      ThreadsPerChild 128
      MaxRequestWorkers 128
      TypesConfig /dev/null
      Protocols h2 http/1.1
      DocumentRoot \(folder.path)
      <Directory \(folder.path)>
        Require all granted
      </Directory>
      Alias /text/ \(folder.path)/files/
      Alias /private \(folder.path)/greeting
      Alias /digest \(folder.path)/greeting
      <Location /text/>
        ForceType text/plain
        SetOutputFilter DEFLATE
      </Location>
      <Location /private>
        AuthType Basic
        AuthName here
        AuthUserFile users
        Require valid-user
      </Location>
      # The user is `ada`, the password `sesame`, and a nonce is good for a second.
      <Location /digest>
        AuthType Digest
        AuthName "our house"
        AuthDigestProvider file
        AuthUserFile digests
        AuthDigestNonceLifetime 1
        Require valid-user
      </Location>
      RedirectMatch 302 ^/moved$ /text/fox
      RedirectMatch 307 ^/kept$ /upstream/echo
      RedirectMatch 413 ^/denied$
      RedirectMatch 204 ^/nothing$
      # mod_http2 allows a connection fewer requests after each cancelled one, at last two, and continues with the cancelled
      # ones until the upstream responds or this has passed: until then nothing else of the connection is processed.
      ProxyTimeout 10
      # Another handshake belongs to a connection: over HTTP/2 the stream is reset with HTTP_1_1_REQUIRED.
      <Location /upstream/known>
        SSLVerifyClient require
      </Location>
      ProxyPass /upstream/ http://127.0.0.1:\(upstream)/
      \(hosts.joined(separator: "\n"))

      """
  }

  /// Puts a file where it is served as `/files/<name>`, and as `/text/<name>` compressed.
  package func serve(_ name: String, _ data: Data) throws {
    try data.write(to: process.folder.appendingPathComponent("files").appendingPathComponent(name))
  }

  /// Loads the configuration again, as `apachectl graceful` does: old processes close their connections when they can.
  package func reload() throws {
    let child = try Child(
      ApacheServer.program?.path ?? "", ["-d", process.folder.path, "-f", "httpd.conf", "-k", "graceful"])
    // blocks: a moment.
    guard child.waitBlocking() == 0 else { throw ServerProcess.Failure(log: process.log) }
  }

  /// Where it serves; a brief connection is closed after three requests.
  package func origin(isSecure: Bool, isBrief: Bool = false) -> String {
    "\(isSecure ? "https" : "http")://localhost:\(process.ports[(isSecure ? 0 : 1) + (isBrief ? 2 : 0)])"
  }
}
