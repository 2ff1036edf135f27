import Foundation
import HeliographTesting

#if canImport(Glibc)
  import Glibc
#endif

/// A real Apache on loopback that asks for Digest authentication, for machines that have it with its modules.
///
/// The user is `ada`, the password `sesame`, and a nonce is good for a second. It ends with its last reference, and also when the
/// test process dies: a shell in between waits for the end of its input.
final class ApacheServer: Sendable {
  static let program = Certificates.find("apache2")
  private static let modules = "/usr/lib/apache2/modules"
  static var isAvailable: Bool {
    program != nil && FileManager.default.fileExists(atPath: modules + "/mod_auth_digest.so")
  }

  let baseURL: URL
  private let folder: URL
  private let lifeline: FileHandle
  private let log: FileHandle

  /// Starts it; it is listening when this returns.
  ///
  /// - Throws: when a port, a file or the program cannot be had.
  init() throws {
    folder = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("apache-\(UUID().uuidString)")
    let files = folder.appendingPathComponent("files")
    try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
    let free = try LoopbackServer()
    baseURL = free.baseURL
    free.stop()
    try Data("hello, ada".utf8).write(to: files.appendingPathComponent("a"))
    // MD5 of "ada:our house:sesame", as `htdigest` writes it.
    try Data("ada:our house:8abeba3a71b4714e1edca38022f232fd\n".utf8)
      .write(to: folder.appendingPathComponent("users"))
    try Data(ApacheServer.configuration(folder, free.port).utf8).write(to: folder.appendingPathComponent("httpd.conf"))
    let (input, errors) = (Pipe(), Pipe())
    lifeline = input.fileHandleForWriting
    log = errors.fileHandleForReading
    let shell = try Child(
      "/bin/sh", ["-c", ApacheServer.script, ApacheServer.program?.path ?? "", folder.path],
      input: input.fileHandleForReading, errors: errors.fileHandleForWriting)
    try input.fileHandleForReading.close()
    try errors.fileHandleForWriting.close()
    var text = ""
    while !text.contains("resuming normal operations") {
      guard let data = try log.read(upToCount: 1), !data.isEmpty else { throw NginxServer.Failure(log: text) }
      text += String(decoding: data, as: UTF8.self)
    }
    Thread.detachNewThread { [log] in
      var buffer = [UInt8](repeating: 0, count: 4096)
      while read(log.fileDescriptor, &buffer, buffer.count) > 0 {}
      shell.wait()
    }
  }

  deinit {
    try? lifeline.close()
  }

  private static let script = """
    exec 3<&0
    "$0" -DFOREGROUND -f "$1/httpd.conf" 3<&- &
    read -r line <&3
    kill -TERM $!
    wait $!
    exec rm -rf "$1"
    """

  private static func configuration(_ folder: URL, _ port: UInt16) -> String {
    let names = ["mpm_event", "authn_core", "authn_file", "authz_core", "authz_user", "auth_digest"]
    let loading = names.map { "LoadModule \($0)_module \(modules)/mod_\($0).so" }.joined(separator: "\n")
    return """
      ServerRoot \(folder.path)
      Listen 127.0.0.1:\(port)
      PidFile \(folder.path)/pid
      DefaultRuntimeDir \(folder.path)
      Mutex file:\(folder.path) default
      ErrorLog /dev/stderr
      LogLevel notice
      ServerName localhost
      StartServers 1
      ThreadsPerChild 8
      MaxRequestWorkers 8
      \(getuid() == 0 ? "User nobody\nGroup nogroup" : "")
      \(loading)
      DocumentRoot \(folder.path)/files
      <Location />
        AuthType Digest
        AuthName "our house"
        AuthDigestProvider file
        AuthUserFile \(folder.path)/users
        AuthDigestNonceLifetime 1
        Require valid-user
      </Location>

      """
  }
}
