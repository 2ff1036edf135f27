import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

// sample: requests-region-redirects
struct RegionRedirects: Middleware {
  let origins: Set<Origin>  // to which all fields of the request may be sent
  let sign: @Sendable (inout HTTPRequest) -> Void  // anew: the signature is of the former URL

  func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
    var first = request
    first.redirects = .stop
    return next(first).tryMap { (event) throws(NetworkError) in
      guard case .head(let head) = event, [307, 308].contains(head.statusCode) else { return event }
      throw NetworkError(.status(head.statusCode), response: Response(value: Data(), head: head))
    }.catch { error in
      guard [307, 308].contains(error.statusCode ?? 0), let location = error.response?.headers["Location"],
        let url = WebLink(target: location).url(relativeTo: request.url),
        let origin = Origin(url), origins.contains(origin)
      else { return .fail(error) }
      var second = request
      second.url = url
      sign(&second)
      return next(second)
    }
  }
}
// end sample

/// The samples for clients of object stores, such as S3, of the articles Authentication and RequestsAndBodies.
struct ObjectStoreSamples {
  private let server: LoopbackServer

  init() throws { server = try LoopbackServer() }

  @Test func aResponseIsABody() async throws {
    let film = Data(count: 300_000)
    server.route("*", "/film") { _ in .data(film, contentType: "video/mp4") }
    server.route("PUT", "/film") { _ in .status(204) }
    let (source, target) = (NetworkClient(baseURL: server.baseURL), NetworkClient(baseURL: server.baseURL))
    // sample: requests-copy
    let identity: HTTPHeaders = ["Accept-Encoding": "identity"]
    let head = try await source.send(Request(.head, "/film", headers: identity), as: NoContent.self).headers
    let pieces = source.stream(request: Request(.get, "/film", headers: identity)).values.map { $0.value }
    let content = BodyStream(byteCount: head["Content-Length"].flatMap { Int($0) }, readingOnce: pieces)
    let type = head["Content-Type"] ?? "application/octet-stream"
    _ = try await target.send(Request(.put, "/film", body: .stream(content, contentType: type)), as: NoContent.self)
    // end sample
    let stored = try require(server.log.requests.first { $0.method == "PUT" })
    expectEqual(stored.body, film)
    expectEqual(stored.header("Content-Length"), "300000")
    expectEqual(stored.header("Content-Type"), "video/mp4")
    expectEqual(
      server.log.requests(to: "/film").compactMap { $0.header("Accept-Encoding") }.filter { $0 == "identity" }.count, 2)
  }

  @Test func aRedirectToAnotherRegion() async throws {
    let other = try LoopbackServer()
    other.route("*", "*") { _ in .status(204) }
    let target = other.url("/bucket/a").absoluteString
    server.route("*", "*") { _ in .redirect(to: target, status: 307) }
    let origins = Set([Origin(other.baseURL)].compactMap { $0 })
    let client = NetworkClient(baseURL: server.baseURL) {
      $0.trustedOrigins = origins
      $0.middleware = [RegionRedirects(origins: origins) { $0.headers["Authorization"] = "signed \($0.url.path)" }]
    }
    let put = Request(.put, "/a", headers: ["x-amz-meta-name": "n"], body: .data(Data("x".utf8), contentType: "a/b"))
    try await expectEqual(client.send(put, as: NoContent.self).statusCode, 204)
    let stored = try require(other.log.requests.first)
    expectEqual([stored.header("x-amz-meta-name"), stored.header("Authorization")], ["n", "signed /bucket/a"])
    expectEqual(stored.bodyText, "x")
    // An origin that is not the client's own gets nothing.
    let strict = NetworkClient(baseURL: server.baseURL) { $0.middleware = client.configuration.middleware }
    let error = await #expect(throws: NetworkError.self) { try await strict.send(put, as: NoContent.self) }
    expectEqual(error?.code, .untrustedOrigin)
    let signed = Request(
      .put, RequestPath(server.url("/a").absoluteString), headers: ["Authorization": "signed /a"],
      options: .with { $0.middleware = [RegionRedirects(origins: []) { _ in }] })
    let refusal = await #expect(throws: NetworkError.self) {
      try await NetworkClient(baseURL: nil).send(signed, as: NoContent.self)
    }
    expectEqual(refusal?.code, .status(307))
    expectEqual(other.log.requests.count, 1)
  }

  @Test func aRecoveryCorrectsTheClock() async throws {
    let serverDate: @Sendable () -> Date = { Date() + 7_200 }
    server.route("HEAD", "/") { _ in
      let format = DateFormatter()
      format.locale = Locale(identifier: "en_US_POSIX")
      format.timeZone = TimeZone(identifier: "UTC")
      format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
      return .status(204).header("Date", format.string(from: serverDate()))
    }
    server.route("POST", "/pay") { request in
      let time = Date(timeIntervalSince1970: request.header("X-Timestamp").flatMap { Double($0) } ?? 0)
      let isRecent = abs(time.timeIntervalSince(serverDate())) < 60
      return isRecent ? .json("{}") : .json(#"{"code": "RequestTimeTooSkewed"}"#, status: 403)
    }
    let key = Data("a secret that the server has, too".utf8)
    // sample: authentication-clock
    let offset = CurrentValue<TimeInterval>(0)
    let clock = Recovery(statuses: [], codes: [.api("RequestTimeTooSkewed")]) { client in
      let headers = try await client.exchange(request: Request(.head, "/")).value().headers
      let format = DateFormatter()
      format.locale = Locale(identifier: "en_US_POSIX")
      format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
      if let date = headers["Date"].flatMap({ format.date(from: $0) }) { offset.value = date.timeIntervalSinceNow }
    }
    let signer = HMACSigner(key: key, location: .header, now: { Date() + offset.value })
    // end sample
    var envelope = KeyedEnvelope(code: "code")
    envelope.isCodeOptional = true
    let client = NetworkClient(baseURL: server.baseURL) { [envelope] in
      $0.stages.envelope = envelope
      $0.recoveries = [clock]
    }
    let pay = Request(.post, "/pay", body: .json([7]), options: .with { $0.signer = signer })
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 { group.addTask { _ = try await client.send(pay, as: JSON.self) } }
      try await group.waitForAll()
    }
    expectEqual(server.log.requests.filter { $0.method == "HEAD" }.count, 1)
  }

  private struct TokenSigner: Signer {
    let token: CurrentValue<String?>

    func sign(_ draft: inout RequestDraft) throws(NetworkError) {
      guard let token = token.value else { throw NetworkError(.status(401)) }
      draft.query.append(ParameterPair("signature", token))
    }
  }

  /// What the article says of a signer without credentials, and of presigned URLs.
  @Test func aSignerStartsARecovery() async throws {
    server.route("*", "*") { _ in .status(204) }
    let token = CurrentValue<String?>(nil)
    let client = NetworkClient(baseURL: server.baseURL) { $0.recoveries = [Recovery { _ in token.value = "new" }] }
    let order = Request(.post, "/orders", options: .with { $0.signer = TokenSigner(token: token) })
    _ = try await client.send(order, as: NoContent.self)
    expectEqual(server.log.requests.map(\.target), ["/orders?signature=new"])
    try expectEqual(client.httpRequest(for: order).url, server.url("/orders?signature=new"))
    expectEqual(server.log.requests.count, 1)
  }
}
