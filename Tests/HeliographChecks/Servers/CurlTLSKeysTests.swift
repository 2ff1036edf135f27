import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Pinned keys, and the client's own.
@Suite(.enabled(if: CurlTransport.isAvailable && NginxServer.isAvailable)) struct CurlTLSKeysTests {
  let nginx: NginxServer

  init() async throws {
    nginx = try await NginxServer()
  }

  // MARK: Pins

  @Test("S1-36", arguments: [["site.pem"], ["other.pem", "site.pem"], ["site.pem", "other.pem"]])
  func aPinnedKeyIsAccepted(_ pins: [String]) async throws {
    let recorder = try await record(nginx.address(\.secure)) {
      $0.trust.pinnedKeys["*"] = try pins.map(Certificates.pin)
    }
    expectEqual(recorder.values.first?.value, Data("secure".utf8), "\(recorder.events)")
  }

  @Test("S1-36", arguments: [["other.pem"], ["other.pem", "client.pem"]])
  func anyOtherKeyIsRefused(_ pins: [String]) async throws {
    let recorder = try await record(nginx.address(\.secure)) {
      $0.trust.pinnedKeys["*"] = try pins.map(Certificates.pin)
    }
    expect(recorder.values.isEmpty)
    expectEqual(recorder.failure?.code, .untrustedCertificate, "\(recorder.events)")
    expectEqual(recorder.failure?.reason.contains("pinned"), true)
  }

  @Test("S1-36") func aPinDoesNotReplaceTheAuthority() async throws {
    let recorder = try await record(nginx.address(\.foreign)) {
      $0.trust.pinnedKeys["localhost"] = [try Certificates.pin(of: "foreign.pem")]
    }
    expectEqual(recorder.failure?.code, .untrustedCertificate, "\(recorder.events)")
  }

  @Test(arguments: [
    "", "site", "sha256//LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=", "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOL",
    "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ", "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=;",
  ])
  func aMalformedPinIsRefusedAtOnce(_ pin: String) throws {
    try expectBadTransport { $0.trust.pinnedKeys["*"] = [try Certificates.pin(of: "site.pem"), pin] }
  }

  // MARK: Files

  @Test(arguments: ["authorities", "certificate", "key"]) func aMissingFileIsRefusedAtOnce(_ kind: String) throws {
    let missing = try Certificates.file("missing.pem")
    let identity = Trust.Identity(
      certificate: try Certificates.file("client.pem"), key: try Certificates.file("client.key"))
    try expectBadTransport {
      $0.trust.identities["localhost"] = identity
      switch kind {
      case "authorities": $0.trust.authorities = missing
      case "certificate": $0.trust.identities["localhost"]?.certificate = missing
      default: $0.trust.identities["localhost"]?.key = missing
      }
    }
  }

  @Test func aFolderIsNoFileOfAuthorities() throws {
    try expectBadTransport { $0.trust.authorities = try Certificates.folder.get() }
  }

  @Test func aFileWithoutCertificatesIsRefusedAtOnce() throws {
    try expectBadTransport { $0.trust.authorities = try Certificates.file("names") }
  }

  private func expectBadTransport(
    sourceLocation: SourceLocation = #_sourceLocation, _ adjust: (inout TransportSettings) throws -> Void
  ) throws {
    let settings = try secureSettings(adjust)
    let error = #expect(throws: NetworkError.self, sourceLocation: sourceLocation) { try CurlTransport(settings) }
    #expect(error?.domain == .client, sourceLocation: sourceLocation)
    #expect(error?.code == .invalidTransport, sourceLocation: sourceLocation)
    #expect(error?.reason.isEmpty == false, sourceLocation: sourceLocation)
  }

  // MARK: The client's certificate

  private func identity(_ certificate: String, _ key: String, _ passphrase: String? = nil) throws -> Trust.Identity {
    .init(
      certificate: try Certificates.file(certificate), key: try Certificates.file(key), passphrase: passphrase)
  }

  @Test func theClientShowsItsCertificate() async throws {
    let recorder = try await record(nginx.address(\.client)) {
      $0.trust.identities["localhost"] = try identity("client.pem", "client.key")
    }
    expectEqual(recorder.values.first?.value, Data("CN=client".utf8), "\(recorder.events)")
  }

  @Test func anEncryptedKeyNeedsItsPassphrase() async throws {
    let opened = try await record(nginx.address(\.client)) {
      $0.trust.identities["localhost"] = try identity("client.pem", "locked.key", "open sesame")
    }
    expectEqual(opened.values.first?.value, Data("CN=client".utf8), "\(opened.events)")
    let locked = try await record(nginx.address(\.client)) {
      $0.trust.identities["localhost"] = try identity("client.pem", "locked.key", "open barley")
    }
    expectEqual(locked.failure?.code, .rejectedClientCertificate, "\(locked.events)")
    // Told by an error of the client's: no password may be asked for at a terminal, and no secret told.
    expectEqual(locked.failure?.description.contains("barley"), false)
  }

  @Test func theClientShowsItsCertificateFromPKCS12() async throws {
    let file = try Certificates.file("client.p12")
    let opened = try await record(nginx.address(\.client)) {
      $0.trust.identities["localhost"] = .init(pkcs12: file, passphrase: "open sesame")
    }
    expectEqual(opened.values.first?.value, Data("CN=client".utf8), "\(opened.events)")
    let locked = try await record(nginx.address(\.client)) {
      $0.trust.identities["localhost"] = .init(pkcs12: file, passphrase: "open barley")
    }
    expectEqual(locked.failure?.code, .rejectedClientCertificate, "\(locked.events)")
  }

  /// A resumed session would have the former content of a replaced file.
  @Test("S1-36", arguments: ["", "identity", "authorities"])
  func sessionsWithFilesOfTheClientAreNotResumed(_ file: String) async throws {
    let server = try OpenSSLServer(["-www", "-verify", "1"])
    let transport = try CurlTransport(
      try secureSettings {
        if file == "identity" { $0.trust.identities["localhost"] = try identity("client.pem", "client.key") }
        if file != "authorities" {
          $0.trust.additionalAuthorities = $0.trust.authorities.map { [$0] } ?? []
          $0.trust.authorities = nil
        }
      })
    var lines: [String] = []
    for _ in 0..<2 {
      let request = Request(.get, RequestPath("https://localhost:\(server.port)/"))
      let recorder = SignalRecorder(NetworkClient(.open(transport)).exchange(request: request))
      await recorder.waitForEnd()
      let text = String(decoding: recorder.values.first?.value ?? Data(), as: UTF8.self)
      lines += text.split(separator: "\n").filter { $0.contains("TLSv") && $0.contains("Cipher is") }.map {
        String($0.prefix(3))
      }
    }
    expectEqual(lines, ["New", file.isEmpty ? "Reu" : "New"])
  }

  /// The handles are used again, for one host after the other.
  @Test("S1-36") func onlyItsHostGetsACertificate() async throws {
    let other = try identity("stranger.pem", "stranger.key")
    for name in ["localhost", "*.localhost.example", "LOCALHOST."] {
      let transport = try CurlTransport(
        try secureSettings {
          $0.trust.identities = [name: try identity("client.pem", "client.key"), "other.example": other]
        })
      for host in ["127.0.0.1", "localhost", "127.0.0.1", "127.1", "localhost"] {
        let request = Request(.get, RequestPath(nginx.address(\.client, host: host)))
        let recorder = SignalRecorder(NetworkClient(.open(transport)).exchange(request: request))
        await recorder.waitForEnd()
        let isNamed = host == "localhost" && !name.contains("*")
        expectEqual(recorder.values.first?.statusCode, isNamed ? 200 : 400, "\(name) \(host): \(recorder.events)")
      }
    }
  }

  /// In both forms: nginx has the first, and another error for a certificate that it refuses than for none.
  @Test("S1-36") func eachHostGetsItsOwn() async throws {
    let file = try Certificates.file("client.p12")
    let transport = try CurlTransport(
      try secureSettings {
        $0.trust.identities = [
          "localhost": .init(pkcs12: file, passphrase: "open sesame"),
          "127.0.0.1": try identity("stranger.pem", "stranger.key"),
        ]
      })
    for host in ["localhost", "127.0.0.1", "localhost", "127.1"] {
      let request = Request(.get, RequestPath(nginx.address(\.client, host: host)))
      let recorder = SignalRecorder(NetworkClient(.open(transport)).exchange(request: request))
      await recorder.waitForEnd()
      let text = String(decoding: recorder.values.first?.value ?? Data(), as: UTF8.self)
      let expected = host == "localhost" ? "CN=client" : "The SSL certificate error"
      expect(text.contains(expected), "\(host): \(recorder.events)")
    }
  }

  @Test("S1-36") func aRedirectTakesNoCertificateToAnotherHost() async throws {
    let upstream = try LoopbackServer()
    let nginx = try await NginxServer(upstream: upstream)
    let target = nginx.address(\.client, host: "127.0.0.1")
    upstream.route("GET", "/moved") { _ in .redirect(to: target) }
    let client = try secureClient {
      $0.trust.identities["localhost"] = try identity("client.pem", "client.key")
    }
    let response = try await client.exchange(
      request: Request(.get, RequestPath(nginx.address(\.client, "/upstream/moved")))
    ).value()
    expectEqual(response.url.absoluteString, target)
    // nginx answers without a certificate; with one it says whose it is.
    expectEqual(response.statusCode, 400, "\(String(decoding: response.value, as: UTF8.self))")
  }

  /// nginx is no proxy, but answers to a whole address as if it were one.
  @Test("S1-36") func aProxyGetsNoCertificate() async throws {
    let recorder = try await record("http://localhost/") {
      $0.proxy = .server(try nginx.url(\.client))
      $0.trust.identities["*"] = try identity("client.pem", "client.key")
    }
    expectEqual(recorder.values.first?.statusCode, 400, "\(recorder.events)")
  }

  @Test(arguments: ["", "https://localhost", "localhost:443", "a b", "*localhost"])
  func aHostThatIsNoneIsRefusedAtOnce(_ host: String) throws {
    try expectBadTransport { $0.trust.identities[host] = try identity("client.pem", "client.key") }
  }

  @Test func aKeyOfAnotherCertificateIsRefused() async throws {
    let recorder = try await record(nginx.address(\.client)) {
      $0.trust.identities["localhost"] = try identity("client.pem", "site.key")
    }
    expectEqual(recorder.failure?.code, .rejectedClientCertificate, "\(recorder.events)")
  }

  /// nginx lets the handshake pass and says it in an answer: other servers break the handshake off.
  @Test func withoutACertificateTheServerAnswers400() async throws {
    let hidden = try await record(nginx.address(\.client))
    expectEqual(hidden.values.first?.statusCode, 400, "\(hidden.events)")
    let stranger = try await record(nginx.address(\.client)) {
      $0.trust.identities["localhost"] = try identity("stranger.pem", "stranger.key")
    }
    expectEqual(stranger.values.first?.statusCode, 400, "\(stranger.events)")
  }
}
