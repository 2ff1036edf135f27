import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Downloads to a file, over each transport there is.
struct DownloadTests {
  typealias Kind = TransportKind
  typealias Recorder = SignalRecorder<Transfer<Response<URL>>, NetworkError>

  let server: LoopbackServer
  let content = RangedContent(RangedContent.bytes(1_500_000))
  let folder: DownloadFolder

  init() throws {
    server = try LoopbackServer()
    folder = try DownloadFolder()
    let content = content
    server.route("GET", "/film") { content.serve($0) }
  }

  private func client(_ kind: Kind, _ change: (inout NetworkClient.Configuration) -> Void = { _ in }) throws
    -> NetworkClient
  {
    var configuration = NetworkClient.Configuration(baseURL: server.baseURL, transport: try kind.transport())
    configuration.idleTimeout = .seconds(3_600)
    change(&configuration)
    return NetworkClient(configuration)
  }

  private func download(
    _ kind: Kind = .default, path: String = "/film", _ options: DownloadOptions = DownloadOptions(),
    _ change: (inout NetworkClient.Configuration) -> Void = { _ in }
  ) async throws -> Recorder {
    let request = Request(.get, RequestPath(path))
    let recorder = Recorder(try client(kind, change).download(request: request, to: folder.file(), options: options))
    await recorder.waitForEnd()
    return recorder
  }

  private var starts: [Int?] { server.log.requests.map(\.rangeStart) }

  private func expectWhole(_ recorder: Recorder) {
    expectEqual(recorder.values.last?.finished?.value, folder.file(), "\(String(describing: recorder.failure))")
    expectEqual((try? Data(contentsOf: folder.file())), content.data)
    expectEqual(folder.names, ["film"])
  }

  @Test("S1-15 S4-4", arguments: Kind.present) func theFileIsThereWhenItIsWhole(_ kind: Kind) async throws {
    let recorder = try await download(kind)
    expectWhole(recorder)
    let counts = recorder.values.compactMap(\.progress?.byteCount)
    expectEqual(counts, counts.sorted())
    expectEqual(counts.last, 1_500_000)
    expect(recorder.values.compactMap(\.progress).allSatisfy { $0.totalByteCount == 1_500_000 })
    expectEqual(server.log.requests.first?.header("Accept-Encoding"), "identity")
  }

  @Test("S1-15 P8", arguments: Kind.present) func theRestIsAskedForAfterACut(_ kind: Kind) async throws {
    content.change { $0.cut = 700_000 }
    let first = try await download(kind)
    expectEqual(first.failure?.domain, .network)
    expectEqual(folder.names, ["film.part", "film.part.journal"])
    content.change { $0.cut = nil }
    let second = try await download(kind)
    expectWhole(second)
    let start = try require(starts.last ?? nil)
    expect(start > 690_000)
    expect(start < 700_000)
    expectEqual(server.log.requests.last?.header("If-Range"), "\"one\"")
  }

  @Test("S1-15 P8", .enabled(if: TransportKind.isComplete)) func aRetryAsksForTheRest() async throws {
    content.change { $0.cut = 600_000 }
    let recorder = try await download { $0.retry = Retry(limit: 3, backoff: .constant(.zero)) }
    expectWhole(recorder)
    expectEqual(starts.count, 3)
    expectNil(starts[0])
    expectEqual(starts.compactMap(\.self), starts.compactMap(\.self).sorted())
  }

  @Test("S1-15 P8", .enabled(if: TransportKind.isComplete)) func retriesAreCountedAnewWhenThePartHasGrown() async throws
  {
    content.change { $0.cut = 600_000 }
    // Nor do they take retries from other requests.
    let budget = RetryBudget(share: 0, reserveCount: 0)
    expectWhole(
      try await download {
        $0.retry = Retry(limit: 1, backoff: .constant(.zero))
        $0.retryBudget = budget
      })
    expectEqual(starts.count, 3)
  }

  /// Each token is accepted for one connection, and all of them expire within the window of the recovery.
  @Test(.enabled(if: TransportKind.isComplete)) func refreshesAreCountedAnewWhenThePartHasGrown() async throws {
    let (token, accepted) = (CurrentValue(0), CurrentValue(1))
    content.change { $0.cut = 350_000 }
    server.route("GET", "/film") { [content] request in
      if request.header("Authorization") != "Bearer \(accepted.value)" { return .status(401) }
      accepted.modify { $0 += 1 }
      return content.serve(request)
    }
    expectWhole(
      try await download {
        $0.retry = Retry(limit: 1, backoff: .constant(.zero))
        $0.middleware = [.bearer { "\(token.value)" }]
        $0.recoveries = [Recovery(limit: 10, scheduler: VirtualScheduler()) { _ in token.value = accepted.value }]
      })
    expectEqual(token.value, 5)
  }

  /// Neither by less than a block nor by the same bytes again.
  @Test("S1-15 P8", .enabled(if: TransportKind.isComplete), arguments: [(50_000, false, 3), (600_000, true, 3)])
  func retriesOfADownloadThatDoesNotAdvanceEnd(_ cut: Int, _ ignoresRanges: Bool, _ count: Int) async throws {
    content.change { ($0.cut, $0.ignoresRanges) = (cut, ignoresRanges) }
    let recorder = try await download { $0.retry = Retry(limit: 2, backoff: .constant(.zero)) }
    expectEqual(recorder.failure?.domain, .network)
    expectEqual(starts.count, count)
  }

  @Test("S1-15 P8", .enabled(if: TransportKind.isComplete)) func aDisposedDownloadLeavesItsPartToTheNext() async throws
  {
    let content = RangedContent(RangedContent.bytes(60_000_000))
    server.route("GET", "/film") { content.serve($0) }
    let client = try client(.default)
    let request = Request(.get, "/film", options: .with { $0.progressInterval = .zero })
    for _ in 0..<5 {
      // Disposed on the thread that reports the progress, before the download can end.
      let first = Guarded<Int?>(nil)
      let disposed = Recorder(
        client.download(request: request, to: folder.file()).take(while: { step in
          let count = step.progress?.byteCount ?? 0
          return count
            - first.withLock { first in
              first = first ?? count
              return first ?? 0
            } <= 1_000_000
        }))
      await disposed.waitForEnd()
      expect(disposed.isCompleted)
      expectNil(disposed.values.last?.finished)
      // Its lock and its part are free at once.
      let next = Recorder(client.download(request: request, to: folder.file()).take(1))
      await next.waitForEnd()
      expect(next.isCompleted)
    }
    let last = Recorder(client.download(request: "/film", to: folder.file()))
    await last.waitForEnd()
    expect(last.isCompleted)
    expectEqual((try? Data(contentsOf: folder.file())), content.data)
    let starts = starts.map { $0 ?? 0 }
    expectEqual(starts, starts.sorted(), "\(starts)")
    expectEqual(starts.count, 11, "\(starts)")
    expect(Set(starts).count > 5, "\(starts)")
  }

  @Test("P8") func afterAFailureAnotherMayFollowAtOnce() async throws {
    content.change { $0.cut = 400_000 }
    let client = try client(.default)
    let (request, file) = (Request(.get, "/film"), folder.file())
    // In the handler of the failure, until it is whole.
    let again = client.download(request: request, to: file)
    let recorder = Recorder(again.catch { _ in again }.catch { _ in again }.catch { _ in again }.catch { _ in again })
    await recorder.waitForEnd()
    expectWhole(recorder)
  }

  @Test("P8") func anotherDownloadToTheSameFileIsRefused() async throws {
    content.change { $0.other = { _ in .never } }
    let client = try client(.default)
    let first = Recorder(client.download(request: "/film", to: folder.file()))
    await server.wait { $0.requests.count == 1 }
    let second = Recorder(client.download(request: "/film", to: folder.file()))
    await second.waitForEnd()
    expectEqual(second.failure?.code, .fileInUse)
    first.dispose()
    content.change { $0.other = nil }
    expectWhole(try await download())
  }

  @Test("S1-15 P8", arguments: ["\"two\"", "W/\"one\"", nil]) func aChangedFileIsLoadedAnew(_ etag: String?)
    async throws
  {
    content.change { $0.cut = 700_000 }
    _ = try await download()
    content.change { ($0.cut, $0.etag, $0.data) = (nil, etag, RangedContent.bytes(1_200_000, seed: 2)) }
    expectWhole(try await download())
    expectEqual(starts.count, 2)
  }

  @Test("S1-15 P8", arguments: [nil, "W/\"one\""]) func withoutAStrongValidatorNothingIsKept(_ etag: String?)
    async throws
  {
    content.change { ($0.cut, $0.etag) = (700_000, etag) }
    _ = try await download()
    expectEqual(folder.names, [])
    content.change { $0.cut = nil }
    expectWhole(try await download())
    expectEqual(starts, [nil, nil])
  }

  @Test(
    "S1-15 P8",
    arguments: [
      "bytes 0-1499999/1500000", "bytes 5-1499999/1500000", "bytes 700000-1499999/1600000", "none", "",
    ])
  func aWrongRangeRequestsTheEntireFile(_ range: String) async throws {
    content.change { $0.cut = 700_000 }
    _ = try await download()
    content.change { state in
      state.cut = nil
      state.other = { request in
        guard request.rangeStart != nil else { return nil }
        return .data(Data(repeating: 9, count: 10), status: 206).header("Content-Range", range).header(
          "ETag", "\"one\"")
      }
    }
    expectWhole(try await download())
    expectEqual(starts.count, 3)
    expect(starts[1] != nil)
    expectNil(starts[2])
  }

  @Test("S1-15 P8") func anotherValidatorOfAPartRequestsTheEntireFile() async throws {
    content.change { $0.cut = 700_000 }
    _ = try await download()
    content.change {
      ($0.cut, $0.etag) = (nil, nil)
      $0.fields = [("ETag", "\"two\"")]
    }
    content.change { state in
      let data = state.data
      state.other = { request in
        guard let start = request.rangeStart else { return nil }
        return .data(data.suffix(from: start), status: 206).header("ETag", "\"two\"")
          .header("Content-Range", "bytes \(start)-1499999/1500000")
      }
    }
    expectWhole(try await download())
    expectEqual(starts.count, 3)
  }

  @Test("S1-15 P8") func anUnsatisfiableRangeRequestsTheEntireFile() async throws {
    content.change { $0.cut = 700_000 }
    _ = try await download()
    content.change { ($0.cut, $0.data) = (nil, RangedContent.bytes(1000)) }
    expectWhole(try await download())
    expectEqual(starts.count, 3)
    expectNil(starts[2])
  }

  @Test("S1-15 P8") func aServerThatIgnoresRangesSendsTheEntireFile() async throws {
    content.change { $0.cut = 700_000 }
    _ = try await download()
    content.change { ($0.cut, $0.ignoresRanges) = (nil, true) }
    expectWhole(try await download())
    expectEqual(starts.count, 2)
  }

  @Test("P8") func aDamagedPartIsContinuedWhereItIsWhole() async throws {
    content.change { $0.cut = 1_300_000 }
    _ = try await download()
    let part = folder.file("film.part")
    let handle = try FileHandle(forUpdating: part)
    try handle.seek(toOffset: 600_000)
    try handle.write(contentsOf: Data(repeating: 0, count: 100))
    try handle.close()
    content.change { $0.cut = nil }
    expectWhole(try await download())
    let start = try require(starts.last ?? nil)
    expect(start > 0)
    expect(start <= 600_000)
  }

  @Test("P8", arguments: ["", "heliograph-part-1 x", "rubbish\n", "heliograph-part-1 a b c\n"])
  func aDamagedJournalRequestsTheEntireFile(_ text: String) async throws {
    content.change { $0.cut = 700_000 }
    _ = try await download()
    try Data(text.utf8).write(to: folder.file("film.part.journal"))
    content.change { $0.cut = nil }
    expectWhole(try await download())
    expectEqual(starts, [nil, nil])
  }

  @Test("P8") func aNewlySignedURLContinuesByTheIdentity() async throws {
    content.change { $0.cut = 700_000 }
    let options = DownloadOptions.with { $0.id = "film-17" }
    _ = try await download(path: "/film?signature=1", options)
    _ = try await download(path: "/film?signature=2", options)
    expectEqual(starts.count, 2)
    expect(starts[1] != nil)
    // Without an identity of its own, another URL is other content.
    _ = try await download(path: "/film?signature=3")
    expectEqual(starts.count, 3)
    expectNil(starts[2])
  }

  @Test("P8") func aPartThatIsWholeIsCheckedWithTheServer() async throws {
    let (content, file) = (content, folder.file())
    content.change { state in
      state.other = { _ in
        // Another program creates the file meanwhile.
        try? Data("other".utf8).write(to: file)
        return nil
      }
    }
    let first = try await download(.default, .with { $0.replacesExisting = false })
    expectEqual(first.failure?.code, .cannotCreateFile)
    expectEqual((first.failure?.underlying as? POSIXError)?.code, .EEXIST)
    try expectEqual(Data(contentsOf: file), Data("other".utf8))
    expectEqual(folder.names, ["film", "film.part", "film.part.journal"])
    content.change { $0.other = nil }
    expectWhole(try await download())
    // The last block is asked for again, by which the server says that the content is the same.
    let start = try require(starts.last ?? nil)
    expect(start > 1_200_000)
    expect(start < 1_500_000)
  }

  @Test("P8", arguments: [true, false]) func theDigestIsChecked(_ isResumed: Bool) async throws {
    if isResumed {
      content.change { $0.cut = 700_000 }
      _ = try await download(.default, .with { $0.sha256 = String(repeating: "0", count: 64) })
      content.change { $0.cut = nil }
    }
    try Data("old".utf8).write(to: folder.file())
    let wrong = try await download(.default, .with { $0.sha256 = String(repeating: "0", count: 64) })
    expectEqual(wrong.failure?.code, .digestMismatch)
    expectEqual(folder.names, ["film"])
    try expectEqual(Data(contentsOf: folder.file()), Data("old".utf8))
    let digest = SHA256.hash(content.data).hexadecimal.uppercased()
    if isResumed {
      content.change { $0.cut = 700_000 }
      _ = try await download(.default, .with { $0.sha256 = digest })
      content.change { $0.cut = nil }
    }
    expectWhole(try await download(.default, .with { $0.sha256 = digest }))
    let bad = try await download(.default, .with { $0.sha256 = "abc" })
    expectEqual(bad.failure?.code, .invalidParameters)
  }
}
