import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Downloads through redirects, and ones that are disposed at any moment.
struct DownloadRedirectTests {
  let server: LoopbackServer
  let folder: DownloadFolder
  let content = RangedContent(RangedContent.bytes(700_000))

  init() throws {
    server = try LoopbackServer()
    folder = try DownloadFolder()
    let content = content
    server.route("GET", "/film") { content.serve($0) }
  }

  private typealias Recorder = SignalRecorder<Transfer<Response<URL>>, NetworkError>

  private func expectWhole() {
    expectEqual((try? Data(contentsOf: folder.file())), content.data)
    expectEqual(folder.names, ["film"])
  }

  @Test("P8", .enabled(if: TransportKind.isComplete)) func theRangeIsSentToAnotherOriginAndCredentialsAreNot()
    async throws
  {
    let origin = try LoopbackServer()
    origin.route("GET", "/film") { [url = server.url("/film")] _ in .redirect(to: url.absoluteString) }
    let client = NetworkClient(.init(baseURL: origin.baseURL))
    let request = Request(.get, "/film", headers: ["Authorization": "Bearer secret", "Cookie": "a=b"])
    content.change { $0.cut = 600_000 }
    let first = Recorder(client.download(request: request, to: folder.file()))
    await first.waitForEnd()
    expectEqual(first.failure?.code, .connectionLost, "\(first.events)")
    content.change { $0.cut = nil }
    let second = Recorder(client.download(request: request, to: folder.file()))
    await second.waitForEnd()
    expectWhole()
    let last = try require(server.log.requests.last)
    expect((last.rangeStart ?? 0) > 0)
    expectEqual(last.header("If-Range"), "\"one\"")
    expect(server.log.requests.allSatisfy { $0.header("Authorization") == nil && $0.header("Cookie") == nil })
    expect(origin.log.requests.allSatisfy { $0.header("Authorization") == "Bearer secret" })
  }

  @Test("P8") func afterADisposalAtAnyMomentTheNextOneContinues() async throws {
    let client = NetworkClient(.init(baseURL: server.baseURL))
    let request = Request(.get, "/film", options: .with { $0.progressInterval = .zero })
    for round in 0..<40 {
      for _ in 0..<Int.random(in: 1...4) {
        let disposed = Recorder(client.download(request: request, to: folder.file()))
        let limit = Int.random(in: 0...20)
        // Without a wait it is disposed before it has begun.
        if limit > 0 { await disposed.wait { $0.count >= limit || $0.last?.isTerminal == true } }
        disposed.dispose()
        // A file in use would be the part of the one before.
        expectNil(disposed.failure, "\(disposed.events)")
      }
      let last = Recorder(client.download(request: request, to: folder.file()))
      await last.waitForEnd()
      expect(last.isCompleted, "\(round): \(last.events)")
      expectWhole()
      try FileManager.default.removeItem(at: folder.file())
    }
  }
}
