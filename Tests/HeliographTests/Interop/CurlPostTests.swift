import Foundation
import Heliograph
import HeliographTesting
import Testing

/// Requests that must not be processed twice, through a server that closes connections while they are in flight.
@Suite(.enabled(if: CurlTransport.supportsHTTP2 && NginxServer.isAvailable)) struct CurlPostTests {
  /// nginx closes a connection after a thousand requests.
  private static let count = Interop.count("POSTS", default: 2_500)

  @Test(arguments: [4, 16, 64], [false, true])
  func eachIsProcessedOnce(_ limit: Int, _ reloads: Bool) async throws {
    let nginx = try await NginxServer(canReload: true)
    let transport = try CurlTransport(try secureSettings())
    // Only of a connection that has answered it is known that it speaks HTTP/2.
    let first = SignalRecorder(transport.send(HTTPRequest(url: try nginx.url(\.secure))))
    await first.waitForEnd()
    let requests = try (0..<Self.count).map { index in
      HTTPRequest(
        method: .post, url: try nginx.url(\.secure, "/posts/\(index)"),
        body: .data(Data(count: index % 10 == 0 ? 70_000 : 16)), idleTimeout: .seconds(30))
    }
    let all = SignalRecorder(
      Signal.from(requests.map { transport.send($0).materialize().filter(\.isTerminal) })
        .flatMap(.merge(maxConcurrent: limit)) { $0 })
    for part in reloads ? 1..<5 : 0..<0 {
      await all.wait(for: .seconds(300)) { [count = Self.count] in $0.count >= count * part / 5 }
      try nginx.reload()
    }
    await all.waitForEnd(.seconds(300))
    let failures = all.values.compactMap(\.failure)
    #expect(all.values.count == Self.count)
    #expect(failures.isEmpty, "\(failures.count): \(String(describing: failures.first))")
    let processed = try nginx.processed()
    #expect(processed.count == Self.count && Set(processed).count == Self.count)
    if Self.count > 2_500 {
      print("posts: \(limit) in flight, reloads \(reloads): \(failures.count) failed, \(processed.count) processed")
    }
  }
}
