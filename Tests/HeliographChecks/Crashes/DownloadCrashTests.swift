import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// Processes that are killed while they download: the next one continues.
@Suite(.serialized, .enabled(if: CurlTransport.isAvailable)) struct DownloadCrashTests {
  /// The number of kills, and the size of the file; larger ones by the environment.
  private static let isWhole = Scale.isMedium
  private static let killCount = isWhole ? 20 : 6
  private static let byteCount = isWhole ? 100_000_000 : 15_000_000
  /// What may be asked for again after a kill.
  private static let wasteLimit = 1_000_000

  private let folder: DownloadFolder
  private let data = RangedContent.bytes(DownloadCrashTests.byteCount)

  init() throws { folder = try DownloadFolder() }

  /// What a process printed: its first and its last progress, and its outcome if it was not killed.
  private struct Run {
    var first: Int?
    var last = 0
    var outcome: String?
  }

  /// Downloads in a process that is killed after a number of bytes, if it gets that far.
  private func run(_ url: String, killAfter limit: Int) async throws -> Run {
    let pipe = Pipe()
    let child = try Child.probe(["download", url, folder.file().path, "slow"], output: pipe.fileHandleForWriting)
    try pipe.fileHandleForWriting.close()
    let output = pipe.fileHandleForReading
    var run = Run()
    var text = ""
    while run.outcome == nil {
      // What is there: a kill must not wait for more.
      // blocks: a thread of its own.
      let data = await onThread { output.availableData }
      if data.isEmpty { break }
      text += String(decoding: data, as: UTF8.self)
      var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      text = String(lines.removeLast())
      for line in lines {
        guard let count = Int(line) else {
          run.outcome = String(line)
          continue
        }
        run.first = run.first ?? count
        run.last = max(run.last, count)
      }
      if run.last >= limit { break }
    }
    child.end()
    await child.wait()
    return run
  }

  /// Downloads with kills at random until the file is there; returns the numbers of kills and processes.
  private func download(_ url: String) async throws -> (kills: Int, processes: Int) {
    var (kills, processes, last) = (0, 0, 0)
    while processes < 400 {
      processes += 1
      let step = Int.random(in: 0...(Self.byteCount * 2 / (Self.killCount * 3)))
      let run = try await run(url, killAfter: kills < Self.killCount ? last + step : .max)
      if let first = run.first { expect(first > last - Self.wasteLimit, "\(last - first) bytes were lost") }
      last = max(last, run.last)
      if run.outcome == nil { kills += 1 }
      // A process that was killed too late has not said so.
      let isComplete = FileManager.default.fileExists(atPath: folder.file().path)
      if run.outcome == "ok" || isComplete { return (kills, processes) }
    }
    return (kills, processes)
  }

  private func expectWhole() throws {
    let file = try Data(contentsOf: folder.file())
    expectEqual(SHA256.hash(file).hexadecimal, SHA256.hash(data).hexadecimal)
    expectEqual(folder.names, ["film"])
  }

  @Test("S1-15 P8") func afterKillsAServerThatCutsIsContinued() async throws {
    let server = try LoopbackServer()
    let content = RangedContent(data)
    server.route("GET", "/film") { request in
      // A connection is cut in about every second response.
      content.change { $0.cut = .random(in: 1...(Self.byteCount / 5)) }
      return content.serve(request)
    }
    let (kills, processes) = try await download(server.url("/film").absoluteString)
    try expectWhole()
    let starts = server.log.requests.map { $0.rangeStart ?? 0 }
    // On a busy machine a kill comes late, and the file may be there first.
    expect(kills * 2 >= Self.killCount, "\(starts)")
    expectEqual(starts, starts.sorted(), "\(starts)")
    print("loopback: \(kills) kills, \(processes) processes, \(starts.count) requests for \(Self.byteCount) bytes")
  }

  @Test("S1-15 P8", .enabled(if: NginxServer.isAvailable)) func afterKillsNginxIsContinued() async throws {
    let server = try await NginxServer()
    try server.serve("film", data)
    let (kills, processes) = try await download(server.address(\.open, "/files/film"))
    try expectWhole()
    expect(kills * 2 >= Self.killCount, "\(kills)")
    print("nginx: \(kills) kills, \(processes) processes for \(Self.byteCount) bytes")
  }

  /// A server whose file changes at any request, and what it says of that.
  private enum Change: CaseIterable {
    /// An entity tag or a date, observed in `If-Range`.
    case strong, date
    /// No validator for a part.
    case weak, none
    /// A part of the present version whatever `If-Range` says, with its entity tag or without one.
    case careless, bare

    static let versions = (1...5).map { RangedContent.bytes(1_500_000, seed: $0) }

    func serve(_ request: LoopbackRequest, _ version: Int) -> LoopbackResponse {
      let data = Self.versions[version]
      let modified = "Mon, 01 Jan 2024 00:00:0\(version) GMT"
      let validator = self == .date ? modified : "\"\(version)\""
      let isSame = [.careless, .bare].contains(self) || request.header("If-Range") == validator
      var response = LoopbackResponse.data(data)
      if let start = request.rangeStart, isSame {
        response = .data(data.suffix(from: start), status: 206)
          .header("Content-Range", "bytes \(start)-\(data.count - 1)/\(data.count)")
        if self == .bare { return response }
      }
      switch self {
      case .strong, .careless, .bare: return response.header("ETag", validator)
      case .weak: return response.header("ETag", "W/" + validator)
      case .date: return response.header("Last-Modified", modified).header("Date", "Mon, 01 Jan 2024 00:01:00 GMT")
      case .none: return response
      }
    }
  }

  @Test("P8") func afterKillsNoFileHasBytesOfTwoVersions() async throws {
    let server = try LoopbackServer()
    let change = Guarded(Change.strong)
    let version = Guarded(0)
    server.route("GET", "/film") { request in
      let version = version.withLock { version in
        if Int.random(in: 0..<3) == 0 { version = (version + 1) % Change.versions.count }
        return version
      }
      let response = change.withLock { $0 }.serve(request, version)
      return Bool.random() ? response.cut(afterByteCount: .random(in: 1...1_400_000)) : response
    }
    let digests = Set(Change.versions.map { SHA256.hash($0).hexadecimal })
    let limit = Scale.isFull ? 300 : Self.killCount * 2
    var (kills, files, mixed) = (0, 0, 0)
    while kills < limit {
      change.withLock { $0 = Change.allCases[files % Change.allCases.count] }
      var (isWhole, last) = (false, 0)
      while !isWhole {
        let end = kills < limit ? last + .random(in: 0...500_000) : .max
        let run = try await run(server.url("/film").absoluteString, killAfter: end)
        last = run.last
        if run.outcome == nil { kills += 1 }
        isWhole = run.outcome == "ok"
      }
      files += 1
      if try !digests.contains(SHA256.hash(Data(contentsOf: folder.file())).hexadecimal) { mixed += 1 }
      expectEqual(folder.names, ["film"])
      try FileManager.default.removeItem(at: folder.file())
    }
    expectEqual(mixed, 0)
    let resumed = server.log.requests.count { $0.rangeStart != nil }
    expect(resumed > 0)
    print(
      "versions: \(kills) kills, \(files) files, \(resumed) ranges of \(server.log.requests.count) requests, \(mixed) mixed"
    )
  }

  @Test("P8") func ofProcessesAtOneDestinationOneDownloads() async throws {
    let server = try LoopbackServer()
    let content = RangedContent(RangedContent.bytes(1_500_000))
    server.route("GET", "/film") { content.serve($0) }
    let url = server.url("/film").absoluteString
    let limit = Scale.isFull ? 200 : Self.killCount
    var (kills, files, refusals) = (0, 0, 0)
    while kills < limit || files == 0 {
      let runs = try await withThrowingTaskGroup { group in
        for _ in 0..<4 {
          group.addTask { try await run(url, killAfter: .random(in: 0...3_000_000)) }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      for run in runs {
        switch run.outcome {
        case nil: kills += 1
        case "ok": break
        case let outcome?:
          expect(outcome == "client \(NetworkError.Code.fileInUse)", "\(outcome)")
          refusals += 1
        }
      }
      guard let data = try? Data(contentsOf: folder.file()) else { continue }
      files += 1
      expect(data == content.data, "\(data.count) bytes")
      // A later process may have begun again.
      for name in folder.names { try FileManager.default.removeItem(at: folder.file(name)) }
    }
    print("race: \(kills) kills, \(files) files, \(refusals) refusals")
  }
}
