import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// Certificates and keys made by `openssl`, once for all tests of a run.
///
/// | file | what it is |
/// |---|---|
/// | ca, other | two authorities |
/// | site | for localhost and 127.0.0.1, of the first authority |
/// | expired | the same, but it was valid for a day in 2020 |
/// | foreign | the same, of the other authority |
/// | client, stranger | a client's, of the first and of the other authority |
/// | locked.key | the client's key, encrypted with "open sesame" |
/// | client.p12 | the client's certificate and key, encrypted with "open sesame" |
package enum Certificates {
  package static let openssl = find("openssl")

  /// Where they are; removed when the process ends.
  package static let folder = Result { try make() }

  private static func make() throws -> URL {
    let folder = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("tls-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    atexit {
      if let folder = try? Certificates.folder.get() { try? FileManager.default.removeItem(at: folder) }
    }
    _ = try run(script, in: folder)
    return folder
  }

  package static func file(_ name: String) throws -> URL { try folder.get().appendingPathComponent(name) }

  /// The pin of a certificate's key, as `openssl` computes it.
  package static func pin(of certificate: String) throws -> String {
    try run(
      "openssl x509 -in \(certificate) -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary"
        + " | openssl base64", in: folder.get()
    ).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// A program's place, also where only an administrator's shell looks for it.
  package static func find(_ name: String) -> URL? {
    ["/usr/sbin/", "/usr/bin/", "/usr/local/sbin/", "/usr/local/bin/", "/opt/homebrew/bin/"]
      .first { FileManager.default.isExecutableFile(atPath: $0 + name) }.map { URL(fileURLWithPath: $0 + name) }
  }

  private static func run(_ script: String, in folder: URL) throws -> String {
    let output = Pipe()
    let shell = try Child(
      "/bin/sh", ["-ec", "cd \"$0\"; " + script, folder.path], output: output.fileHandleForWriting)
    try output.fileHandleForWriting.close()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    // blocks: a moment, once in a process.
    guard shell.waitBlocking() == 0 else { throw CocoaError(.executableLoad) }
    return String(decoding: data, as: UTF8.self)
  }

  // Only `openssl ca` lets a certificate begin and end in the past, and that wants a file of settings.
  private static let script = #"""
    key="-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
    for name in ca other; do
      openssl req -x509 $key -days 2 -subj "/CN=$name" -keyout $name.key -out $name.pem
    done
    echo 'subjectAltName=DNS:localhost,IP:127.0.0.1' > names
    sign() { openssl x509 -req -days 2 -in $1.csr -CA $2.pem -CAkey $2.key -CAcreateserial -extfile names -out $1.pem; }
    for name in site expired foreign client stranger; do
      openssl req $key -subj "/CN=$name" -keyout $name.key -out $name.csr
    done
    sign site ca; sign client ca; sign foreign other; sign stranger other
    openssl pkey -in client.key -aes256 -passout 'pass:open sesame' -out locked.key
    openssl pkcs12 -export -in client.pem -inkey client.key -passout 'pass:open sesame' -out client.p12
    cat > ca.cnf << 'END'
    [ca]
    default_ca = all
    [all]
    database = index
    serial = serial
    new_certs_dir = .
    default_md = sha256
    policy = names
    [names]
    commonName = supplied
    END
    touch index
    echo 01 > serial
    openssl ca -batch -config ca.cnf -in expired.csr -cert ca.pem -keyfile ca.key -extfile names -out expired.pem \
      -startdate 20200101000000Z -enddate 20200102000000Z
    """#
}
