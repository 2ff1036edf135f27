import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// What a transport does to the process that it is in: its end, its threads, its descriptors, its terminal.
@Suite(.enabled(if: CurlTransport.isAvailable && NginxServer.isAvailable)) struct CurlProcessTests {
  let nginx: NginxServer

  init() async throws {
    nginx = try await NginxServer()
    try nginx.serve("large", CurlTLSStreamsTests.large)
  }

  /// How many times each way to leave is tried: more than a few take minutes.
  private static let rounds = Scale.count(4)

  /// In each round a process has requests in flight and ends at a random moment.
  @Test(arguments: ["handshake", "upload", "download"], ["h1", "h2"])
  func leavingWhileTLSIsBusyIsSafe(_ kind: String, _ version: String) async throws {
    let authority = try Certificates.file(kind == "handshake" ? "other.pem" : "ca.pem").path
    for round in 0..<Self.rounds {
      let count = [1, 4, 32][round % 3]
      let way = ["exit", "return", "callback"][round / 3 % 3]
      let path = ["handshake": "/", "upload": "/files/new", "download": "/files/large"][kind] ?? "/"
      let delay = Int.random(in: 0..<100)
      let child = try Child.probe(
        ["leave", nginx.address(\.secure, path), authority, version, kind, "\(count)", "\(delay)", way])
      expectEqual(await child.wait(), 0, "\(count) in flight, \(way) after \(delay) ms")
    }
  }

  /// How many clients are made: ten thousand descriptors would not do without their being closed.
  private static let clientCount = Scale.count(100)

  #if os(Linux)
  @Test func clientsThatAreGoneLeaveNothing() async throws {
    let errors = Pipe()
    let child = try Child.probe(
      ["drop", nginx.address(\.secure), try Certificates.file("ca.pem").path, "\(Self.clientCount)", "96"],
      errors: errors.fileHandleForWriting)
    try errors.fileHandleForWriting.close()
    let text = String(decoding: try await errors.readToEnd(), as: UTF8.self)
    expectEqual(await child.wait(), 0, "\(text)")
  }

  /// How many requests are sent; memory is compared with that after a fifth of them.
  private static let mixedCount = Scale.count(2_000)

  @Test(arguments: ["h1"] + (CurlTransport.supportsHTTP2 ? ["h2"] : []))
  func manyRequestsLeaveNothing(_ version: String) async throws {
    try nginx.serve("fox", InteropSite.text)
    let output = Pipe()
    let child = try Child.probe(
      [
        "mix", nginx.address(\.secure, ""), try Certificates.file("ca.pem").path, version, "\(Self.mixedCount)", "16",
        // The first thousands fill what stays: pools, caches, the allocator's arenas.
        Self.mixedCount < 50_000 ? "20000" : "2000",
      ], output: output.fileHandleForWriting, errors: output.fileHandleForWriting)
    try output.fileHandleForWriting.close()
    let text = String(decoding: try await output.readToEnd(), as: UTF8.self)
    expectEqual(await child.wait(), 0, "\(text)")
    if Self.mixedCount > 2_000 { print(text) }
  }
  #endif

  /// The passphrase waits at the input: whoever asks for it gets it.
  @Test func anEncryptedKeyWithoutAPassphraseIsRefusedUnasked() async throws {
    let (input, output) = (Pipe(), Pipe())
    try input.fileHandleForWriting.write(contentsOf: Data("open sesame\n".utf8))
    let child = try Child.probe(
      [
        "fetch", nginx.address(\.client), try Certificates.file("ca.pem").path,
        try Certificates.file("client.pem").path, try Certificates.file("locked.key").path,
      ], input: input.fileHandleForReading, output: output.fileHandleForWriting)
    try output.fileHandleForWriting.close()
    let text = String(decoding: try await output.readToEnd(), as: UTF8.self)
    expectEqual(await child.wait(), 0)
    expectEqual(text, "network -1205\n")
  }

  #if os(Linux)
  /// No descriptor that a child would inherit, and no thread that a closed connection could end the process on.
  @Test func theProcessIsLeftAsItWas() async throws {
    let errors = Pipe()
    let child = try Child.probe(
      ["inherit", nginx.address(\.secure), try Certificates.file("ca.pem").path],
      errors: errors.fileHandleForWriting)
    try errors.fileHandleForWriting.close()
    let text = String(decoding: try await errors.readToEnd(), as: UTF8.self)
    expectEqual(await child.wait(), 0, "\(text)")
  }

  /// Stands for a libcurl whose TLS library lacks something: a library that is loaded before it refuses one option.
  @Test("S1-36", .enabled(if: Certificates.find("cc") != nil), arguments: ["10230", "181", "64", "10065", "32"])
  func whatLibcurlRefusesIsNotLeftOut(_ option: String) async throws {
    let folder = nginx.folder
    let source = folder.appendingPathComponent("refuse.c")
    let library = folder.appendingPathComponent("refuse-\(option).so")
    try Data(
      """
      #define _GNU_SOURCE
      #include <dlfcn.h>
      int curl_easy_setopt(void *easy, int option, void *value) {
        int (*next)(void *, int, ...) = (int (*)(void *, int, ...))dlsym(RTLD_NEXT, "curl_easy_setopt");
        return option == \(option) ? 4 : next(easy, option, value);
      }
      """.utf8
    ).write(to: source)
    let compiler = try require(Certificates.find("cc"))
    let build = try Child(compiler.path, ["-shared", "-fPIC", "-o", library.path, source.path, "-ldl"])
    expectEqual(await build.wait(), 0)
    let output = Pipe()
    let child = try Child.probe(
      [
        "fetch", nginx.address(\.secure), try Certificates.file("ca.pem").path, "", "",
        try Certificates.pin(of: "site.pem"),
      ],
      environment: ["LD_PRELOAD=\(library.path)"], output: output.fileHandleForWriting)
    try output.fileHandleForWriting.close()
    let text = String(decoding: try await output.readToEnd(), as: UTF8.self)
    await child.wait()
    expectEqual(text, "client 607\n")
  }
  #endif
}
