import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

#if compiler(>=6.3) && (os(macOS) || os(Linux) || os(Windows))
/// A recording on a disk that becomes full.
struct CassetteDiskFullTests {
  /// The size limit of files stands for the full disk, so the recording has a process of its own.
  @Test func theExchangesBeforeRemain() async {
    await #expect(processExitsWith: .success) {
      let file = FileManager.default.temporaryDirectory.appendingPathComponent("full-\(UUID().uuidString).json")
      defer { try? FileManager.default.removeItem(at: file) }
      let stub = StubTransport()
      stub.on(.get, "/a", .text("first"), .text(String(repeating: "x", count: 100_000)), .text("third"))
      let recording = try CassetteTransport(file: file, recording: stub)
      let url = try require(URL(string: "https://api.example.com/a"))
      func send(over transport: CassetteTransport) -> [String] {
        let recorder = SignalRecorder(transport.send(HTTPRequest(url: url)))
        if recorder.failure != nil { return [] }
        return recorder.values.compactMap { event in
          if case .body(let data) = event { String(decoding: data.prefix(5), as: UTF8.self) } else { nil }
        }
      }
      expectEqual(send(over: recording), ["first"])
      try CassetteDiskFullTests.limitFiles(to: 50_000)
      expectEqual(send(over: recording), [])
      try CassetteDiskFullTests.limitFiles(to: 1_000_000)
      expectEqual(send(over: recording), ["third"])
      let replaying = try CassetteTransport(file: file)
      expectEqual([send(over: replaying), send(over: replaying)], [["first"], ["third"]])
    }
  }

  /// Limits the size of the process's files in bytes; a longer write fails after its first part.
  private static func limitFiles(to byteCount: rlim_t) throws {
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit(rlim_cur: byteCount, rlim_max: 1_000_000)
    #if canImport(Glibc)
    let result = setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    #else
    let result = setrlimit(RLIMIT_FSIZE, &limit)
    #endif
    try #require(result == 0)
  }
}
#endif
