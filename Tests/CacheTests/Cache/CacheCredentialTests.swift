import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Responses to credentials that a lookup cannot know, in a client without accounts.
struct CacheCredentialTests {
  private struct Bearer: Middleware {
    let token: CurrentValue<String?>

    func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
      var request = request
      request.headers["Authorization"] = token.value
      return next(request)
    }
  }

  private func cookie(_ value: String, _ storage: HTTPCookieStorage) throws {
    try storage.setCookie(
      require(HTTPCookie(properties: [.domain: "b.example", .path: "/", .name: "sid", .value: value])))
  }

  /// The cookies of the first request are the same for both users: it has none.
  @Test(arguments: [CachePolicy.http, .timeToLive(.seconds(600))])
  func aResponseToCookiesAfterARedirectIsNotStored(_ policy: CachePolicy) async throws {
    let storage = try HTTPCookieStorage.inMemory
    let kit = TestKit { $0.cookies = storage }
    let fields: HTTPHeaders = ["Location": "https://b.example/me", "Cache-Control": "max-age=600"]
    kit.stub.on(.get, "https://a.example/me", .status(302, headers: fields))
    kit.stub.on(.get, "https://b.example/me") {
      .text($0.headers["Cookie"] ?? "nobody", headers: ["Cache-Control": "max-age=600"])
    }
    for user in ["ada", "bob"] {
      try cookie(user, storage)
      let request = Request(.get, "https://a.example/me", cache: policy)
      try await expectEqual(kit.client.value(of: request, as: String.self), "sid=\(user)")
    }
  }

  /// With accounts, too, a lookup does not know the cookies that the last request will have.
  @Test func aVariantByCookiesAfterARedirectIsValidated() async throws {
    let storage = try HTTPCookieStorage.inMemory
    let kit = TestKit {
      $0.cookies = storage
      $0.account = CurrentValue("ann")
    }
    let fields: HTTPHeaders = ["Location": "https://b.example/me", "Cache-Control": "max-age=600"]
    kit.stub.on(.get, "https://a.example/me", .status(302, headers: fields))
    kit.stub.on(.get, "https://b.example/me") {
      .text($0.headers["Cookie"] ?? "none", headers: ["Cache-Control": "max-age=600", "Vary": "Cookie"])
    }
    for color in ["red", "blue"] {
      try cookie(color, storage)
      let request = Request(.get, "https://a.example/me", cache: .http)
      try await expectEqual(kit.client.value(of: request, as: String.self), "sid=\(color)")
    }
  }

  /// A 304, a response to `HEAD` and a range have header fields of their own.
  @Test(arguments: [(HTTPMethod.get, nil as String?), (.head, nil), (.get, "bytes=0-1")])
  func theFieldsOfAResponseToATokenAreNotStored(_ method: HTTPMethod, _ range: String?) async throws {
    let token = CurrentValue<String?>(nil)
    let kit = TestKit { $0.middleware = [Bearer(token: token)] }
    let plain: HTTPHeaders = ["ETag": "\"1\"", "Cache-Control": "max-age=0"]
    kit.stub.on(.get, "/news") { request in
      guard let user = request.headers["Authorization"] else { return .text("news", headers: plain) }
      var own: HTTPHeaders = ["ETag": "\"1\"", "Cache-Control": "max-age=600", "X-Customer": user]
      if request.headers["Range"] == nil { return .status(304, headers: own) }
      own["Content-Range"] = "bytes 0-1/4"
      return StubAnswer([.head(status: 206, headers: own), .body(Data("ne".utf8))])
    }
    kit.stub.on(.head, "/news") { request in
      .status(
        200,
        headers: [
          "ETag": "\"1\"", "Cache-Control": "max-age=600", "Content-Length": "4",
          "X-Customer": request.headers["Authorization"] ?? "nobody",
        ])
    }
    func send(_ method: HTTPMethod, _ headers: HTTPHeaders = [:]) async throws -> String? {
      let request = Request(method, "/news", headers: headers, cache: .http)
      return try await kit.client.send(request, as: Data.self).headers["X-Customer"]
    }
    try await expectNil(send(.get))
    token.value = "ada"
    try await expectEqual(send(method, range.map { ["Range": $0] } ?? [:]), "ada")
    token.value = nil
    try await expectNil(send(.get))
  }
}
