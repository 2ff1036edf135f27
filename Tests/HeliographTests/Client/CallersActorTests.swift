import Foundation
import Heliograph
import HeliographTesting
import Testing

/// Where an async function builds its request: not on the actor of its caller, unless the processing is immediate.
@MainActor
@Suite struct CallersActorTests {
  private let stub = StubTransport()

  /// A request that says where it was made: in the task of its caller or in a block of a queue.
  private struct Located: RequestConvertible {
    let path: RequestPath

    func asRequest() throws(NetworkError) -> Request {
      let place = withUnsafeCurrentTask { $0 == nil ? "queue" : "task" }
      return Request(.get, path, headers: ["Place": place])
    }
  }

  private final class LocatedCall: Call<String> {
    override nonisolated func asRequest() throws(NetworkError) -> Request { try Located(path: "/a").asRequest() }
  }

  private func makeClient(_ configure: (inout NetworkClient.Configuration) -> Void = { _ in }) -> NetworkClient {
    stub.on(.get, "/a", .text("Ada"))
    stub.on(.get, "/list", .json([1]))
    return NetworkClient(baseURL: URL(string: "https://shop.example"), transport: stub, configure)
  }

  private var places: [String] { stub.requests.map { $0.headers["Place"] ?? "none" } }

  @Test func anActorDoesNotBuildRequests() async throws {
    let client = makeClient()
    #expect(try await client.value(of: Located(path: "/a"), as: String.self) == "Ada")
    #expect(try await client.send(Located(path: "/a").returning(String.self)).value == "Ada")
    #expect(try await client.response(for: Located(path: "/a")).statusCode == 200)
    #expect(try await LocatedCall(client: client).send().value == "Ada")
    for try await page in client.pages(request: Located(path: "/list"), as: [Int].self) { #expect(page.value == [1]) }
    #expect(places == Array(repeating: "queue", count: 5))
  }

  @Test func withImmediateProcessingItDoes() async throws {
    let client = makeClient { $0.processing = .immediate }
    #expect(try await client.value(of: Located(path: "/a"), as: String.self) == "Ada")
    #expect(try await LocatedCall(client: client).send().value == "Ada")
    for try await page in client.pages(request: Located(path: "/list"), as: [Int].self) { #expect(page.value == [1]) }
    #expect(places == ["task", "task", "task"])
  }

  @Test func aTaskWithoutAnActorBuildsItsOwn() async throws {
    let client = makeClient()
    let task = Task.detached { try await client.value(of: Located(path: "/a"), as: String.self) }
    #expect(try await task.value == "Ada")
    #expect(places == ["task"])
  }

  @Test func aCancelledTaskBuildsNothing() async throws {
    let client = makeClient()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await client.value(of: Located(path: "/a"), as: String.self)
    }
    await #expect(throws: NetworkError.self) { try await task.value }
    #expect(stub.requests.isEmpty)
  }
}
