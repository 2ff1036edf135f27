#if HELIOGRAPH_CURL
import Foundation
import HeliographTesting
import Testing

@testable import Heliograph

/// The authorities besides the system's, and those that the environment names.
@Suite(.enabled(if: CurlTransport.isAvailable && NginxServer.isAvailable)) struct CurlTLSAuthoritiesTests {
  let nginx: NginxServer

  init() async throws {
    nginx = try await NginxServer()
  }

  private func code(
    _ port: KeyPath<NginxServer.Ports, UInt16>, _ adjust: (inout TransportSettings) throws -> Void
  ) async throws -> NetworkError.Code? {
    let recorder = try await record(nginx.address(port), adjust)
    #expect(recorder.hasEnded)
    return recorder.failure?.code
  }

  @Test("S1-36") func anAdditionalAuthorityIsTrustedBesidesTheSystems() async throws {
    let ours = try Certificates.file("ca.pem")
    func adjust(_ settings: inout TransportSettings) {
      settings.trust = Trust()
      settings.trust.additionalAuthorities = [ours]
    }
    #expect(try await code(\.secure, adjust) == nil)
    #expect(try await code(\.foreign, adjust) == .untrustedCertificate)
    var trust = Trust()
    trust.additionalAuthorities = [ours]
    // The system's are there, too.
    let authorities = try Authorities(trust, [:])
    let own = try Data(contentsOf: ours).count
    let debian = "/etc/ssl/certs/ca-certificates.crt"
    let system = try? Data(contentsOf: URL(fileURLWithPath: debian)).count
    #expect((authorities.bundle?.bytes.count ?? 0) >= own + 1 + (system ?? 0))
    #expect(authorities.folder == nil && !authorities.hasNoFolder)
  }

  @Test("S1-36") func anAdditionalAuthorityIsTrustedBesidesAChosenOne() async throws {
    let (ours, other) = (try Certificates.file("ca.pem"), try Certificates.file("other.pem"))
    for authorities in [[ours, other], [other, ours]] {
      for port in [\NginxServer.Ports.secure, \.foreign] {
        let code = try await code(port) {
          $0.trust.authorities = authorities[0]
          $0.trust.additionalAuthorities = [authorities[1]]
        }
        #expect(code == nil)
      }
    }
    #expect(try await code(\.foreign) { $0.trust.additionalAuthorities = [ours] } == .untrustedCertificate)
  }

  @Test(arguments: ["missing.pem", "names", "."]) func whatHoldsNoCertificateIsRefusedAtOnce(_ name: String) throws {
    let file = try Certificates.file(name)
    let settings = try secureSettings { $0.trust.additionalAuthorities = [file] }
    let error = #expect(throws: NetworkError.self) { try CurlTransport(settings) }
    #expect(error?.domain == .client)
    #expect(error?.code == .invalidTransport)
    #expect(error?.reason.contains(file.lastPathComponent) == true || name == ".")
  }

  @Test("S1-36") func aProxyOverTLSIsJudgedByThem() async throws {
    let ours = try Certificates.file("ca.pem")
    let (trusted, foreign) = (try nginx.url(\.secure), try nginx.url(\.foreign))
    for (proxy, isTrusted) in [(trusted, true), (foreign, false)] {
      let recorder = try await record("http://shop.example/") {
        $0.proxy = .server(proxy)
        $0.trust = Trust()
        $0.trust.additionalAuthorities = [ours]
      }
      #expect((recorder.failure?.code == .untrustedCertificate) != isTrusted, "\(recorder.events)")
    }
  }

  // MARK: The environment

  @Test func theEnvironmentIsReadAsTheCurlCommandReadsIt() throws {
    func authorities(_ environment: [String: String]) throws -> [String?] {
      let found = try Authorities(Trust(), environment)
      return [found.file, found.folder]
    }
    #expect(try authorities([:]) == [nil, nil])
    #expect(try authorities(["SSL_CERT_FILE": "/a"]) == ["/a", nil])
    #expect(try authorities(["SSL_CERT_DIR": "/b"]) == [nil, "/b"])
    #expect(try authorities(["SSL_CERT_FILE": "/a", "SSL_CERT_DIR": "/b"]) == ["/a", "/b"])
    let all = ["CURL_CA_BUNDLE": "/c", "SSL_CERT_FILE": "/a", "SSL_CERT_DIR": "/b"]
    #expect(try authorities(all) == ["/c", nil])
    #expect(try authorities(["SSL_CERT_FILE": "", "CURL_CA_BUNDLE": ""]) == [nil, nil])
    var trust = Trust()
    trust.authorities = try Certificates.file("ca.pem")
    #expect(try Authorities(trust, all).file == trust.authorities?.path)
    #expect(try Authorities(trust, all).folder == nil)
  }

  #if os(Linux)
  @Test(
    "S1-36",
    arguments: [
      (["SSL_CERT_FILE=%/ca.pem"], "200\n"), (["SSL_CERT_FILE=%/other.pem"], "network -1202\n"),
      (["CURL_CA_BUNDLE=%/ca.pem", "SSL_CERT_FILE=%/other.pem"], "200\n"), ([], "network -1202\n"),
      (["SSL_CERT_FILE=%/missing.pem"], "client 607\n"), (["SSL_CERT_DIR=%/hashed"], "200\n"),
    ])
  func theEnvironmentNamesAuthorities(_ environment: [String], _ outcome: String) async throws {
    let folder = try Certificates.folder.get()
    try makeHashedFolder(in: folder)
    let output = Pipe()
    // Whatever the machine sets is left out.
    let none = ["CURL_CA_BUNDLE=", "SSL_CERT_FILE=", "SSL_CERT_DIR="]
    let named = environment.map { $0.replacingOccurrences(of: "%", with: folder.path) }
    let child = try Child.probe(
      ["fetch", nginx.address(\.secure), ""], environment: none + named, output: output.fileHandleForWriting)
    try output.fileHandleForWriting.close()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    child.wait()
    #expect(text == outcome)
  }

  /// OpenSSL looks for an authority by the hash of its name.
  private func makeHashedFolder(in folder: URL) throws {
    let script = """
      cd "$0"; mkdir -p hashed; cp -n ca.pem "hashed/$(openssl x509 -in ca.pem -noout -hash).0" || true
      """
    #expect(try Child("/bin/sh", ["-c", script, folder.path]).wait() == 0)
  }
  #endif

  // MARK: Pins by host

  @Test("S1-36") func eachHostHasItsOwnPins() async throws {
    let (right, wrong) = (try Certificates.pin(of: "site.pem"), try Certificates.pin(of: "other.pem"))
    // One handle for all: what was set for a host must not stay for the next.
    var settings = try secureSettings()
    settings.concurrencyLimit = 1
    settings.trust.pinnedKeys = ["localhost": [right], "127.0.0.1": [wrong]]
    let client = NetworkClient(.open(try CurlTransport(settings)))
    for _ in 0..<2 {
      for (host, isAccepted) in [("localhost", true), ("127.0.0.1", false), ("localhost", true)] {
        let recorder = SignalRecorder(client.enqueue(request: nginx.address(\.secure, host: host)))
        await recorder.waitForEnd()
        #expect(recorder.failure?.code == (isAccepted ? nil : .untrustedCertificate), "\(recorder.events)")
      }
    }
  }

  @Test("S1-36") func aHostWithoutPinsMayHaveAnyKey() async throws {
    let wrong = try Certificates.pin(of: "other.pem")
    #expect(try await code(\.secure) { $0.trust.pinnedKeys = ["other.example": [wrong]] } == nil)
    #expect(try await code(\.secure) { $0.trust.pinnedKeys = ["*": [wrong], "localhost": []] } == nil)
    #expect(try await code(\.secure) { $0.trust.pinnedKeys = ["*": [wrong]] } == .untrustedCertificate)
  }
}
#endif
