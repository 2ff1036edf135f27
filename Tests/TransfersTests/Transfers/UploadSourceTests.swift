import Foundation
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

@testable import Heliograph

/// Uploads of pipes, of files that grow, and of bodies that middleware replaces.
struct UploadSourceTests {
  typealias Kind = TransportKind

  struct Count: Decodable, Sendable { let count: Int }

  let server: LoopbackServer
  let folder: DownloadFolder

  init() throws {
    server = try LoopbackServer()
    folder = try DownloadFolder()
    server.route("*", "/count") { .json("{\"count\":\($0.body.count)}") }
  }

  private func client(_ kind: Kind) throws -> NetworkClient {
    let configuration = NetworkClient.Configuration(baseURL: server.baseURL, transport: try kind.transport())
    return NetworkClient(configuration)
  }

  private func upload(
    _ body: RequestBody, by client: NetworkClient
  ) -> Signal<Transfer<Response<Count>>, NetworkError> {
    let request = Request(.post, "/count", body: body, options: .with { $0.progressInterval = .zero })
    return client.upload(request: request, resultType: Count.self)
  }

  @Test("S4-4", .enabled(if: CurlTransport.isAvailable)) func aPipeAsABodyIsRefused() async throws {
    let pipe = folder.file("pipe")
    expectEqual(mkfifo(pipe.path, 0o600), 0)
    // A writer ends the wait of a reader, if there should be one.
    defer { try? FileHandle(forUpdating: pipe).close() }
    let client = try client(.curl)
    let refused = SignalRecorder(upload(.file(pipe, contentType: "a/b"), by: client))
    await refused.waitForEnd()
    expectEqual(refused.failure?.code, .invalidBody, "\(refused.events)")
    // The transport's thread does not wait for the pipe.
    let sent = SignalRecorder(upload(.data(Data(count: 100_000), contentType: "a/b"), by: client))
    await sent.waitForEnd()
    expectEqual(sent.values.last?.finished?.value.count, 100_000, "\(sent.events)")
    expectEqual(server.log.requests.map(\.body.count), [100_000])
  }

  #if os(Linux)
  @Test(arguments: Kind.present) func aFileWithContentButNoSizeIsRefused(_ kind: Kind) async throws {
    let status = URL(fileURLWithPath: "/proc/self/status")
    let bodies: [RequestBody] = [.file(status, contentType: "a/b"), .multipart([.file("a", status)])]
    let client = try client(kind)
    for body in bodies {
      let refused = SignalRecorder(upload(body, by: client))
      await refused.waitForEnd()
      expectEqual(refused.failure?.code, .invalidBody, "\(refused.events)")
    }
    expect(server.log.requests.isEmpty)
  }
  #endif

  @Test("S4-4") func aPipeAsAPartIsRefused() async throws {
    let pipe = folder.file("pipe")
    expectEqual(mkfifo(pipe.path, 0o600), 0)
    // A writer ends the wait of a reader, if there should be one.
    defer { try? FileHandle(forUpdating: pipe).close() }
    let kit = TestKit()
    // Off the test's thread, which opening a pipe would block.
    let signal = upload(.multipart([.text("a", "b"), .file("film", pipe)]), by: kit.client)
    let recorder = SignalRecorder(signal.subscribe(on: .serial("TransferRepairTests")))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .invalidBody, "\(recorder.events)")
    expect(kit.stub.requests.isEmpty)
  }

  @Test("S0-21", arguments: Kind.present) func theTotalIsTheSizeOfTheBodyAsSent(_ kind: Kind) async throws {
    var request = Request(.post, "/count", body: .data(Data(count: 700_000), contentType: "a/b"))
    request.options.progressInterval = .zero
    request.options.middleware = [Shortening()]
    let recorder = SignalRecorder(try client(kind).upload(request: request, resultType: Count.self))
    await recorder.waitForEnd()
    expectEqual(recorder.values.last?.finished?.value.count, Shortening.byteCount, "\(recorder.events)")
    let sent = recorder.progress(.sending)
    expectEqual(sent.last?.byteCount, Shortening.byteCount)
    expectEqual(sent.last?.fractionCompleted, 1)
    expect(sent.allSatisfy { $0.totalByteCount == Shortening.byteCount })
  }

  /// Middleware that replaces a body by a shorter one.
  private struct Shortening: Middleware {
    static let byteCount = 300_000

    func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
      var request = request
      request.body = .data(Data(count: Shortening.byteCount))
      return next(request)
    }
  }

  /// Middleware that is called after the lengths of a form's files were read, and lets one grow.
  private struct Growing: Middleware {
    let file: URL

    func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
      UploadSourceTests.grow(file)
      return next(request)
    }
  }

  @Test("S4-4", arguments: Kind.present) func thePartThatHasGrownIsTheStatedCause(_ kind: Kind) async throws {
    let file = folder.file()
    try Data(count: 100_000).write(to: file)
    let request = Request(
      .post, "/count", body: .multipart([.file("film", file)]), options: .with { $0.middleware = [Growing(file: file)] }
    )
    let recorder = SignalRecorder(try client(kind).upload(request: request, resultType: Count.self))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .invalidBody, "\(recorder.events)")
    expectEqual(recorder.failure?.reason.contains("changed size during the upload"), true, "\(recorder.events)")
    expect(server.log.requests.isEmpty)
  }

  /// Appends a byte to a file.
  private static func grow(_ file: URL) {
    guard let handle = try? FileHandle(forWritingTo: file) else { return }
    _ = try? handle.seekToEnd()
    try? handle.write(contentsOf: Data(count: 1))
    try? handle.close()
  }

  @Test("S4-4", .enabled(if: CurlTransport.isAvailable))
  func aFileThatGrowsWhileItIsSentNeverArrivesAsAWhole() async throws {
    let file = folder.file()
    try Data(count: 3 * SegmentReader.pieceByteCount).write(to: file)
    let signal = upload(.file(file, contentType: "a/b"), by: try client(.curl))
    // At the first progress most of the file is unread.
    let recorder = SignalRecorder(signal.on(value: { _ in Self.grow(file) }))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .invalidBody, "\(recorder.events)")
    await expect(server.wait { $0.openConnectionCount == 0 })
    expect(server.log.requests.isEmpty)
  }

  #if HELIOGRAPH_CURL
  /// The last piece of the second file is already read when it grows.
  @Test("S4-4", arguments: [300_000, 2 * SegmentReader.pieceByteCount])
  func theRestOfAGrownFileIsFoundAfterItsLastRead(_ byteCount: Int) throws {
    let file = folder.file()
    try Data(count: byteCount).write(to: file)
    let next = try require(HTTPBody.file(file).uploadStream()).open()
    for _ in 1...(byteCount / SegmentReader.pieceByteCount) {
      expectEqual(SignalRecorder(next()).values.map(\.count), [SegmentReader.pieceByteCount])
    }
    Self.grow(file)
    let failure = SignalRecorder(next()).failure as? NetworkError
    expectEqual(failure?.code, .invalidBody)
    expectEqual(failure?.reason.contains("changed size during the upload"), true)
  }
  #endif
}
