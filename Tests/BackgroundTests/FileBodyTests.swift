import Foundation
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

@testable import Heliograph
@testable import HeliographBackground

/// The body of a response in a file, as the events of an exchange.
final class FileBodyTests {
  private let file = FileManager.default.temporaryDirectory.appendingPathComponent("body-\(UUID().uuidString)")
  private let metrics = Metrics(endedAt: .seconds(3))

  deinit { try? FileManager.default.removeItem(at: file) }

  /// The events of a body that is removed from its folder before it is read.
  private func events(of content: Data) throws -> (signal: Signal<TransportEvent, NetworkError>, handle: FileHandle) {
    try content.write(to: file)
    let handle = try FileHandle(forReadingFrom: file)
    try FileManager.default.removeItem(at: file)
    let signal = Signal<TransportEvent, NetworkError> { [metrics] observer in
      FileBody(file: handle, metrics: metrics, observer: observer).deliver(on: .immediate)
      return nil
    }
    return (signal, handle)
  }

  private func body(_ events: [TransportEvent]) -> [Data] {
    events.compactMap { if case .body(let piece) = $0 { piece } else { nil } }
  }

  @Test(arguments: [0, 1, 65_536, 65_537, 500_000]) func itsPiecesAreTheFile(_ count: Int) throws {
    let content = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let recorder = SignalRecorder(try events(of: content).signal)
    expectEqual(Data(body(recorder.values).joined()), content)
    expect(body(recorder.values).allSatisfy { !$0.isEmpty && $0.count <= 65_536 })
    expectEqual(recorder.values.last, .metrics(metrics))
    expect(recorder.isCompleted)
    expectEqual(recorder.violations, [])
  }

  @Test func itIsReadOnTheGlobalQueueByDefault() async throws {
    try Data("a".utf8).write(to: file)
    let handle = try FileHandle(forReadingFrom: file)
    let recorder = SignalRecorder(
      Signal<TransportEvent, NetworkError> { observer in
        FileBody(file: handle, metrics: Metrics(), observer: observer).deliver()
        return nil
      })
    await expect(recorder.waitForEnd())
    expectEqual(body(recorder.values), [Data("a".utf8)])
  }

  @Test func aSlowConsumerPausesTheReading() throws {
    let scheduler = VirtualScheduler()
    let (events, handle) = try events(of: Data(count: 100 * 65_536))
    let recorder = SignalRecorder(events.observe(on: scheduler))
    try expectEqual(handle.offset(), 16 * 65_536)
    scheduler.run()
    expectEqual(body(recorder.values).count, 100)
    expect(recorder.isCompleted)
  }

  @Test func disposalEndsTheReading() throws {
    let scheduler = VirtualScheduler()
    let (events, handle) = try events(of: Data(count: 100 * 65_536))
    let recorder = SignalRecorder(events.observe(on: scheduler))
    recorder.dispose()
    scheduler.run()
    try expectEqual(handle.offset(), 16 * 65_536)
    expect(recorder.events.isEmpty)
  }

  @Test func disposalByTheConsumerOfAPieceEndsTheReading() throws {
    let (events, handle) = try events(of: Data(count: 100 * 65_536))
    let recorder = SignalRecorder(events.take(3))
    expectEqual(recorder.values.count, 3)
    expect(recorder.isCompleted)
    try expectEqual(handle.offset(), 3 * 65_536)
  }

  @Test func aFileThatCannotBeReadFails() throws {
    let folder = try FileHandle(forReadingFrom: FileManager.default.temporaryDirectory)
    let recorder = SignalRecorder(
      Signal<TransportEvent, NetworkError> { observer in
        FileBody(file: folder, metrics: Metrics(), observer: observer).deliver(on: .immediate)
        return nil
      })
    expectEqual(recorder.failure?.code, .network(NSURLErrorCannotOpenFile))
    expectEqual((recorder.failure?.underlying as? POSIXError)?.code, .EISDIR)
  }
}
