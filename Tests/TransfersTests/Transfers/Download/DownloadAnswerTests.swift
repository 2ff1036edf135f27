import Foundation
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

@testable import Heliograph

/// Answers that do not fit the part, and parts in unusual states.
struct DownloadAnswerTests {
  let server: LoopbackServer
  let folder: DownloadFolder
  let content = RangedContent(RangedContent.bytes(1_500_000))

  init() throws {
    server = try LoopbackServer()
    folder = try DownloadFolder()
    let content = content
    server.route("GET", "/film") { content.serve($0) }
  }

  private func download(
    _ options: DownloadOptions = DownloadOptions(), _ change: (inout NetworkClient.Configuration) -> Void = { _ in }
  ) async throws -> SignalRecorder<Transfer<Response<URL>>, NetworkError> {
    var configuration = NetworkClient.Configuration(
      baseURL: server.baseURL, transport: try TransportKind.default.transport())
    change(&configuration)
    let client = NetworkClient(configuration)
    let recorder = SignalRecorder(client.download(request: "/film", to: folder.file(), options: options))
    await recorder.waitForEnd()
    return recorder
  }

  private func leavePart(of byteCount: Int = 700_000) async throws {
    content.change { $0.cut = byteCount }
    _ = try await download()
    content.change { $0.cut = nil }
    expectEqual(folder.names, ["film.part", "film.part.journal"])
  }

  private func expectWhole(_ recorder: SignalRecorder<Transfer<Response<URL>>, NetworkError>) {
    expectEqual(recorder.values.last?.finished?.value, folder.file(), "\(String(describing: recorder.failure))")
    expectEqual((try? Data(contentsOf: folder.file())), content.data)
    expectEqual(folder.names, ["film"])
  }

  private var starts: [Int?] { server.log.requests.map(\.rangeStart) }

  @Test("P8") func aPartThatWasNotRequestedIsNotTheFile() async throws {
    let data = content.data
    content.change { state in
      state.other = { _ in
        .data(data.prefix(100), status: 206).header("Content-Range", "bytes 0-99/1500000").header("ETag", "\"one\"")
      }
    }
    try Data("old".utf8).write(to: folder.file())
    try await expectEqual(download().failure?.code, .invalidResponse)
    try expect(folder.names == ["film"] && Data(contentsOf: folder.file()) == Data("old".utf8))
  }

  /// Some servers answer a range with the slice and the status of the whole.
  @Test("P8") func aSliceWithTheStatusOfTheWholeIsNotTheFile() async throws {
    try await leavePart()
    let data = content.data
    content.change { state in
      state.other = { request in
        guard let start = request.rangeStart else { return .data(data).header("ETag", "\"one\"") }
        return .data(data.dropFirst(start)).header("ETag", "\"one\"")
          .header("Content-Range", "bytes \(start)-1499999/1500000")
      }
    }
    expectWhole(try await download())
    expectEqual(starts.map { $0 == nil }, [true, false, true])
  }

  @Test("P8") func anAcceptedErrorIsNotTheFile() async throws {
    try await leavePart()
    content.change { $0.other = { _ in .text("busy", status: 503) } }
    let recorder = try await download { $0.stages = Stages(baseValidators: []) }
    expectEqual(recorder.failure?.code, .status(503))
    expectEqual(recorder.failure?.response?.statusCode, 503)
    content.change { $0.other = nil }
    expectWhole(try await download())
    expectEqual(starts.count, 3)
    expect((starts[2] ?? 0) > 600_000)
  }

  @Test("S1-15 P8") func aServerThatSendsLessThanItWasAskedForIsAskedAgain() async throws {
    try await leavePart()
    let data = content.data
    content.change { state in
      state.other = { request in
        guard let start = request.rangeStart else { return nil }
        let end = min(start + 100_000, data.count)
        return .data(data[start..<end], status: 206).header("ETag", "\"one\"")
          .header("Content-Range", "bytes \(start)-\(end - 1)/\(data.count)")
      }
    }
    // Without a retry.
    let recorder = try await download()
    expectWhole(recorder)
    expect(recorder.values.compactMap(\.progress).allSatisfy { $0.totalByteCount == data.count })
    expect(starts.count > 8)
    expect(starts.dropFirst().allSatisfy { $0 != nil })
  }

  /// Whatever the validators make of the 416.
  @Test("S1-15 P8", arguments: [Stages(), Stages(baseValidators: []), Stages(baseValidators: [ErrorCodeValidator()])])
  func aCompletePartOfUnknownLengthIsFinishedByARefusedRange(_ stages: Stages) async throws {
    let data = content.data
    content.change { state in
      state.other = { request in
        if request.rangeStart != nil { return .status(416).header("Content-Range", "bytes */\(data.count)") }
        // The last chunk, which is empty, does not come.
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nETag: \"one\"\r\n\r\n"
        let size = String(data.count, radix: 16)
        return .script([.text(head + "\(size)\r\n"), .bytes(data), .text("\r\n"), .close])
      }
    }
    try await expectEqual(download().failure?.domain, .network)
    expectWhole(try await download { $0.stages = stages })
    expectEqual(starts, [nil, data.count])
  }

  /// Also if it is shorter than the part.
  @Test("P8", arguments: [1_500_000, 300_000]) func aWholeResponseOfUnknownLengthReplacesThePart(
    _ count: Int
  ) async throws {
    try await leavePart()
    let data = RangedContent.bytes(count, seed: 2)
    content.change { state in
      state.data = data
      state.other = { _ in .chunked([data]).header("ETag", "\"two\"") }
    }
    expectWhole(try await download())
    expectEqual(starts.count, 2)
    expect((starts[1] ?? 0) > 600_000)
  }

  @Test("P8", arguments: ["longer", "gzip"]) func anImpossiblePartMeansTheEntireFile(_ fault: String) async throws {
    try await leavePart()
    let data = content.data
    content.change { state in
      state.other = { request in
        guard let start = request.rangeStart else { return nil }
        let range = "bytes \(start)-\(data.count - 1)/\(data.count)"
        if fault == "gzip" {
          return .data(data.suffix(from: start), status: 206).header("Content-Range", range)
            .header("ETag", "\"one\"").header("Content-Encoding", "gzip")
        }
        return .chunked([data.suffix(from: start), Data(count: 50_000)])
      }
    }
    if fault == "longer" {
      content.change { state in
        state.other = { request in
          guard let start = request.rangeStart else { return nil }
          let head = """
            HTTP/1.1 206 Partial Content\r\nTransfer-Encoding: chunked\r\nETag: "one"\r
            Content-Range: bytes \(start)-\(data.count - 1)/\(data.count)\r\n\r\n
            """
          let count = String(data.count - start + 1000, radix: 16)
          return .script([
            .text(head + "\(count)\r\n"), .bytes(data.suffix(from: start)), .bytes(Data(count: 1000)),
            .text("\r\n0\r\n\r\n"),
          ])
        }
      }
      try await expectEqual(download().failure?.code, .invalidResponse)
    }
    expectWhole(try await download())
    expectEqual(starts.last, .some(nil))
  }

  @Test("P8") func aKillBetweenTheTwoNamesOfAFileLosesNothing() async throws {
    // `link` and `unlink` are two steps.
    try content.data.write(to: folder.file())
    try FileManager.default.linkItem(at: folder.file(), to: folder.file("film.part"))
    content.change { $0.other = { _ in .status(503) } }
    try await expectEqual(download().failure?.code, .status(503))
    try expectEqual(Data(contentsOf: folder.file()), content.data)
    content.change { $0.other = nil }
    expectWhole(try await download())
  }

  @Test("P8") func aPipeIsNotReplaced() async throws {
    expectEqual(mkfifo(folder.file().path, 0o600), 0)
    try await expectEqual(download().failure?.code, .cannotCreateFile)
    expect(server.log.requests.isEmpty)
    expectEqual(folder.names, ["film"])
  }

  @Test("P8", arguments: [nil, ("Last-Modified", "Mon, 01 Jan 2024 00:00:00 GMT")])
  func aPartWithoutItsValidatorRequestsTheEntireFile(_ field: (String, String)?) async throws {
    try await leavePart()
    let count = content.data.count
    content.change { state in
      state.other = { request in
        guard let start = request.rangeStart else { return nil }
        let answer = LoopbackResponse.data(Data(count: count - start), status: 206)
          .header("Content-Range", "bytes \(start)-\(count - 1)/\(count)")
        return field.map { answer.header($0.0, $0.1) } ?? answer
      }
    }
    expectWhole(try await download())
    expectEqual(starts.count, 3)
    expectEqual(starts.last, .some(nil))
  }

  /// Which a server need not repeat in a 206 (RFC 9110 §15.3.7).
  @Test("P8", arguments: ["1500000", "*", "1500001"])
  func aPartWithoutItsDateIsContinuedIfTheFileHasTheSameLength(_ length: String) async throws {
    let data = content.data
    let modified = "Mon, 01 Jan 2024 00:00:00 GMT"
    content.change { state in
      state.etag = nil
      state.other = { request in
        guard let start = request.rangeStart, request.header("If-Range") == modified else {
          let response = LoopbackResponse.data(data).header("Last-Modified", modified)
            .header("Date", "Mon, 01 Jan 2024 00:01:00 GMT")
          return request.header("X-First") == nil ? response : response.cut(afterByteCount: 700_000)
        }
        return .data(data.suffix(from: start), status: 206)
          .header("Content-Range", "bytes \(start)-\(data.count - 1)/\(length)")
      }
    }
    _ = try await download { $0.headers["X-First"] = "1" }
    expectEqual(folder.names, ["film.part", "film.part.journal"])
    expectWhole(try await download())
    expectEqual(starts.count, length == "1500000" ? 2 : 3)
    expect((starts[1] ?? 0) > 600_000)
  }

  @Test("P8", arguments: [true, false]) func theLimitIsThatOfTheFile(_ hasLength: Bool) async throws {
    try await leavePart()
    if !hasLength {
      let data = content.data
      content.change { state in
        state.other = { request in
          let start = request.rangeStart ?? 0
          return .data(data.suffix(from: start), status: 206).header("ETag", "\"one\"")
            .header("Content-Range", "bytes \(start)-\(data.count - 1)/*")
        }
      }
    }
    // The remaining bytes alone would be within it.
    let recorder = try await download { $0.limits.streamedByteCount = 1_200_000 }
    expectEqual(recorder.failure?.code, .responseTooLarge)
    expectEqual(folder.names, ["film.part", "film.part.journal"])
  }

  @Test func aStreamThatIsCutHasItsByteCountInTheReport() async throws {
    let log = MonitorLog()
    content.change { $0.cut = 700_000 }
    _ = try await download { $0.monitors = [log] }
    expect((log.requests.first?.bodyByteCount ?? 0) > 600_000)
  }
}

/// A validator that turns an error status into a code of its own.
private struct ErrorCodeValidator: Validator {
  func validate(_ response: Response<Data>) throws(NetworkError) {
    if response.statusCode >= 400 { throw NetworkError(.api(1)) }
  }
}
