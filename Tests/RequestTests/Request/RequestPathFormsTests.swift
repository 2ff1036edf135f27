import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// A literal with an interpolated value is a path that escapes it, in every call that takes one.
struct RequestPathFormsTests {
  private let id = "a/b ?"
  private let escaped = "/u/a%2Fb%20%3F"

  @Test func requestsEscapeWhateverElseTheyState() {
    var assigned = Request(.get, "/")
    assigned.path = "/u/\(id)"
    let requests: [Request] = [
      Request(.get, "/u/\(id)"), Request("GET", "/u/\(id)"), Request(HTTPMethod.get, "/u/\(id)"), assigned,
      Request(.get, "/u/\(id)", service: "s"), Request(.get, "/u/\(id)", headers: ["A": "b"]),
      Request(.get, "/u/\(id)", query: ["q": id]), Request(.post, "/u/\(id)", body: .json([1])),
      Request(.post, "/u/\(id)", idleTimeout: .seconds(1)), .init(.get, "/u/\(id)"),
    ]
    for request in requests { expectEqual(request.path.text, escaped) }
    let read = Request(.get, "/u/\(id)")
    expectEqual(read.path.text, escaped)
    let written = "/u/\(id)"
    expectEqual(Request(.get, RequestPath(written)).path.text, "/u/a/b ?")
  }

  @Test func callsEscape() async throws {
    let kit = TestKit()
    kit.stub.on(.get, "/u/a%2Fb%20%3F", .json("1"))
    let client = kit.client
    _ = try await client.send("/u/\(id)", as: Int.self)
    _ = try await client.value(of: "/u/\(id)", as: Int.self)
    _ = try await client.send("/u/\(id)")
    _ = try await client.value(of: Request(.get, "/u/\(id)").returning(Int.self))
    _ = SignalRecorder(client.exchange(request: "/u/\(id)"))
    _ = SignalRecorder(client.enqueue(request: "/u/\(id)", resultType: Int.self))
    _ = SignalRecorder(client.enqueue(request: Request(.get, "/u/\(id)")) { $0.value.count })
    _ = SignalRecorder(client.exchange(request: Request(.get, "/u/\(id)")))
    _ = SignalRecorder(client.download(request: "/u/\(id)"))
    _ = SignalRecorder(client.upload(request: Request(.get, "/u/\(id)"), resultType: Int.self))
    expectEqual(kit.stub.requests.count, 10)
    for request in kit.stub.requests { expectEqual(request.url.absoluteString, "https://api.example.com\(escaped)") }
    try expectEqual(client.httpRequest(for: "/u/\(id)").url.absoluteString, "https://api.example.com\(escaped)")
  }
}
