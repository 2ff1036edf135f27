import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// What is stored of responses that are delivered as received.
struct CacheRawTests {
  private enum Form: CaseIterable {
    case exchange, download

    func send(_ request: Request, _ client: NetworkClient) async throws -> Response<Data> {
      switch self {
      case .exchange: try await client.exchange(request: request).value()
      case .download: try await client.download(request: request).finished().value()
      }
    }
  }

  private let kit = TestKit { $0.stages = Stages(envelope: .codeMessageData) }
  private let stored: HTTPHeaders = ["Cache-Control": "max-age=60"]

  private func text(_ form: Form, _ request: Request) async throws -> String {
    String(decoding: try await form.send(request, kit.client).value, as: UTF8.self)
  }

  @Test("S3-7", arguments: Form.allCases, [CachePolicy.timeToLive(.seconds(60)), .http, .networkThenCache])
  private func anAPIErrorIsNotStored(_ form: Form, _ policy: CachePolicy) async throws {
    let (failure, success) = (#"{"code":7,"msg":"later"}"#, #"{"code":0,"data":[]}"#)
    kit.stub.on(.get, "/a", .json(failure, headers: stored), .json(success, headers: stored), .failure(.lost))
    let request = Request(.get, "/a", cache: policy)
    try await expectEqual(text(form, request), failure)
    try await expectEqual(text(form, request), success)
    try await expectEqual(text(form, request), success)
    try await expectEqual(text(form, Request(.get, "/a", cache: .onlyIfCached)), success)
  }

  /// An image has no envelope, and what a request's own stages say counts.
  @Test("S3-7", arguments: Form.allCases) private func whatHasNoEnvelopeIsStored(_ form: Form) async throws {
    let policy = CachePolicy.timeToLive(.seconds(60))
    kit.stub.on(.get, "/image", .data(Data([0x89, 0x50]), contentType: "image/png"), .status(500))
    kit.stub.on(.get, "/list", .json(#"[{"code":"US","name":"x"}]"#), .status(500))
    kit.stub.on(.get, "/other", .json(#"{"code":7}"#), .status(500))
    var other = Request(.get, "/other", cache: policy)
    other.options.stages = Stages(envelope: .plain)
    for request in [Request(.get, "/image", cache: policy), Request(.get, "/list", cache: policy), other] {
      let first = try await text(form, request)
      try await expectEqual(text(form, request), first)
    }
    expectEqual(kit.stub.requests.count, 3)
  }

  /// HTTP allows to store it, and a stored response is delivered without being judged again.
  @Test("S3-7") func aFailedResponseThatMayBeStoredStays() async throws {
    kit.stub.on(.get, "/a", .json(#"{"code":7}"#, status: 404, headers: stored), .status(500))
    for _ in 0..<3 { try await expectEqual(text(.exchange, Request(.get, "/a", cache: .http)), #"{"code":7}"#) }
    expectEqual(kit.stub.requests.count, 1)
  }

  /// The request that stored it has no envelope.
  @Test("S3-7", arguments: Form.allCases) private func aStoredResponseStays(_ form: Form) async throws {
    kit.stub.on(.get, "/a", .json(#"{"code":7}"#), .status(500))
    var plain = Request(.get, "/a", cache: .timeToLive(.seconds(60)))
    plain.options.stages = Stages(envelope: .plain)
    for request in [plain, Request(.get, "/a", cache: .timeToLive(.seconds(60))), plain] {
      try await expectEqual(text(form, request), #"{"code":7}"#)
    }
    expectEqual(kit.stub.requests.count, 1)
  }

  @Test("S3-7") func theElementsOfAListAreNotItsEnvelope() async throws {
    kit.stub.on(.get, "/list", .json(#"[{"code":"US"}]"#, status: 422))
    let recorder = SignalRecorder(kit.client.download(request: "/list").finished())
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .status(422))
    expectNil(recorder.failure?.serverCode)
  }

  /// A part of a body has no envelope.
  @Test("S3-7") func aRangeIsStored() async throws {
    let headers: HTTPHeaders = ["Cache-Control": "max-age=60", "ETag": "\"1\"", "Content-Range": "bytes 0-9/24"]
    kit.stub.on(.get, "/a", .json(#"{"code":7,"#, status: 206, headers: headers), .status(500))
    let request = Request(.get, "/a", headers: ["Range": "bytes=0-9"], cache: .http)
    for _ in 0..<2 { try await expectEqual(text(.exchange, request), #"{"code":7,"#) }
  }
}

extension NetworkError {
  fileprivate static let lost = NetworkError(.connectionLost, reason: "lost")
}
