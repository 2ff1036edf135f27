import Foundation
import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

/// Processes that are killed while they write a HAR file.
@Suite(.serialized) struct HARCrashTests {
  private static let killCount = Scale.isFull ? 1_000 : Scale.isMedium ? 100 : 30
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "heliograph-har-\(UUID().uuidString)")

  /// Starts a process that writes the file, and kills it at any time.
  private func killOne(_ file: URL, limit: Int) async throws {
    let pipe = Pipe()
    let child = try Child.probe(["archive", file.path, "\(limit)", "2"], output: pipe.fileHandleForWriting)
    try pipe.fileHandleForWriting.close()
    let first = pipe.fileHandleForReading
    _ = try await onThread { try first.read(upToCount: 8) }
    // sleeps: the kill comes at any time, also during the first writes after a tenth of a second.
    try await Task.sleep(for: .milliseconds(Int.random(in: 0..<400)))
    child.end()
    expectEqual(await child.wait(), -1)
  }

  /// The number of entries of a file; throws if it is not complete.
  private func entryCount(_ file: URL) throws -> Int {
    try require(try JSON(data: Data(contentsOf: file))["log"]["entries"].array).count
  }

  @Test("P12") func theFileIsCompleteAfterEveryKill() async throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("traffic.har")
    let former = folder.appendingPathComponent("traffic-1.har")
    var counts: [Int] = []
    for number in 0..<Self.killCount {
      // Half of the processes begin new files often.
      try await killOne(file, limit: number % 2 == 0 ? 1_000_000_000 : 500_000)
      counts.append(try entryCount(file))
      if number > 0 { counts.append(try entryCount(former)) }
    }
    // What killed processes have left does not pile up.
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let hidden = ["", ".old", ".second"].map { ".traffic.har.next\($0)" }
    expect(Set(names).isSubset(of: ["traffic.har", "traffic-1.har"] + hidden), "\(names)")
    expect(counts.max() ?? 0 > 0, "\(counts)")
    let emptyCount = counts.count { $0 == 0 }
    print("entries of \(counts.count) files after kills:", counts.max() ?? 0, "at most,", emptyCount, "empty")
  }
}
