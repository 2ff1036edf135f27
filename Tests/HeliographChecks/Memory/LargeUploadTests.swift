import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Uploads that are never in memory as a whole.
///
/// `HELIOGRAPH_SCALE=10`, in a process in which nothing else runs: 1 GB, with a look at the process's memory, again and again while it is sent.
@Suite(.serialized) struct LargeUploadTests {
  private static let isAlone = Scale.isMedium
  private static let byteCount = isAlone ? 1 << 30 : 48 << 20
  private static let piece = Data(repeating: SinkServer.byte, count: 65_536)

  enum Source: String, CaseIterable, Sendable { case file, stream, streamWithoutLength, multipart }

  private let file = FileManager.default.temporaryDirectory.appendingPathComponent("large-\(UUID().uuidString)")

  /// A stream whose pieces are made when they are asked for.
  private func stream(byteCount: Int?) -> BodyStream {
    BodyStream(byteCount: byteCount) {
      let rest = Guarded(LargeUploadTests.byteCount / LargeUploadTests.piece.count)
      return {
        let hasMore = rest.withLock { rest in
          rest -= 1
          return rest >= 0
        }
        return hasMore ? .just(LargeUploadTests.piece) : .empty
      }
    }
  }

  private func body(_ source: Source) throws -> RequestBody {
    if source == .file || source == .multipart {
      try Data().write(to: file)
      let handle = try FileHandle(forWritingTo: file)
      for _ in 0..<(LargeUploadTests.byteCount / LargeUploadTests.piece.count) {
        try handle.write(contentsOf: LargeUploadTests.piece)
      }
      try handle.close()
    }
    return switch source {
    case .file: .file(file, contentType: "a/b")
    case .stream: .stream(stream(byteCount: LargeUploadTests.byteCount), contentType: "a/b")
    case .streamWithoutLength: .stream(stream(byteCount: nil), contentType: "a/b")
    case .multipart: .multipart([.file("film", file)])
    }
  }

  @Test("S4-4", .timeLimit(.minutes(5)), arguments: TransportKind.present, Source.allCases)
  func memoryDoesNotGrowWithTheBody(_ kind: TransportKind, _ source: Source) async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let server = try SinkServer()
    let url = try require(server.url)
    let client = NetworkClient(.init(transport: try kind.transport()))
    let body = try body(source)
    let before = residentByteCount()
    let peak = Guarded(before)
    let start = ContinuousClock.now
    let upload = client.upload(
      request: Request(.put, RequestPath(url.absoluteString), body: body), resultType: SinkServer.Answer.self)
    let recorder = SignalRecorder(
      upload.on(value: { step in
        guard LargeUploadTests.isAlone, step.progress?.direction == .sending else { return }
        let now = residentByteCount()
        peak.withLock { $0 = max($0, now) }
      }))
    await recorder.waitForEnd()
    let answer = recorder.values.last?.finished?.value
    expectEqual(answer?.count, LargeUploadTests.byteCount, "\(String(describing: recorder.events.last))")
    // A form has its framing in it.
    expectEqual(answer?.isWhole, (source != .multipart || answer == nil))
    let sent = recorder.progress(.sending)
    expectEqual(sent.last?.fractionCompleted, 1)
    expect((sent.last?.byteCount ?? 0) >= LargeUploadTests.byteCount)
    if LargeUploadTests.isAlone {
      let growth = peak.withLock { $0 } - before
      print("upload: \(kind), \(source): growth \(growth) bytes, \(sent.count) reports, \(ContinuousClock.now - start)")
      expect(growth <= 24 << 20)
    }
  }
}
