import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// Event streams over real connections, with each transport.
@Suite(.serialized) struct EventSocketTests {
  private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
  private let server: LoopbackServer

  init() throws { server = try LoopbackServer() }

  private func client(_ kind: TransportKind) throws -> NetworkClient {
    var configuration = NetworkClient.Configuration.open(try kind.transport())
    configuration.baseURL = server.baseURL
    configuration.idleTimeout = .seconds(3_600)
    return NetworkClient(configuration)
  }

  /// Events without an end, which begin at once.
  private func openStream() {
    server.route("GET", "/events") { _ in .script([.text(Self.head + "\r\nid: 1\ndata: a\n\n"), .hold]) }
  }

  private static let atOnce = EventStreamOptions(reconnectionTime: .zero, backoff: .none)

  /// Cuts each response at a random byte, by an end, a lost connection or a reset one.
  @Test(arguments: TransportKind.present) func noEventIsLostOrDoubledByConnectionsCutAnywhere(_ kind: TransportKind)
    async throws
  {
    let eventCount = 400
    let dice = Guarded(ParameterDice())
    server.route("GET", "/events") { request in
      let first = Int(request.header("Last-Event-ID") ?? "0") ?? -1
      if first == eventCount { return .status(204) }
      let text = (first..<eventCount).map { "id: \($0 + 1)\r\ndata: \($0 + 1)\r\ndata: é€😀\r\n\r\n" }.joined()
      let (count, ending, size) = dice.withLock { ($0.count(500), $0.count(2), 1 + $0.count(40)) }
      let body = Data(text.utf8).prefix(count)
      let pieces = body.parts(of: size).map { LoopbackResponse.Step.bytes($0) }
      // Without a length the end of the connection is that of the body.
      let head = LoopbackResponse.Step.text(
        Self.head + (ending == 0 ? "\r\n" : "Content-Length: \(text.utf8.count)\r\n\r\n"))
      return .script([head] + pieces + [ending == 2 ? .reset : .close])
    }
    let recorder = SignalRecorder(try client(kind).events(request: "/events", options: Self.atOnce))
    await expect(recorder.waitForEnd())
    expect(recorder.isCompleted, "\(String(describing: recorder.failure))")
    expectEqual(recorder.values.map(\.id), (1...eventCount).map { "\($0)" })
    expectEqual(recorder.values.map(\.data), (1...eventCount).map { "\($0)\né€😀" })
    expect(recorder.violations.isEmpty)
    expect(server.log.requests.count > 20)
  }

  /// A gateway may close the connection after half of its page, or send it in another coding than it says.
  @Test(arguments: TransportKind.present) func aStatusWithABrokenBodyCountsAsTheStatus(_ kind: TransportKind)
    async throws
  {
    let answers = ["503 Busy", "400 Bad Request"].map { status in
      LoopbackResponse.script([.text("HTTP/1.1 \(status)\r\nContent-Length: 100\r\n\r\nHalf"), .close])
    }
    server.route("GET", "/events") { _ in answers[min(server.log.requests.count, answers.count) - 1] }
    let recorder = SignalRecorder(try client(kind).events(request: "/events", options: Self.atOnce))
    await expect(recorder.waitForEnd())
    expectEqual(recorder.failure?.statusCode, 400)
    expectEqual(server.log.requests.count, 2)
  }

  @Test(arguments: TransportKind.present) func disposalClosesTheConnectionAtOnce(_ kind: TransportKind) async throws {
    openStream()
    let client = try client(kind)
    await expectInARound {
      let count = server.log.acceptedCount
      let recorder = SignalRecorder(client.events(request: "/events"))
      await expect(recorder.wait { $0.count == 1 })
      let disposedAt = ContinuousClock.now
      recorder.dispose()
      await expect(server.wait { $0.connections.count == count + 1 && $0.openConnectionCount == 0 })
      let connection = server.log.connections[count]
      expectEqual(connection.isClosedByClient, true)
      return connection.closedAt.map { $0 - disposedAt < .milliseconds(200) } ?? false
    }
  }

  @Test(arguments: TransportKind.present) func aCancelledLoopThrows(_ kind: TransportKind) async throws {
    openStream()
    let client = try client(kind)
    let (events, input) = AsyncStream.makeStream(of: String.self)
    let task = Task { () -> NetworkError? in
      do throws(NetworkError) {
        for try await event in client.events(request: "/events").values { input.yield(event.data) }
        return nil
      } catch {
        return error
      }
    }
    for await data in events {
      expectEqual(data, "a")
      break
    }
    task.cancel()
    await expectEqual(task.value?.isCancelled, true)
    await expect(server.wait { $0.acceptedCount == 1 && $0.openConnectionCount == 0 })
  }

  @Test(arguments: TransportKind.present) func anIdleConnectionIsReplaced(_ kind: TransportKind) async throws {
    server.route("GET", "/events") { request in
      let id = (Int(request.header("Last-Event-ID") ?? "0") ?? 0) + 1
      return .script([.text(Self.head + "\r\nid: \(id)\ndata: a\n\n"), .hold])
    }
    let request = Request(.get, "/events", idleTimeout: .milliseconds(200))
    let recorder = SignalRecorder(try client(kind).events(request: request, options: Self.atOnce).take(3))
    await expect(recorder.waitForEnd())
    expectEqual(recorder.values.map(\.id), ["1", "2", "3"])
    expect(recorder.isCompleted)
  }

  @Test(arguments: TransportKind.present) func aLineBreakMayBeCutByThePiecesOfTheNetwork(_ kind: TransportKind)
    async throws
  {
    server.route("GET", "/events") { _ in
      let pieces = ["data: a\r", "\ndata: \u{20AC}", "\r", "\n\r", "\ndata: b\r", "\r"]
      let steps = pieces.flatMap { [LoopbackResponse.Step.delay(.milliseconds(20)), .text($0)] }
      return .script([.text(Self.head + "\r\n")] + steps + [.close])
    }
    let request = Request(.get, "/events")
    let options = EventStreamOptions(reconnectionLimit: 0)
    let recorder = SignalRecorder(try client(kind).events(request: request, options: options))
    await recorder.waitForEnd()
    expectEqual(recorder.values.map(\.data), ["a\n\u{20AC}", "b"])
    expect(recorder.isCompleted)
  }

  /// Two events, each flushed by its compressor.
  @Test(arguments: TransportKind.present) func aCompressedEventArrivesWhenItIsSent(_ kind: TransportKind) async throws {
    let first = try require(Data(base64Encoded: "H4sIAAAAAAACA8pMsVIw5EpJLEm0UkjLLCou4eICAAAA//8="))
    let second = try require(Data(base64Encoded: "ywQKGUGFilOT8/NSuLgAa4R/JScAAAA="))
    let head = Self.head + "Content-Encoding: gzip\r\nContent-Length: \(first.count + second.count)\r\n\r\n"
    server.route("GET", "/events") { request in
      let isFirst = request.header("Last-Event-ID") == nil
      return .script([.text(head), .bytes(first)] + (isFirst ? [.hold] : [.bytes(second)]))
    }
    let client = try client(kind)
    let open = SignalRecorder(client.events(request: "/events"))
    await expect(open.wait { $0.count == 1 })
    expectEqual(open.values.map(\.data), ["first"])
    let options = EventStreamOptions(lastEventID: "0", reconnectionLimit: 0)
    let whole = SignalRecorder(client.events(request: "/events", options: options))
    await whole.waitForEnd()
    expectEqual(whole.values.map(\.data), ["first", "second"])
    expect(whole.isCompleted)
  }
}
