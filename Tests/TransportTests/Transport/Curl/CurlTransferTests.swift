#if HELIOGRAPH_CURL
import Foundation
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

@testable import Heliograph

/// What a transfer lets libcurl send.
@Suite(.enabled(if: CurlTransport.isAvailable)) struct CurlTransferTests {
  private final class Identity: RequestIdentity {
    let (hasAccounts, text) = (true, "")
    private let changed = Guarded<String?>(nil)
    func changedComponent(needsEnvironment: Bool) -> String? { changed.withLock { $0 } }
    func change() { changed.withLock { $0 = "account" } }
  }

  private func exchange(
    of request: HTTPRequest, in loop: CurlLoop
  ) throws -> (CurlExchange, SignalRecorder<TransportEvent, NetworkError>) {
    let exchange = Guarded<CurlExchange?>(nil)
    let recorder = SignalRecorder(
      Signal<TransportEvent, NetworkError> { observer in
        exchange.withLock { $0 = CurlExchange(request, nil, observer, loop) }
        return nil
      })
    return (try require(exchange.withLock { $0 }), recorder)
  }

  private func make(
    _ request: HTTPRequest = .sample()
  ) throws -> (CurlTransfer, SignalRecorder<TransportEvent, NetworkError>) {
    let resolved = try ResolvedSettings(TransportSettings())
    let loop = try CurlLoop(resolved)
    let (exchange, recorder) = try exchange(of: request, in: loop)
    let transfer = CurlTransfer(exchange, try CurlHandle(resolved), loop, index: 0)
    transfer.handle.head.begin(limit: 1000)
    return (transfer, recorder)
  }

  @Test func aRequestWhoseIdentityChangesWhileItConnectsIsNeitherSentNorFailed() throws {
    var request = HTTPRequest.sample()
    let identity = Identity()
    request.binding.identity = identity
    let (transfer, recorder) = try make(request)
    expect(transfer.beginAttempt(on: CurlEndpoints()))
    identity.change()
    expect(!transfer.beginAttempt(on: CurlEndpoints()))
    expectEqual(transfer.attempts.count, 1)
    guard case .drop = transfer.end(with: 42) else { return expect(Bool(false), "a silent end") }
    expect(!recorder.hasEnded)
  }

  /// If the loop's thread could not be created, the thread that fails the exchanges reads their requests, while another
  /// one may have created it and cancel them.
  @Test func theRequestOfAnExchangeThatHasEndedDoesNotChange() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/a") { _ in .text("a") }
    let loop = try CurlLoop(ResolvedSettings(TransportSettings()))
    let body = HTTPBody.data(Data("a".utf8))
    let (ended, _) = try exchange(of: HTTPRequest(method: .post, url: server.url("/a"), body: body), in: loop)
    expect(ended.claimEnd())
    expect(!ended.claimEnd())
    let (next, recorder) = try exchange(of: HTTPRequest(url: server.url("/a")), in: loop)
    loop.submit(.cancel(ended))
    loop.submit(.start(next))
    await recorder.waitForEnd()
    expect(recorder.isCompleted)
    expectEqual(ended.request.body, body)
    loop.submit(.finish)
  }

  @Test func whoLeavesWhileItConnectsIsNotSent() throws {
    let (transfer, recorder) = try make()
    expect(transfer.beginAttempt(on: CurlEndpoints()))
    recorder.dispose()
    expect(!transfer.beginAttempt(on: CurlEndpoints()))
    expectEqual(transfer.attempts.count, 1)
  }

  /// libcurl sends a request over HTTP/1.1 if its stream ends with `HTTP_1_1_REQUIRED`, even after the head.
  @Test func nothingIsSentAfterAHead() throws {
    let (transfer, recorder) = try make()
    transfer.isMultiplexing = true
    expect(transfer.beginAttempt(on: CurlEndpoints()))
    transfer.loop.connections.record(transfer.connection)
    for line in ["HTTP/1.1 200 OK\r\n", "\r\n"] {
      expect(line.utf8CString.withUnsafeBytes { transfer.receive(line: .init(rebasing: $0.dropLast())) })
    }
    expectEqual(recorder.values.count, 1)
    expect(!transfer.beginAttempt(on: CurlEndpoints()))
    guard case .end(let error) = transfer.end(with: 42) else { return expect(false, "an end") }
    expectEqual(error?.reason, "request refused after the beginning of a response")
  }

  /// The rest of a lost attempt's time would be no time without bytes.
  @Test func theIdleTimeoutBeginsWithEachAttempt() throws {
    let (transfer, recorder) = try make()
    for _ in 0..<2 {
      transfer.loop.now += .seconds(30)
      _ = transfer.beginAttempt(on: CurlEndpoints())
      expectEqual(transfer.expiry, transfer.loop.now + transfer.request.idleTimeout)
    }
    expect(!recorder.hasEnded)
  }
}
#endif
