#if os(Linux)
import Foundation
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

@testable import Heliograph

/// The thread of a transport, in a process of its own.
@Suite(.enabled(if: CurlTransport.isAvailable)) struct CurlLoopTests {
  /// Returns the output of a process.
  ///
  /// Once a second libdispatch looks at its threads, and traps if it gets no descriptor for that: on a busy machine a
  /// process without descriptors may meet this moment, and is repeated. It prints nothing then.
  private func output(
    _ arguments: [String], environment: [String] = [], repeats repeatCount: Int = 2
  ) async throws -> String {
    let output = Pipe()
    let child = try Child.probe(
      arguments, environment: environment + ["SWIFT_BACKTRACE=enable=no"], output: output.fileHandleForWriting,
      errors: output.fileHandleForWriting)
    try output.fileHandleForWriting.close()
    let text = String(decoding: try await output.readToEnd(), as: UTF8.self)
    let status = await child.wait()
    if status < 0, text.isEmpty, repeatCount > 0 {
      return try await self.output(arguments, environment: environment, repeats: repeatCount - 1)
    }
    expectEqual(status, 0, "\(text)")
    return text
  }

  /// A library whose look-ups of `slow.invalid` take a minute, and whose look-ups of `moved.invalid` find an address
  /// without a server at first, and then that of the tests' servers; `look_up_state` tells how far they are.
  private static let resolver = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <netdb.h>
    #include <string.h>
    #include <unistd.h>
    static _Atomic int state;
    int look_up_state(void) { return state; }
    int getaddrinfo(const char *restrict host, const char *restrict service, const struct addrinfo *restrict hints,
                    struct addrinfo **restrict results) {
      if (host && strcmp(host, "slow.invalid") == 0) {
        state = 1;
        sleep(60);
        state = 2;
      }
      if (host && strcmp(host, "moved.invalid") == 0) {
        // Later versions of libcurl look up the two families apart.
        if (hints && hints->ai_family == AF_INET6) return EAI_NONAME;
        host = ++state == 1 ? "127.0.0.2" : "127.0.0.1";
      }
      return ((typeof(getaddrinfo) *)dlsym(RTLD_NEXT, "getaddrinfo"))(host, service, hints, results);
    }
    """

  /// The output of a probe that looks names up with the library.
  private func outputOfLookUp(_ arguments: [String]) async throws -> String {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (source, library) = (folder.appendingPathComponent("slow.c"), folder.appendingPathComponent("slow.so"))
    try Data(CurlLoopTests.resolver.utf8).write(to: source)
    let compiler = try require(Certificates.find("cc"))
    let build = try Child(compiler.path, ["-shared", "-fPIC", "-o", library.path, source.path, "-ldl"])
    expectEqual(await build.wait(), 0)
    return try await output(["look-up"] + arguments, environment: ["LD_PRELOAD=\(library.path)"])
  }

  /// The system's resolver can take half a minute, and cannot be cancelled.
  @Test(
    .enabled(if: Certificates.find("cc") != nil && CurlQuirks.version >= 0x07_57_00), arguments: ["dispose", "timeout"])
  func theLookUpOfARequestThatHasEndedHoldsUpNoOther(_ end: String) async throws {
    let server = try LoopbackServer()
    server.route("GET", "/a") { _ in .text("a") }
    // The library's look-up ends with the process.
    let text = try await outputOfLookUp(["http://slow.invalid/", server.url("/a").absoluteString, end])
    expectEqual(text, "200 1\n")
  }

  /// libcurl would use the address for a minute.
  @Test(.enabled(if: Certificates.find("cc") != nil)) func anAddressWithoutAServerIsNotUsedAgain() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/a") { _ in .text("a") }
    let url = "http://moved.invalid:\(server.port)/a"
    try await expectEqual(outputOfLookUp([url, url, "failure"]), "200 2\n")
  }

  /// One origin's failure shows it to all.
  @Test(.enabled(if: Certificates.find("cc") != nil)) func theAddressOfAProxyThatHasMovedIsNotUsedAgain() async throws {
    let proxy = try LoopbackServer()
    proxy.route("GET", "/a") { _ in .text("a") }
    let arguments = ["http://one.invalid/a", "http://two.invalid/a", "failure", "http://moved.invalid:\(proxy.port)"]
    try await expectEqual(outputOfLookUp(arguments), "200 2\n")
  }

  /// Its commands would wait until something else happens.
  @Test func aTransportThatCannotBeWokenIsNotCreated() async throws {
    let text = try await output(["starve", "creation"])
    expect(text.hasPrefix("607 ") && text.contains("descriptor"), "\(text)")
  }

  /// Each shortage fails the request that meets it, with no fault of the server, and the next request succeeds.
  @Test(arguments: [
    // A default client without descriptors does not send its requests over `URLSession` for ever, and needs no network
    // for a proxy on this machine.
    ("default", "false 607 client 200"),
    // A transport whose thread could not be created tries again.
    ("thread", "607 client 200"),
    ("socket", "-1004 client 200"),
    ("look-up", "-1004 client 200"),
    // The thread of a transport takes descriptors when it starts.
    ("authorities", "-1004 client 200"),
  ])
  func aShortageEndsWithItsCause(_ shortage: String, _ expected: String) async throws {
    let (server, other) = (try LoopbackServer(), try LoopbackServer())
    for server in [server, other] { server.route("GET", "/a") { _ in .text("a") } }
    let text = try await output(
      ["starve", shortage, server.url("/a").absoluteString, other.url("/a").absoluteString],
      environment: shortage == "default" ? ["http_proxy=127.0.0.1:9", "no_proxy=127.0.0.1"] : [])
    expectEqual(text, expected + "\n")
  }

  /// Otherwise each would be closed after its exchange.
  @Test func theLimitOfConnectionsIsNotBelowThoseInUse() {
    var limit = CurlConnectionLimit(512, descriptorLimit: 1_024)
    expectEqual([0, 100, 100, 400, 10].map { limit.next($0) }, [256, 356, nil, 512, 266])
    var few = CurlConnectionLimit(64, descriptorLimit: 3)
    expectEqual([0, 5].map { few.next($0) }, [1, 6])
    var one = CurlConnectionLimit(1, descriptorLimit: 1_024)
    expectEqual([1, 2].map { one.next($0) }, [1, 2], "a request of a refresh is not counted")
  }

  @Test func idleConnectionsLeaveDescriptorsForOtherServers() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/a") { _ in .text("a") }
    try await expectEqual(output(["starve", "hosts", server.url("/a").absoluteString]), "[200: 100]\n")
  }
}
#endif
