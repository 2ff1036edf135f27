#if HELIOGRAPH_CURL
import CCurl
import Foundation
import HeliographTestSupport
import HeliographTesting
import TestSupport
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
    expect(recorder.hasEnded)
    return recorder.failure?.code
  }

  @Test("S1-36") func anAdditionalAuthorityIsTrustedBesidesTheSystems() async throws {
    let ours = try Certificates.file("ca.pem")
    func adjust(_ settings: inout TransportSettings) {
      settings.trust = Trust()
      settings.trust.additionalAuthorities = [ours]
    }
    try await expectNil(code(\.secure, adjust))
    try await expectEqual(code(\.foreign, adjust), .untrustedCertificate)
    var trust = Trust()
    trust.additionalAuthorities = [ours]
    // The system's are there, too.
    let authorities = try Authorities(trust, [:])
    let own = try Data(contentsOf: ours).count
    let debian = "/etc/ssl/certs/ca-certificates.crt"
    let system = try? Data(contentsOf: URL(fileURLWithPath: debian)).count
    expect((authorities.bundle?.bytes.count ?? 0) >= own + 1 + (system ?? 0))
    expectNil(authorities.folder)
    expect(!authorities.hasNoFolder)
  }

  @Test("S1-36") func anAdditionalAuthorityIsTrustedBesidesAChosenOne() async throws {
    let (ours, other) = (try Certificates.file("ca.pem"), try Certificates.file("other.pem"))
    for authorities in [[ours, other], [other, ours]] {
      for port in [\NginxServer.Ports.secure, \.foreign] {
        let code = try await code(port) {
          $0.trust.authorities = authorities[0]
          $0.trust.additionalAuthorities = [authorities[1]]
        }
        expectNil(code)
      }
    }
    try await expectEqual(code(\.foreign) { $0.trust.additionalAuthorities = [ours] }, .untrustedCertificate)
  }

  @Test(arguments: ["missing.pem", "names", "."]) func whatHoldsNoCertificateIsRefusedAtOnce(_ name: String) throws {
    let file = try Certificates.file(name)
    let settings = try secureSettings { $0.trust.additionalAuthorities = [file] }
    let error = #expect(throws: NetworkError.self) { try CurlTransport(settings) }
    expectEqual(error?.code, .invalidTransport)
    expect(error?.reason.contains(file.lastPathComponent) == true || name == ".")
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
      expect((recorder.failure?.code == .untrustedCertificate) != isTrusted, "\(recorder.events)")
    }
  }

  /// On Debian, where parsing them for each connection would take 20 milliseconds.
  @Test func theDefaultFolderIsIgnoredIfTheDefaultFileHasIt() throws {
    guard let file = CurlLibrary.defaultAuthorities(CCURL_INFO_CAINFO), file.hasPrefix("/etc/ssl/certs/"),
      CurlLibrary.defaultAuthorities(CCURL_INFO_CAPATH) != nil, !CurlQuirks.noFolderMeansDefault
    else { return }
    func ignoresFolder(_ environment: [String: String], _ set: (inout Trust) throws -> Void = { _ in }) throws -> Bool {
      var trust = Trust()
      try set(&trust)
      return try Authorities(trust, environment).ignoresDefaultFolder
    }
    try expect(ignoresFolder([:]))
    try expect(ignoresFolder(["CURL_CA_BUNDLE": file]))
    try expect(!ignoresFolder(["CURL_CA_BUNDLE": "/other"]))
    try expect(!ignoresFolder(["SSL_CERT_DIR": "/etc/ssl/certs"]))
    try expect(!ignoresFolder([:]) { $0.authorities = try Certificates.file("ca.pem") })
  }

  // MARK: The environment

  @Test func theEnvironmentIsReadAsTheCurlCommandReadsIt() throws {
    func authorities(_ environment: [String: String]) throws -> [String?] {
      let found = try Authorities(Trust(), environment)
      return [found.file, found.folder]
    }
    try expectEqual(authorities([:]), [nil, nil])
    try expectEqual(authorities(["SSL_CERT_FILE": "/a"]), ["/a", nil])
    try expectEqual(authorities(["SSL_CERT_DIR": "/b"]), [nil, "/b"])
    try expectEqual(authorities(["SSL_CERT_FILE": "/a", "SSL_CERT_DIR": "/b"]), ["/a", "/b"])
    let all = ["CURL_CA_BUNDLE": "/c", "SSL_CERT_FILE": "/a", "SSL_CERT_DIR": "/b"]
    try expectEqual(authorities(all), ["/c", nil])
    try expectEqual(authorities(["SSL_CERT_FILE": "", "CURL_CA_BUNDLE": ""]), [nil, nil])
    var trust = Trust()
    trust.authorities = try Certificates.file("ca.pem")
    try expectEqual(Authorities(trust, all).file, trust.authorities?.path)
    try expectNil(Authorities(trust, all).folder)
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
    let text = String(decoding: try await output.readToEnd(), as: UTF8.self)
    await child.wait()
    expectEqual(text, outcome)
  }

  /// A library with a clock that can be advanced, and with the tests' authority as the system's.
  private static let system = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <time.h>
    static _Atomic int count, seconds;
    int authorities_read_count(void) { return count; }
    int advance_clock(int more) { return seconds += more; }
    FILE *fopen64(const char *path, const char *mode) {
      if (path && strcmp(path, getenv("DEFAULT_AUTHORITIES")) == 0) {
        count++;
        path = getenv("OWN_AUTHORITIES");
      }
      return ((FILE *(*)(const char *, const char *))dlsym(RTLD_NEXT, "fopen64"))(path, mode);
    }
    FILE *fopen(const char *path, const char *mode) { return fopen64(path, mode); }
    int clock_gettime(clockid_t clock, struct timespec *now) {
      int result = ((int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime"))(clock, now);
      if (clock != CLOCK_REALTIME) now->tv_sec += seconds;
      return result;
    }
    """

  private static var parsesDefaultFileOnce: Bool {
    let hasFolder = CurlLibrary.defaultAuthorities(CCURL_INFO_CAPATH) != nil
    return CurlQuirks.version >= 0x07_57_00 && CurlLibrary.defaultAuthorities(CCURL_INFO_CAINFO) != nil
      && (!hasFolder || (try? Authorities(Trust(), [:]).ignoresDefaultFolder) == true)
  }

  /// A process may run for months, and the system's updates add and remove authorities.
  @Test(.enabled(if: parsesDefaultFileOnce && Certificates.find("cc") != nil))
  func theSystemsAuthoritiesAreReadAgainAfterFiveMinutesAndNotForEachConnection() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (source, library) = (folder.appendingPathComponent("system.c"), folder.appendingPathComponent("system.so"))
    try Data(CurlTLSAuthoritiesTests.system.utf8).write(to: source)
    let compiler = try require(Certificates.find("cc"))
    let build = try Child(compiler.path, ["-shared", "-fPIC", "-o", library.path, source.path, "-ldl"])
    expectEqual(await build.wait(), 0)
    let (output, authority) = (Pipe(), try Certificates.file("ca.pem"))
    let child = try Child.probe(
      ["trust", nginx.address(\.secure), "0", "240", "0", "120", "0"],
      environment: [
        "LD_PRELOAD=\(library.path)", "OWN_AUTHORITIES=\(authority.path)", "CURL_CA_BUNDLE=", "SSL_CERT_FILE=",
        "SSL_CERT_DIR=", "DEFAULT_AUTHORITIES=\(CurlLibrary.defaultAuthorities(CCURL_INFO_CAINFO) ?? "")",
      ], output: output.fileHandleForWriting, errors: output.fileHandleForWriting)
    try output.fileHandleForWriting.close()
    let text = String(decoding: try await output.readToEnd(), as: UTF8.self)
    await child.wait()
    expectEqual(text, "1\n1\n1\n1\n2\n2\n")
  }

  /// OpenSSL looks for an authority by the hash of its name.
  private func makeHashedFolder(in folder: URL) throws {
    let script = """
      cd "$0"; mkdir -p hashed; cp -n ca.pem "hashed/$(openssl x509 -in ca.pem -noout -hash).0" || true
      """
    // blocks: a moment, once.
    try expectEqual(Child("/bin/sh", ["-c", script, folder.path]).waitBlocking(), 0)
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
        let recorder = SignalRecorder(
          client.exchange(request: Request(.get, RequestPath(nginx.address(\.secure, host: host)))))
        await recorder.waitForEnd()
        expectEqual(recorder.failure?.code, (isAccepted ? nil : .untrustedCertificate), "\(recorder.events)")
      }
    }
  }

  @Test("S1-36") func aHostWithoutPinsMayHaveAnyKey() async throws {
    let wrong = try Certificates.pin(of: "other.pem")
    try await expectNil(code(\.secure) { $0.trust.pinnedKeys = ["other.example": [wrong]] })
    try await expectNil(code(\.secure) { $0.trust.pinnedKeys = ["*": [wrong], "localhost": []] })
    try await expectEqual(code(\.secure) { $0.trust.pinnedKeys = ["*": [wrong]] }, .untrustedCertificate)
  }
}
#endif
