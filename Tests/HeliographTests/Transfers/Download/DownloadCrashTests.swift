import Foundation
import HeliographTesting
import Signals
import Testing

@testable import Heliograph

/// Processes that are killed while they download: the next one continues.
@Suite(.serialized, .enabled(if: CurlTransport.isAvailable)) struct DownloadCrashTests {
  /// The number of kills, and the size of the file; larger ones by the environment.
  private static let isWhole = ProcessInfo.processInfo.environment["HELIOGRAPH_KILLS"] != nil
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
  private func run(_ url: String, killAfter limit: Int) throws -> Run {
    let pipe = Pipe()
    let child = try Child.probe(["download", url, folder.file().path, "slow"], output: pipe.fileHandleForWriting)
    try pipe.fileHandleForWriting.close()
    var run = Run()
    var text = ""
    while run.outcome == nil {
      // What is there: a kill must not wait for more.
      let data = pipe.fileHandleForReading.availableData
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
    child.wait()
    return run
  }

  /// Downloads with kills at random until the file is there; returns the numbers of kills and processes.
  private func download(_ url: String) throws -> (kills: Int, processes: Int) {
    var (kills, processes, last) = (0, 0, 0)
    while processes < 400 {
      processes += 1
      let step = Int.random(in: 0...(Self.byteCount * 2 / (Self.killCount * 3)))
      let run = try run(url, killAfter: kills < Self.killCount ? last + step : .max)
      if let first = run.first { #expect(first > last - Self.wasteLimit, "\(last - first) bytes were lost") }
      last = max(last, run.last)
      if run.outcome == "ok" { return (kills, processes) }
      if run.outcome == nil { kills += 1 }
    }
    return (kills, processes)
  }

  private func expectWhole() throws {
    let file = try Data(contentsOf: folder.file())
    #expect(SHA256.hash(file).hexadecimal == SHA256.hash(data).hexadecimal)
    #expect(folder.names == ["film"])
  }

  @Test("S1-15 P8") func afterKillsAServerThatCutsIsContinued() throws {
    let server = try LoopbackServer()
    let content = RangedContent(data)
    server.route("GET", "/film") { request in
      // A connection is cut in about every second response.
      content.change { $0.cut = .random(in: 1...(Self.byteCount / 5)) }
      return content.serve(request)
    }
    let (kills, processes) = try download(server.url("/film").absoluteString)
    try expectWhole()
    let starts = server.log.requests.map { $0.rangeStart ?? 0 }
    #expect(kills == Self.killCount && starts == starts.sorted(), "\(starts)")
    print("loopback: \(kills) kills, \(processes) processes, \(starts.count) requests for \(Self.byteCount) bytes")
  }

  @Test("S1-15 P8", .enabled(if: NginxServer.isAvailable)) func afterKillsNginxIsContinued() async throws {
    let server = try await NginxServer()
    try server.serve("film", data)
    let (kills, processes) = try download(server.address(\.open, "/files/film"))
    try expectWhole()
    #expect(kills == Self.killCount)
    print("nginx: \(kills) kills, \(processes) processes for \(Self.byteCount) bytes")
  }
}
