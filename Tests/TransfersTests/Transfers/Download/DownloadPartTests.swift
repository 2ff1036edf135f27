import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// Downloads whose responses are not the file, have no length or do not fit, and whose part is removed.
struct DownloadPartTests {
  typealias Recorder = SignalRecorder<Transfer<Response<URL>>, NetworkError>

  private static let videosOnly = Stages(validators: [ContentTypeValidator(accepted: ["video/mp4"])])

  let server: LoopbackServer
  let folder: DownloadFolder
  let content = RangedContent(RangedContent.bytes(400_000))

  init() throws {
    server = try LoopbackServer()
    folder = try DownloadFolder()
    let content = content
    server.route("GET", "/film") { content.serve($0) }
  }

  private func client(_ change: (inout NetworkClient.Configuration) -> Void = { _ in }) throws -> NetworkClient {
    var configuration = NetworkClient.Configuration(
      baseURL: server.baseURL, transport: try TransportKind.default.transport())
    change(&configuration)
    return NetworkClient(configuration)
  }

  private func download(
    _ path: RequestPath = "/film", _ change: (inout NetworkClient.Configuration) -> Void = { _ in }
  ) async throws -> Recorder {
    let request = Request(.get, path, options: .with { $0.progressInterval = .zero })
    let recorder = Recorder(try client(change).download(request: request, to: folder.file()))
    await recorder.waitForEnd()
    return recorder
  }

  private func expectWhole(_ recorder: Recorder) {
    expectEqual(recorder.values.last?.finished?.value, folder.file(), "\(String(describing: recorder.failure))")
    expectEqual((try? Data(contentsOf: folder.file())), content.data)
    expectEqual(folder.names, ["film"])
  }

  private var starts: [Int?] { server.log.requests.map(\.rangeStart) }

  /// Serves ranges of at most 100,000 bytes without the length of the file; the entire file is cut after some bytes.
  private func serveWithoutLength(cutAfter byteCount: Int) {
    let data = content.data
    content.change { state in
      state.other = { request in
        guard let start = request.rangeStart else {
          // The end of the chunk, or the last chunk, does not come.
          let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nETag: \"one\"\r\n\r\n"
          let size = String(data.count, radix: 16)
          return .script([.text(head + "\(size)\r\n"), .bytes(data.prefix(byteCount)), .close])
        }
        guard start < data.count else { return .status(416).header("Content-Range", "bytes */\(data.count)") }
        let end = min(start + 100_000, data.count)
        return .data(data[start..<end], status: 206).header("ETag", "\"one\"")
          .header("Content-Range", "bytes \(start)-\(end - 1)/*")
      }
    }
  }

  // MARK: Content types

  @Test("P8") func anotherContentTypeTouchesNoFile() async throws {
    content.change { $0.cut = 150_000 }
    _ = try await download()
    try Data("old".utf8).write(to: folder.file())
    let part = try Data(contentsOf: folder.file("film.part"))
    content.change { $0.other = { _ in .data(Data("<p>Sign in</p>".utf8), contentType: "text/html") } }
    let recorder = try await download { $0.stages = Self.videosOnly }
    expectEqual(recorder.failure?.code, .unacceptableType)
    expectEqual(folder.names, ["film", "film.part", "film.part.journal"])
    try expectEqual(Data(contentsOf: folder.file()), Data("old".utf8))
    try expectEqual(Data(contentsOf: folder.file("film.part")), part)
    // The part can still be resumed.
    content.change { ($0.cut, $0.other) = (nil, nil) }
    expectWhole(try await download())
    expect(part.count > 0)
    expectEqual((starts.last ?? nil), part.count)
  }

  @Test("P8", arguments: [200, 204]) func anEmptyBodyMayHaveAnyType(_ status: Int) async throws {
    // The 200 has a `Content-Length` of 0.
    server.route("GET", "/none") { _ in .status(status) }
    let recorder = try await download("/none") { $0.stages = Self.videosOnly }
    expectEqual(recorder.values.last?.finished?.value, status == 200 ? folder.file() : nil)
    let stream = SignalRecorder(try client { $0.stages = Self.videosOnly }.stream(request: "/none"))
    await stream.waitForEnd()
    expect(stream.isCompleted, "\(stream.events)")
    expectEqual(stream.values.map(\.value), [Data(), Data()])
  }

  @Test("P8", arguments: [202, 204, 205, 226])
  func aSuccessWithoutTheContentReplacesNoFile(_ status: Int) async throws {
    try Data("old".utf8).write(to: folder.file())
    server.route("GET", "/none") { _ in .status(status) }
    let recorder = try await download("/none")
    expectEqual(recorder.failure?.code, .status(status))
    expectEqual(folder.names, ["film"])
    try expectEqual(Data(contentsOf: folder.file()), Data("old".utf8))
  }

  // MARK: Parts

  /// Such a range is not the download's own, which has a validator.
  @Test(arguments: [true, false]) func aRangeOfAllRequestsIsOneOfTheFile(_ isWhole: Bool) async throws {
    let recorder = try await download { $0.headers["Range"] = isWhole ? "bytes=0-" : "bytes=100-" }
    expectEqual(starts.count, 1)
    if isWhole { return expectWhole(recorder) }
    expectEqual(recorder.values.last?.finished?.value, folder.file(), "\(recorder.events)")
    try expectEqual(Data(contentsOf: folder.file()), content.data.dropFirst(100))
  }

  /// With a wrong digest the part would be discarded, otherwise moved.
  @Test("P8", arguments: [false, true])
  func thePartOfAnotherDownloadIsLeftAlone(_ hasWrongDigest: Bool) async throws {
    let kit = TestKit()
    let (bytes, others) = (RangedContent.bytes(200), RangedContent.bytes(50, seed: 2))
    let whole: HTTPHeaders = ["ETag": "\"one\"", "Content-Length": "200"]
    let rest: HTTPHeaders = ["ETag": "\"one\"", "Content-Length": "100", "Content-Range": "bytes 100-199/200"]
    kit.stub.on(
      .get, "/film",
      StubAnswer([.head(status: 200, headers: whole), .body(bytes.prefix(100)), .failure(.lost)]),
      StubAnswer([.delay(.seconds(1)), .head(status: 206, headers: rest), .body(bytes.suffix(100))]),
      StubAnswer([.head(status: 200, headers: whole), .body(others), .failure(.lost)]))
    try Data("old".utf8).write(to: folder.file())
    let request = Request(.get, "/film", retry: Retry(limit: 1, backoff: .none))
    let options = DownloadOptions.with { options in
      if hasWrongDigest { options.sha256 = String(repeating: "0", count: 64) }
    }
    let first = Recorder(kit.client.download(request: request, to: folder.file(), options: options))
    // The retry, which waits for the clock: the first half is written.
    await expect(kit.stub.requested(2))
    try FileManager.default.removeItem(at: folder.file("film.part"))
    let second = Recorder(kit.client.download(request: "/film", to: folder.file()))
    await second.waitForEnd()
    expectEqual(second.failure?.code, .connectionLost)
    let journal = try Data(contentsOf: folder.file("film.part.journal"))
    await kit.clock.advance(by: .seconds(1))
    await first.waitForEnd()
    expectEqual(first.failure?.code, .cannotWriteFile, "\(first.events)")
    expectEqual((first.failure?.underlying as? POSIXError)?.code, .ENOENT)
    expectEqual(folder.names, ["film", "film.part", "film.part.journal"])
    try expectEqual(Data(contentsOf: folder.file()), Data("old".utf8))
    try expectEqual(Data(contentsOf: folder.file("film.part")), others)
    try expectEqual(Data(contentsOf: folder.file("film.part.journal")), journal)
  }

  @Test("P8", .enabled(if: TransportKind.isComplete), arguments: ["206", "416"])
  func afterTwoDiscardedPartsNoRangeIsRequested(_ answer: String) async throws {
    content.change { state in
      state.cut = 50_000
      state.other = { request in
        guard request.rangeStart != nil else { return nil }
        if answer == "416" { return .status(416).header("Content-Range", "bytes */5") }
        return .data(Data(count: 10), status: 206).header("ETag", "\"one\"")
          .header("Content-Range", "bytes 0-9/400000")
      }
    }
    let recorder = try await download { configuration in
      configuration.retry = Retry(limit: 3, backoff: .none)
      configuration.retryBudget = nil
    }
    expectEqual(recorder.failure?.domain, .network, "\(starts.count) requests")
    // Two requests that end with a discarded part, and one with all of its retries.
    expectEqual(starts.prefix(10).map { $0 != nil }, [false, true, false, true, false, false, false, false])
  }

  // MARK: Files without a length

  @Test("S1-15 P8") func theEndOfAFileWithoutALengthIsARefusedRange() async throws {
    serveWithoutLength(cutAfter: 150_000)
    try await expectEqual(download().failure?.domain, .network)
    // Without a retry.
    expectWhole(try await download())
    expectEqual(starts, [nil, 150_000, 250_000, 350_000, 400_000])
  }

  /// The refused range follows partial responses, or the first response at once.
  @Test("S0-21", .enabled(if: TransportKind.isComplete), arguments: [150_000, 400_000])
  func theLastProgressBeforeARefusedRangeEndsAtTheSize(_ cut: Int) async throws {
    serveWithoutLength(cutAfter: cut)
    let recorder = try await download { $0.retry = Retry(limit: 1, backoff: .none) }
    expectWhole(recorder)
    let received = recorder.progress(.receiving)
    expectEqual(received.last?.byteCount, 400_000)
    expectEqual(received.last?.totalByteCount, 400_000)
    expect(received.dropLast().allSatisfy { $0.totalByteCount == nil })
    expectEqual(recorder.values.dropLast().last?.progress, received.last)
  }

  /// It completes the download, or the part is discarded and the entire file requested.
  @Test("P8", arguments: [true, false])
  func aRefusedRangeIsNoFailureForMonitors(_ isComplete: Bool) async throws {
    serveWithoutLength(cutAfter: 400_000)
    _ = try await download()
    if !isComplete {
      content.change { state in
        state.other = { request in
          guard request.rangeStart != nil else { return nil }
          return .status(416).header("Content-Range", "bytes */5")
        }
      }
    }
    let log = MonitorLog()
    expectWhole(try await download { $0.monitors = [log] })
    let expected: [Int?] = isComplete ? [nil, 400_000] : [nil, 400_000, nil]
    expectEqual(starts, expected)
    expectEqual(log.requests.map(\.outcome.name), Array(repeating: "succeeded", count: isComplete ? 1 : 2))
    expect(log.attempts.allSatisfy { $0.error == nil })
  }

  @Test("P8") func aRefusedRangeOfOtherContentRequestsTheEntireFile() async throws {
    serveWithoutLength(cutAfter: 400_000)
    _ = try await download()
    content.change { state in
      state.other = { request in
        guard request.rangeStart != nil else { return nil }
        return .status(416).header("Content-Range", "bytes */400000").header("ETag", "\"two\"")
      }
    }
    expectWhole(try await download())
    expectEqual(starts, [nil, 400_000, nil])
  }

  // MARK: Errors

  @Test("P8") func anErrorBeforeTheFirstRequestHasMessageAndStyleOfTheRequest() async throws {
    let kit = TestKit { $0.messages[.cannotCreateFile] = "Choose another folder." }
    let all: [(RequestOptions, PresentationStyle)] = [
      (.with { $0.presentation = .inline }, .inline), (.background, .silent),
    ]
    for (options, style) in all {
      let request = Request(.get, "/film", options: options)
      let recorder = Recorder(kit.client.download(request: request, to: folder.file("none/film")))
      await recorder.waitForEnd()
      expectEqual(recorder.failure?.code, .cannotCreateFile)
      expectEqual(recorder.failure?.presentation, style)
      expectEqual(recorder.failure?.message, "Choose another folder.")
    }
    expect(kit.stub.requests.isEmpty)
  }
}
