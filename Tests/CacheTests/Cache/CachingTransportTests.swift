import Foundation
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

@testable import Heliograph

/// The cache without a client (S3-10), and the start and the end of a request that it answers (S1-26).
struct CachingTransportTests {
  private struct Pairs: Monitor {
    let counts = CurrentValue([0, 0])

    func observe(_ event: MonitorEvent) {
      switch event {
      case .started: counts.modify { $0[0] += 1 }
      case .ended: counts.modify { $0[1] += 1 }
      default: break
      }
    }
  }

  /// Asks for the app's language, below the cache.
  private struct Translated: Middleware {
    let language: CurrentValue<String>

    func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
      var request = request
      request.headers["Accept-Language"] = language.value
      return next(request)
    }
  }

  @Test("S3-10") func theCacheNeedsNoClient() async throws {
    let stub = StubTransport()
    stub.on(.get, "/a", .text("one", headers: ["Cache-Control": "max-age=60"]))
    let transport = CachingTransport(stub, cache: ResponseCache(), scheduler: .immediate)
    var request = HTTPRequest(url: try require(URL(string: "https://api.example.com/a")))
    request.cachePolicy = .http
    for isStored in [false, true] {
      let recorder = SignalRecorder(transport.send(request))
      await recorder.waitForEnd()
      expect(recorder.isCompleted)
      var (body, source) = (Data(), ResponseSource.network)
      for event in recorder.values {
        switch event {
        case .source(let stated): source = stated
        case .body(let piece): body.append(piece)
        default: break
        }
      }
      expectEqual(String(decoding: body, as: UTF8.self), "one")
      expectEqual((source != .network), isStored)
    }
    expectEqual(stub.requests.count, 1)
  }

  /// A `POST` invalidates the responses to `GET` of its URL, which may share a slot with its own.
  @Test func theResponseToAPOSTIsStoredWhateverItsKey() async throws {
    let stub = StubTransport()
    stub.on(.post, "/a", .text("one"), .text("two"))
    let transport = CachingTransport(stub, cache: ResponseCache(), scheduler: .immediate)
    var request = HTTPRequest(url: try require(URL(string: "https://api.example.com/a")))
    func slot() throws -> UInt64 {
      try require(CacheKey(request)).name.keyHigh % UInt64(Invalidations.slotCount)
    }
    let invalidated = try slot()
    request.method = .post
    request.cachePolicy = .timeToLive(.seconds(60))
    var number = 0
    repeat {
      number += 1
      request.body = .data(Data("\(number)".utf8))
    } while try slot() != invalidated
    for _ in 1...2 {
      let recorder = SignalRecorder(transport.send(request))
      await recorder.waitForEnd()
      let bodies = recorder.values.compactMap { if case .body(let piece) = $0 { piece } else { nil } }
      expectEqual(bodies, [Data("one".utf8)])
    }
    expectEqual(stub.requests.count, 1)
  }

  /// A condition that only the server decides about is not answered by a stale response.
  @Test(arguments: [nil, "If-Match"]) func staleIfErrorKeepsToTheRulesOfReuse(_ condition: String?) async throws {
    let kit = TestKit { $0.cachePolicy = .http }
    kit.stub.on(
      .get, "/a", .text("old", headers: ["ETag": "\"1\"", "Cache-Control": "max-age=1, stale-if-error=3600"]),
      .status(503))
    _ = try await kit.client.value(of: "/a", as: String.self)
    await kit.clock.advance(by: .seconds(10))
    var headers = HTTPHeaders()
    if let condition { headers[condition] = "\"1\"" }
    let recorder = SignalRecorder(
      kit.client.enqueue(request: Request(.get, "/a", headers: headers), resultType: String.self))
    expectEqual(recorder.values.map(\.value), (condition == nil ? ["old"] : []))
    expectEqual(recorder.failure?.statusCode, (condition == nil ? nil : 503))
  }

  @Test func aDependenceOnMiddlewareIsNotForgottenAfterAnError() async throws {
    let language = CurrentValue("de")
    let kit = TestKit {
      $0.cachePolicy = .http
      $0.middleware = [Translated(language: language)]
    }
    kit.stub.on(
      .get, "/a",
      .text(
        "alt",
        headers: ["ETag": "\"1\"", "Vary": "Accept-Language", "Cache-Control": "max-age=1, stale-if-error=3600"]),
      .status(503))
    try await expectEqual(kit.client.value(of: "/a", as: String.self), "alt")
    language.value = "en"
    await kit.clock.advance(by: .seconds(10))
    let recorder = SignalRecorder(kit.client.enqueue(request: "/a", resultType: String.self))
    expect(recorder.values.isEmpty)
    expectEqual(recorder.failure?.statusCode, 503)
  }

  @Test func aHitStartsAndEndsOnce() async throws {
    let pairs = Pairs()
    let kit = TestKit { $0.monitors = [pairs] }
    kit.stub.on(.get, "/a", .text("one"))
    for count in 1...3 {
      _ = try await kit.client.value(of: Request(.get, "/a", cache: .timeToLive(.seconds(60))), as: String.self)
      expectEqual(pairs.counts.value, [count, count])
    }
    expectEqual(kit.stub.requests.count, 1)
  }
}
