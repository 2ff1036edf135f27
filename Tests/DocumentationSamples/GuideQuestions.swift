import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// The samples of the article QuestionsAndAnswers.
struct QuestionsSamples {
  @Test func authorities() {
    // sample: questions-authority
    var trust = Trust()
    trust.additionalAuthorities = [URL(fileURLWithPath: "/home/ada/dev-authority.pem")]
    // end sample
    expectEqual(trust.additionalAuthorities.count, 1)
  }

  @Test func completionHandlers() async {
    let kit = TestKit()
    kit.stub.on(.get, "/lamps", .json("[1,2]"))
    let client = kit.client
    let (calls, call) = AsyncStream<String>.makeStream()
    let show: @MainActor @Sendable (String) -> Void = { call.yield($0) }
    // sample: questions-completion
    let handle = client.enqueue(request: "/lamps", resultType: [Int].self)
      .subscribeOnMain(onResult: { response, error in
        if let response { show("\(response.value.count) lamps") }
        if let error { show(error.message) }
      })
    // end sample
    var iterator = calls.makeAsyncIterator()
    await expectEqual(iterator.next(), "2 lamps")
    handle.dispose()
  }

  /// As the article says of a completion without a value.
  @Test func aReplacedSignalPassesNeither() {
    let (kit, lane) = (TestKit(), Lane(.latestWins()))
    kit.stub.on(.get, "/lamps", .never)
    let lamps = lane.enqueue(kit.client.enqueue(request: "/lamps", resultType: [Int].self))
    let calls = CurrentValue<[Bool]>([])
    lamps.subscribe(onResult: { response, error in calls.modify { $0.append(response == nil && error == nil) } })
    let last = SignalRecorder(lamps)
    expectEqual(calls.value, [true])
    last.dispose()
  }

  @Test func images() async throws {
    let kit = TestKit { $0.stages.envelope = .codeMessageData }
    kit.stub.on(.get, "/1.png", .text("png", headers: ["Content-Type": "image/png", "Cache-Control": "max-age=60"]))
    let client = kit.client
    let imageURL = try require(URL(string: "https://api.example.com/1.png"))
    for _ in 1...2 {
      // sample: questions-images
      let thumbnail = Request(
        .get, imageURL, cache: .http, options: .with { ($0.priority, $0.isCoalesced) = (.low, true) })
      let image = try await client.download(request: thumbnail).finished().value().value
      // end sample
      expectEqual(image, Data("png".utf8))
    }
    expectEqual(kit.stub.requests.count, 1)
  }

  @Test func presigned() async throws {
    let kit = TestKit {
      $0.headers["X-Shop"] = "1"
      $0.middleware = [.bearer { "token" }]
    }
    let photo = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).jpg")
    try Data("jpeg".utf8).write(to: photo)
    defer { try? FileManager.default.removeItem(at: photo) }
    let url = try require(URL(string: "https://photos.s3.example/a%2Bb.jpg?X-Amz-Signature=7"))
    kit.stub.on(
      "*", "*", body: { $0 == Data("jpeg".utf8) }, .status(200), .text("<Code>AccessDenied</Code>", status: 403))
    let client = kit.client
    // sample: questions-presigned
    let put = Request(.put, url, body: .file(photo, contentType: "image/jpeg"))
    _ = try await client.upload(put, as: NoContent.self)
    // end sample
    let sent = try require(kit.stub.requests.last)
    expectEqual(sent.url, url)
    expectEqual(sent.headers["Content-Type"], "image/jpeg")
    expectEqual(sent.headers["Authorization"] ?? sent.headers["X-Shop"], nil)
    let error = await #expect(throws: NetworkError.self) { try await client.upload(put, as: NoContent.self) }
    expectEqual(try error?.decode(as: String.self), "<Code>AccessDenied</Code>")
  }

  @Test func graphQL() async throws {
    nonisolated struct User: Codable, Sendable { let name: String }
    let kit = TestKit()
    kit.stub.on(
      .post, "/graphql", body: { String(decoding: $0, as: UTF8.self).contains(#""id":"7""#) },
      .json(#"{"data": {"user": {"name": "Ada"}}}"#),
      .json(#"{"data": {"user": null}, "errors": [{"message": "not found"}]}"#))
    let client = kit.client
    // sample: questions-graphql
    struct GraphQLResult<Value: Decodable & Sendable>: Decodable, Sendable {
      struct Problem: Decodable, Sendable { let message: String }
      let data: Value?
      let errors: [Problem]?
    }
    struct Query: Encodable, Sendable { let query: String, variables: [String: String] }

    let query = Query(query: "query($id: ID!) { user(id: $id) { name } }", variables: ["id": "7"])
    let request = Request(.post, "/graphql", body: .json(query), options: .with { $0.isIdempotent = true })
    let result = try await client.value(of: request, as: GraphQLResult<[String: User?]>.self)  // a failed field is null
    print(result.data?["user"]??.name ?? result.errors?.first?.message ?? "")  // Ada
    // end sample
    expectEqual(result.data?["user"]??.name, "Ada")
    let failed = try await client.value(of: request, as: GraphQLResult<[String: User?]>.self)
    expectEqual(failed.data?["user"]??.name ?? failed.errors?.first?.message, "not found")
    try kit.stub.verify()
  }
}
