#if HELIOGRAPH_CURL
import Foundation
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

@testable import Heliograph

/// Uploads of files on a disk that does not respond, for which pipes stand in: opening one waits for a writer.
@Suite(.enabled(if: CurlTransport.isAvailable), .serialized) struct UploadFileTests {
  let server: LoopbackServer
  let folder: URL

  init() throws {
    server = try LoopbackServer()
    server.route("*", "/count") { .text("\($0.body.count)") }
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("uploads-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
  }

  private func file(_ byteCount: Int) throws -> URL {
    let file = folder.appendingPathComponent(UUID().uuidString)
    try Data(count: byteCount).write(to: file)
    return file
  }

  private func count(of body: HTTPBody, over transport: CurlTransport) async throws -> String {
    let request = HTTPRequest(method: .post, url: server.url("/count"), body: body)
    let recorder = SignalRecorder(transport.send(request))
    await recorder.waitForEnd()
    expect(recorder.isCompleted, "\(recorder.events)")
    return String(decoding: recorder.values.body, as: UTF8.self)
  }

  /// Returns a form with a file that has become a pipe since its size was determined.
  private func hangingForm() throws -> (body: HTTPBody, pipe: URL) {
    let file = try file(100_000)
    let body = try ([.file("film", file)] as Multipart).body().body
    try FileManager.default.removeItem(at: file)
    expectEqual(mkfifo(file.path, 0o600), 0)
    return (body, file)
  }

  /// Ends the wait of everybody who opens the pipe or reads it.
  private func release(_ pipe: URL) throws { try FileHandle(forUpdating: pipe).close() }

  #if os(Linux)
  /// The number of open descriptors of a file.
  private func descriptorCount(of file: URL) -> Int {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    let targets = names.map { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
    return targets.count { $0?.hasSuffix(file.lastPathComponent) == true }
  }

  @Test("S4-4") func aFileThatHangsHoldsUpNoOtherRequest() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let transport = try CurlTransport()
    let (body, pipe) = try hangingForm()
    let upload = SignalRecorder(
      transport.send(
        HTTPRequest(method: .post, url: server.url("/count"), body: body, idleTimeout: .seconds(3_600))))
    // The form is requested once it is connected.
    await server.wait { $0.openConnectionCount == 1 }
    for byteCount in [0, 70_000] {
      try await expectEqual(count(of: .data(Data(count: byteCount)), over: transport), "\(byteCount)")
      try await expectEqual(count(of: .file(file(byteCount)), over: transport), "\(byteCount)")
    }
    expect(upload.failure == nil && !upload.isCompleted, "\(upload.events)")
    let connectionCount = server.log.openConnectionCount
    // The disposal waits for nothing; the file is closed when it can be.
    upload.dispose()
    await server.wait { $0.openConnectionCount < connectionCount }
    try release(pipe)
    await until { descriptorCount(of: pipe) == 0 }
    expect(upload.failure == nil && !upload.isCompleted, "\(upload.events)")
  }

  @Test func anUploadClosesItsFileAtItsEndAndItsDisposal() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let transport = try CurlTransport()
    let file = try file(5_000_000)
    try await expectEqual(count(of: .file(file), over: transport), "5000000")
    await until { descriptorCount(of: file) == 0 }
    let silent = try EarlyServer("", reads: false)
    let upload = SignalRecorder(
      transport.send(
        HTTPRequest(method: .post, url: try require(silent.url), body: .file(file), idleTimeout: .seconds(3_600))))
    await upload.wait { $0.contains { if case .value(.sent) = $0 { true } else { false } } }
    expectEqual(descriptorCount(of: file), 1)
    upload.dispose()
    await until { descriptorCount(of: file) == 0 }
  }
  #endif

  /// Without this limit, a mount that hangs would take a thread for each upload.
  @Test func eightFilesAreAccessedAtATimeAndTheTotalTimeoutOfTheOthersHolds() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let running = Guarded(0)
    let gate = DispatchSemaphore(value: 0)  // blocks: threads of the scheduler, which this is about
    for _ in 0..<9 {
      FileScheduler().schedule {
        running.withLock { $0 += 1 }
        gate.wait()
      }
    }
    await until { running.withLock { $0 } == 8 }
    let transport = try CurlTransport()
    let request = HTTPRequest(
      method: .post, url: server.url("/count"), body: .file(try file(10)), totalTimeout: .milliseconds(50))
    await expectInARound {
      let late = SignalRecorder(transport.send(request))
      await late.waitForEnd()
      expectEqual(late.failure?.code, .timedOut, "\(late.events)")
      expectEqual(late.failure?.request?.body, request.body)
      // On a busy machine the time may be over before the preparation begins.
      return late.failure?.reason.contains("while preparing the request") == true
    }
    expectEqual(running.withLock { $0 }, 8)
    try await expectEqual(count(of: .data(Data(count: 70_000)), over: transport), "70000")
    for _ in 0..<9 { gate.signal() }
    try await expectEqual(count(of: .file(file(10)), over: transport), "10")
    expectEqual(running.withLock { $0 }, 9)
    expectEqual(server.log.requests.map(\.body.count), [70_000, 10])
  }
}
#endif
