import Foundation
import Testing

@testable import Courier

@Suite(.timeLimit(.minutes(1))) struct FileOutputTests {
  private let trial: Trial

  init() throws { trial = try Trial() }

  /// As with `>>log` in several processes.
  @Test func whatIsAppendedToAFileStaysWhole() async throws {
    let path = trial.path("log")
    await withTaskGroup { group in
      for letter in "ab".utf8 {
        group.addTask {
          let output = FileOutput(descriptor: open(path, O_WRONLY | O_APPEND | O_CREAT, 0o600), name: path)
          for _ in 0..<50 { try? output.write(Data(repeating: letter, count: 20_000)) }
          output.close()
        }
      }
    }
    let log = try #require(trial.content("log"))
    #expect(log.count == 2_000_000)
    let starts = stride(from: 0, to: log.count, by: 20_000)
    #expect(starts.allSatisfy { Set(log[$0..<$0 + 20_000]).count == 1 })
  }

  @Test func aCancelledTaskDoesNotWaitForASlowReader() async {
    let pipe = Pipe()
    DispatchQueue(label: "slow reader").async {
      while let data = try? pipe.fileHandleForReading.read(upToCount: 4_096), !data.isEmpty { usleep(1_000) }
    }
    let output = FileOutput(descriptor: pipe.fileHandleForWriting.fileDescriptor, name: "pipe")
    let write = Task { () -> ExitCode? in
      withUnsafeCurrentTask { $0?.cancel() }
      do throws(Failure) {
        try output.write(Data(count: 1_000_000))
        return nil
      } catch {
        return error.code
      }
    }
    #expect(await write.value == .interrupted)
    try? pipe.fileHandleForWriting.close()
  }
}
