import Foundation
import Heliograph
import HeliographTesting

/// A real nginx with TLS on loopback, and the certificates for it; for machines that have nginx and openssl.
final class NginxServer: Sendable {
  static let nginx = find("nginx")
  static let openssl = find("openssl")
  static var isAvailable: Bool { nginx != nil && openssl != nil }

  /// Where certificates, keys and files are.
  let folder: URL
  /// The port of TLS with HTTP/2, of TLS with HTTP/1.1 and a client's certificate asked for, of TLS with a certificate
  /// that has expired, and of the clear.
  let (http2Port, clientPort, expiredPort, plainPort): (UInt16, UInt16, UInt16, UInt16)
  private let process: Guarded<Process>

  init() async throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("nginx-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let ports = try (0..<4).map { _ in try LoopbackServer() }.map { server in
      defer { server.stop() }
      return server.port
    }
    (http2Port, clientPort, expiredPort, plainPort) = (ports[0], ports[1], ports[2], ports[3])
    try NginxServer.makeCertificates(in: folder)
    try Data(repeating: 7, count: 5_000_000).write(to: folder.appendingPathComponent("large"))
    let text = NginxServer.configuration(folder.path, ports)
    try Data(text.utf8).write(to: folder.appendingPathComponent("nginx.conf"))
    let process = Process()
    process.executableURL = NginxServer.nginx
    process.arguments = ["-p", folder.path, "-c", folder.appendingPathComponent("nginx.conf").path]
    process.standardError = FileHandle.nullDevice
    try process.run()
    self.process = Guarded(process)
    try await waitUntilItAccepts()
  }

  deinit {
    process.withLock { $0.terminate() }
    try? FileManager.default.removeItem(at: folder)
  }

  func file(_ name: String) -> URL { folder.appendingPathComponent(name) }

  /// The pin of a certificate's key, as `openssl` computes it.
  func pin(of certificate: String) throws -> String {
    try NginxServer.run(
      "openssl x509 -in \(certificate) -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary"
        + " | openssl base64", in: folder
    ).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private func waitUntilItAccepts() async throws {
    let client = NetworkClient(.init())
    for _ in 0..<200 {
      if await client.enqueue(request: "http://127.0.0.1:\(plainPort)/").materialize().first()?.value != nil {
        return
      }
      await Signal<Void, Never>.timer(after: .milliseconds(20)).first()
    }
    throw CocoaError(.executableLoad)
  }

  private static func find(_ name: String) -> URL? {
    ["/usr/sbin/", "/usr/bin/", "/usr/local/sbin/", "/usr/local/bin/", "/opt/homebrew/bin/"]
      .first { FileManager.default.isExecutableFile(atPath: $0 + name) }.map { URL(fileURLWithPath: $0 + name) }
  }

  @discardableResult
  private static func run(_ script: String, in folder: URL) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-ec", script]
    process.currentDirectoryURL = folder
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
    return String(decoding: data, as: UTF8.self)
  }

  /// Two authorities; a site's certificate of the first, one that has expired, and a client's.
  private static func makeCertificates(in folder: URL) throws {
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
    try run(
      """
      for name in ca other; do
        openssl req -x509 \(key) -days 2 -subj "/CN=$name" -keyout $name.key -out $name.pem
      done
      echo 'subjectAltName=DNS:localhost,IP:127.0.0.1' > names
      for name in site expired client; do
        openssl req \(key) -subj "/CN=$name" -keyout $name.key -out $name.csr
      done
      openssl x509 -req -days 2 -in site.csr -CA ca.pem -CAkey ca.key -CAcreateserial -extfile names -out site.pem
      openssl x509 -req -days 2 -in client.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out client.pem
      touch index; echo 01 > serial
      printf '[ca]\\ndefault_ca=d\\n[d]\\ndatabase=index\\nserial=serial\\nnew_certs_dir=.\\ndefault_md=sha256\\npolicy=p\\n[p]\\ncommonName=supplied\\n' > ca.cnf
      openssl ca -batch -config ca.cnf -in expired.csr -cert ca.pem -keyfile ca.key -extfile names -out expired.pem \
        -startdate 20200101000000Z -enddate 20200102000000Z
      """, in: folder)
  }

  private static func configuration(_ folder: String, _ ports: [UInt16]) -> String {
    """
    daemon off; worker_processes 1; pid \(folder)/pid; error_log \(folder)/errors;
    events { worker_connections 1024; }
    http {
      access_log off; default_type text/plain; root \(folder); gzip on; gzip_min_length 1; gzip_types text/plain;
      client_body_temp_path \(folder)/t1; proxy_temp_path \(folder)/t2; fastcgi_temp_path \(folder)/t3;
      uwsgi_temp_path \(folder)/t4; scgi_temp_path \(folder)/t5; client_max_body_size 1m;
      ssl_certificate \(folder)/site.pem; ssl_certificate_key \(folder)/site.key;
      add_header X-Connection $connection always;
      server { listen 127.0.0.1:\(ports[0]) ssl http2; location = / { return 200 "secure"; } location /large {} }
      server {
        listen 127.0.0.1:\(ports[1]) ssl; ssl_verify_client on; ssl_client_certificate \(folder)/ca.pem;
        location = / { return 200 $ssl_client_s_dn; }
      }
      server {
        listen 127.0.0.1:\(ports[2]) ssl; ssl_certificate \(folder)/expired.pem; ssl_certificate_key \(folder)/expired.key;
        location = / { return 200 "late"; }
      }
      server {
        listen 127.0.0.1:\(ports[3]); keepalive_requests 3;
        location = / { return 200 "plain"; } location /large {} location = /upload { client_max_body_size 1k; proxy_pass http://127.0.0.1:\(ports[3]); }
      }
    }
    """
  }
}
