import TestSupport
import Testing

/// The tests of a folder of `Sources/Heliograph` are in the folder of the same name in one of these targets.
struct TestFolderTests {
  private static let targets = [
    "RequestTests", "ClientTests", "FlowTests", "CacheTests", "CallsTests", "ResponseTests", "TransfersTests",
    "TransportTests",
  ]
  /// Whole flows, which belong to no folder.
  private static let flows: Set = ["Flow"]
  /// The names that the compiler refuses have no behaviour: one suite of the extended checks compiles uses of them.
  private static let untested: Set = ["OtherNames"]

  /// The folders that have Swift files, each with the folders above it: `Cache`, `Cache/Rules`.
  private func folders(in root: String) throws -> Set<Substring> {
    Set(
      try Project.files(in: root).flatMap { file in
        let path = file.path.dropFirst(root.count + 1)
        return path.indices.filter { path[$0] == "/" }.map { path[..<$0] }
      })
  }

  @Test func testsAreInFoldersOfTheSameNamesAsThoseOfTheSources() throws {
    let sources = try folders(in: "Sources/Heliograph")
    expect(sources.count > 20)
    for target in Self.targets {
      for folder in try folders(in: "Tests/\(target)") where !Self.flows.contains(String(folder)) {
        expect(sources.contains(folder), "Tests/\(target)/\(folder)")
      }
    }
  }

  @Test func eachFolderOfTheSourcesHasTestsInOneTarget() throws {
    let sources = try folders(in: "Sources/Heliograph").filter { !$0.contains("/") }
    for folder in sources where !Self.untested.contains(String(folder)) {
      let targets = try Self.targets.filter { try folders(in: "Tests/\($0)").contains(folder) }
      expectEqual(targets.count, 1, "\(folder): \(targets)")
    }
  }
}
