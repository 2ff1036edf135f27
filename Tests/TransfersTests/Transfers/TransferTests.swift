import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// How far transfers are, over each transport there is.
struct TransferTests {
  typealias Kind = TransportKind

  let server: LoopbackServer

  init() throws {
    server = try LoopbackServer()
    server.route("POST", "/count") { .json("{\"count\":\($0.body.count)}") }
    server.route("PUT", "/moved") { _ in .redirect(to: "/put", status: 307) }
    server.route("PUT", "/put") { .json("{\"count\":\($0.body.count)}") }
    server.route("GET", "/long") { _ in .data(Data(repeating: 7, count: 500_000)) }
    server.route("GET", "/chunked") { _ in .chunked([Data(repeating: 1, count: 70_000), Data(repeating: 2, count: 5)]) }
    server.route("GET", "/bad") { _ in .json("[]", status: 500) }
  }

  struct Count: Decodable, Sendable, Equatable { let count: Int }

  private func client(_ kind: Kind) throws -> NetworkClient {
    NetworkClient(.init(baseURL: server.baseURL, transport: try kind.transport()))
  }

  private func progress<Value>(
    _ direction: TransferProgress.Direction, _ recorder: SignalRecorder<Transfer<Value>, NetworkError>
  ) -> [TransferProgress] { recorder.progress(direction) }

  /// A request whose transfer reports each piece.
  private func request(_ method: HTTPMethod, _ path: RequestPath, body: RequestBody = .empty) -> Request {
    Request(method, path, body: body, options: .with { $0.progressInterval = .zero })
  }

  private func counts(_ progress: TransferProgress?) -> [Int?] { [progress?.byteCount, progress?.totalByteCount] }

  private func isRising(_ all: [TransferProgress]) -> Bool {
    zip(all, all.dropFirst()).allSatisfy { $0.byteCount <= $1.byteCount && $0 != $1 }
  }

  @Test("S0-21 S4-4", arguments: Kind.present, [1, 1000, 3_000_000])
  func anUploadTellsHowMuchIsSent(_ kind: Kind, _ count: Int) async throws {
    let body = RequestBody.data(Data(repeating: 1, count: count), contentType: "a/b")
    let recorder = SignalRecorder(
      try client(kind).upload(request: request(.post, "/count", body: body), resultType: Count.self))
    await recorder.waitForEnd()
    let sent = progress(.sending, recorder)
    expect(isRising(sent))
    expectEqual(counts(sent.last), [count, count])
    expect(sent.allSatisfy { $0.totalByteCount == count })
    expectEqual(sent.last?.fractionCompleted, 1)
    // URLSession may say so only now and then.
    expect(count < 1_000_000 || kind == .urlSession || sent.count > 2)
    expectEqual(recorder.values.last?.finished?.value, Count(count: count))
    expect(recorder.isCompleted)
  }

  @Test("S0-21", arguments: Kind.present) func aStreamWithoutALengthHasATotalAtItsEnd(_ kind: Kind) async throws {
    let piece = Data(repeating: 3, count: 100_000)
    let stream = BodyStream { BodyStream.pieces(of: [piece, piece, piece]) }
    let recorder = SignalRecorder(
      try client(kind).upload(
        request: request(.post, "/count", body: .stream(stream, contentType: "a/b")), resultType: Count.self))
    await recorder.waitForEnd()
    let sent = progress(.sending, recorder)
    // URLSession may say so only now and then.
    expect(kind == .urlSession || sent.count > 1)
    expect(isRising(sent))
    expectEqual(counts(sent.last), [300_000, 300_000])
    // URLSession sends streams from a file, whose length is known.
    if kind == .curl { expect(sent.dropLast().allSatisfy { $0.totalByteCount == nil && $0.fractionCompleted == nil }) }
    expectEqual(recorder.values.last?.finished?.value.count, 300_000)
  }

  @Test("S0-21", arguments: Kind.present) func aBodyThatIsSentAgainDoesNotGoBack(_ kind: Kind) async throws {
    let body = RequestBody.data(Data(repeating: 1, count: 700_000), contentType: "a/b")
    let recorder = SignalRecorder(
      try client(kind).upload(request: request(.put, "/moved", body: body), resultType: Count.self))
    await recorder.waitForEnd()
    let sent = progress(.sending, recorder)
    expect(isRising(sent))
    expectEqual(sent.last?.byteCount, 700_000)
    expectEqual(recorder.values.last?.finished?.value.count, 700_000)
  }

  @Test("S0-21 S4-4", arguments: Kind.present) func aDownloadTellsHowMuchHasCome(_ kind: Kind) async throws {
    let recorder = SignalRecorder(try client(kind).download(request: request(.get, "/long")))
    await recorder.waitForEnd()
    let received = progress(.receiving, recorder)
    expect(received.count > 1)
    expect(isRising(received))
    expect(received.allSatisfy { $0.totalByteCount == 500_000 })
    expectEqual(received.last?.fractionCompleted, 1)
    expectEqual(recorder.values.last?.finished?.value.count, 500_000)
    expect(progress(.sending, recorder).isEmpty)
  }

  @Test("S0-21", arguments: Kind.present) func anUnknownLengthIsKnownAtTheEnd(_ kind: Kind) async throws {
    let recorder = SignalRecorder(try client(kind).download(request: request(.get, "/chunked")))
    await recorder.waitForEnd()
    let received = progress(.receiving, recorder)
    expect(received.count > 1)
    expect(isRising(received))
    expect(received.dropLast().allSatisfy { $0.totalByteCount == nil && $0.fractionCompleted == nil })
    expectEqual(counts(received.last), [70_005, 70_005])
    expectEqual(recorder.values.last?.finished?.value.count, 70_005)
  }

  @Test(arguments: Kind.present) func aFailureEndsATransferLikeAnyRequest(_ kind: Kind) async throws {
    let recorder = SignalRecorder(
      try client(kind).download(request: request(.get, "/bad")))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.domain, .server)
    expectEqual(recorder.failure?.statusCode, 500)
  }
}
