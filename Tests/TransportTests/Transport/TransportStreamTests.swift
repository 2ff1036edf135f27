import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Bodies that are made while they are sent.
struct TransportStreamTests {
  let server: LoopbackServer

  init() throws {
    server = try LoopbackServer()
    server.route("*", "/echo") { .data($0.body) }
    server.route("*", "/count") { .text("\($0.body.count)") }
  }

  private func outcome(
    _ kind: TransportKind, _ stream: BodyStream, _ path: String = "/echo"
  ) async throws -> SignalRecorder<TransportEvent, NetworkError> {
    let request = HTTPRequest(method: .post, url: server.url(path), body: .stream(stream))
    let recorder = SignalRecorder(try kind.transport().send(request))
    await recorder.waitForEnd()
    return recorder
  }

  @Test(arguments: TransportKind.present, [nil, 3]) func anEmptyPieceIsNoEnd(
    _ kind: TransportKind, _ byteCount: Int?
  ) async throws {
    let pieces = ["", "a", "", "", "bc", ""].map { Data($0.utf8) }
    let recorder = try await outcome(kind, BodyStream(byteCount: byteCount) { BodyStream.pieces(of: pieces) })
    expect(recorder.values.contains(.body(Data("abc".utf8))))
  }

  @Test(arguments: TransportKind.present, [nil, 0]) func aStreamOfNothingIsAnEmptyBody(
    _ kind: TransportKind, _ byteCount: Int?
  ) async throws {
    let recorder = try await outcome(kind, BodyStream(byteCount: byteCount) { { .empty } })
    expect(recorder.isCompleted)
    expectEqual(server.log.requests.map(\.bodyText), [""])
  }

  @Test(arguments: TransportKind.streaming)
  func howItIsSentTellsWhetherItsLengthWasKnown(_ kind: TransportKind) async throws {
    let open: @Sendable () -> BodyStream.Next = { BodyStream.pieces(of: [Data("abc".utf8)]) }
    _ = try await outcome(kind, BodyStream(open: open))
    _ = try await outcome(kind, BodyStream(byteCount: 3, open: open))
    expectEqual(server.log.requests.map { $0.header("Transfer-Encoding") }, ["chunked", nil])
    expectEqual(server.log.requests.map { $0.header("Content-Length") }, [nil, "3"])
  }

  @Test(arguments: TransportKind.present, [10_000, 30_000, 70_000]) func moreThanWasDeclaredIsAnError(
    _ kind: TransportKind, _ pieceByteCount: Int
  ) async throws {
    let piece = Data(count: pieceByteCount)
    let recorder = try await outcome(kind, BodyStream(byteCount: 100_000) { { .just(piece) } }, "/count")
    expectEqual(recorder.failure?.code, .invalidBody)
  }

  @Test(arguments: TransportKind.present) func disposingStopsWhatMakesThePieces(_ kind: TransportKind) async throws {
    let mark = UUID().uuidString
    let asked = AsyncStream<Int>.makeStream()
    let stopped = AsyncStream<Void>.makeStream()
    let stream = BodyStream {
      let count = Guarded(0)
      return {
        let number = count.withLock { count in
          count += 1
          return count
        }
        if number == 1 { return .just(Data(mark.utf8)) }
        return .never.on(start: { asked.continuation.yield(number) }, dispose: { stopped.continuation.yield() })
      }
    }
    let request = HTTPRequest(method: .post, url: server.url("/echo"), body: .stream(stream))
    let recorder = SignalRecorder(try kind.transport().send(request))
    for await _ in asked.stream { break }
    let files = spooledFiles(holding: mark)
    expectEqual(files.count, TransportKind.streaming.contains(kind) ? 0 : 1)
    for file in files {
      let attributes = try FileManager.default.attributesOfItem(atPath: file)
      expectEqual((attributes[.posixPermissions] as? NSNumber)?.intValue, 0o600)
    }
    recorder.dispose()
    for await _ in stopped.stream { break }
    expect(spooledFiles(holding: mark).isEmpty)
    expectNil(recorder.values.head)
    expectNil(recorder.failure)
    expect(!recorder.isCompleted)
  }

  @Test func theSpooledFileIsGoneAfterTheEnd() async throws {
    let mark = UUID().uuidString
    for path in ["/echo", "/nowhere"] {
      let pieces = [Data(mark.utf8)]
      let recorder = try await outcome(.urlSession, BodyStream { BodyStream.pieces(of: pieces) }, path)
      expect(recorder.isCompleted)
      await until { spooledFiles(holding: mark).isEmpty }
      expect(spooledFiles(holding: mark).isEmpty)
    }
  }

  private func spooledFiles(holding text: String) -> [String] {
    let folder = FileManager.default.temporaryDirectory
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasPrefix("heliograph-") }.map { folder.appendingPathComponent($0).path }
      .filter { (try? String(contentsOfFile: $0, encoding: .utf8)) == text }
  }

  @Test("S1-5", arguments: TransportKind.streaming)
  func aLongStreamIsMadeAsItGoesOut(_ kind: TransportKind) async throws {
    let piece = Data(count: 65_536)
    let pieceCount = 1600
    let most = Peak()
    let server = server
    let stream = BodyStream {
      let madeCount = Guarded(0)
      return {
        let made = madeCount.withLock { count in
          count += 1
          return count
        }
        if made > pieceCount { return .empty }
        // What has been made and has not come yet is in somebody's memory: ours or the kernel's.
        most.see(made * piece.count - (server.log.connections.first?.receivedByteCount ?? 0))
        return .just(piece)
      }
    }
    let recorder = try await outcome(kind, stream, "/count")
    expect(recorder.values.contains(.body(Data("\(pieceCount * piece.count)".utf8))))
    // The kernel alone may hold 32 MiB of the 100: net.ipv4.tcp_rmem.
    expect(most.value < 48 << 20)
  }
}
