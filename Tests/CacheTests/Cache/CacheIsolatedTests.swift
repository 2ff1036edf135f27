import Foundation
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

@testable import Heliograph

// Older compilers have no isolated conformances.
#if compiler(>=6.2)
/// A type that is decoded on the caller's actor decides about stored responses as every other type does.
@MainActor struct CacheIsolatedTests {
  struct Name: @MainActor Decodable, Equatable { let name: String }
  nonisolated struct Item: Codable, Sendable { var id: Int }

  private let request = Request(.get, "/a", cache: .timeToLive(.seconds(60)))
  private let log = MonitorLog()

  private func kit(isImmediate: Bool = true) -> TestKit {
    TestKit {
      $0.monitors = [log]
      if !isImmediate { $0.processing = .global }
    }
  }

  private func code(_ work: () async throws -> Void) async -> NetworkError.Code? {
    do {
      try await work()
      return nil
    } catch {
      return (error as? NetworkError)?.code
    }
  }

  @Test(arguments: [true, false]) func anUnreadableResponseIsNotStored(_ isImmediate: Bool) async throws {
    let kit = kit(isImmediate: isImmediate)
    kit.stub.on(.get, "/a", .text("{}"), .text(#"{"name": "Ada"}"#))
    await expectEqual(code { _ = try await kit.client.send(request, as: Name.self) }, .unexpectedShape)
    let second = try await kit.client.send(request, as: Name.self)
    expectEqual(second.value, Name(name: "Ada"))
    expectEqual(second.source, .network)
    try await expectEqual(kit.client.send(request, as: Name.self).source.isCached, true)
    expectEqual(kit.stub.requests.count, 2)
  }

  @Test(arguments: [true, false]) func aStoredResponseOfAnotherShapeIsRequestedAgain(_ isImmediate: Bool) async throws {
    let kit = kit(isImmediate: isImmediate)
    kit.stub.on(.get, "/a", .json(Item(id: 1)), .text(#"{"name": "Ada"}"#))
    _ = try await kit.client.send(request, as: Item.self)
    let other = try await kit.client.send(request, as: Name.self)
    expectEqual(other.value, Name(name: "Ada"))
    expectEqual(other.source, .network)
    try await expectEqual(kit.client.send(request, as: Name.self).source.isCached, true)
    expectEqual(kit.stub.requests.count, 2)
  }

  @Test func anUploadRequestsItAgain() async throws {
    let kit = kit()
    kit.stub.on(.get, "/a", .json(Item(id: 1)), .text("{}"), .text(#"{"name": "Ada"}"#))
    _ = try await kit.client.upload(request, as: Item.self)
    await expectEqual(code { _ = try await kit.client.upload(request, as: Name.self) }, .unexpectedShape)
    try await expectEqual(kit.client.upload(request, as: Name.self).value, Name(name: "Ada"))
    try await expectEqual(kit.client.upload(request, as: Name.self).source.isCached, true)
    expectEqual(kit.stub.requests.count, 3)
  }

  @Test func anUnreadableResponseDoesNotReplaceAReadableOne() async throws {
    let kit = kit()
    kit.stub.on(.get, "/a", .text(#"{"name": "Ada"}"#), .text("{}"))
    _ = try await kit.client.send(request, as: Name.self)
    let reload = Request(.get, "/a", cache: .reload)
    await expectEqual(code { _ = try await kit.client.send(reload, as: Name.self) }, .unexpectedShape)
    let stored = Request(.get, "/a", cache: .onlyIfCached)
    try await expectEqual(kit.client.value(of: stored, as: Name.self), Name(name: "Ada"))
  }

  @Test func aRefreshInTheBackgroundReplacesTheResponse() async throws {
    let kit = kit()
    let short: HTTPHeaders = ["Cache-Control": "max-age=3, stale-while-revalidate=60"]
    kit.stub.on(
      .get, "/a", .text(#"{"name": "Ada"}"#, headers: short),
      .text(#"{"name": "Bob"}"#, headers: short).delayed(by: .seconds(1)), .text(#"{"name": "Eve"}"#, headers: short))
    let request = Request(.get, "/a", cache: .http)
    for name in ["Ada", "Ada", "Bob", "Eve"] {
      if name == "Eve" { await kit.clock.advance(by: .seconds(70)) }
      try await expectEqual(kit.client.value(of: request, as: Name.self), Name(name: name))
      await kit.clock.advance(by: name == "Bob" ? .zero : .seconds(5))
    }
  }

  @Test func monitorsSeeThatTheBodyCannotBeRead() async {
    let kit = kit()
    kit.stub.on(.get, "/a", .text("{}"))
    _ = await code { _ = try await kit.client.send(request, as: Name.self) }
    expectEqual(log.requests.map { $0.error?.code }, [.unexpectedShape])
  }
}
#endif
