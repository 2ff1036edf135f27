import Foundation
import Heliograph

/// A request and the state of the app at its time: everything that may differ between two requests.
package struct Ask: Sendable {
  package var method = HTTPMethod.get
  package var path = "/a"
  package var service: ServiceID?
  package var headers = HTTPHeaders()
  package var body = RequestBody.empty
  package var redirects: RedirectPolicy?
  package var priority = RequestPriority.normal
  package var version = 0
  /// The header fields and the query that middleware adds.
  package var added = HTTPHeaders()
  package var addedQuery = ""
  package var account: String?
  package var environment = ServiceEnvironment.test
  /// The session in the client's cookie storage.
  package var cookie: String?

  init(_ change: Change = { _ in }) { change(&self) }

  typealias Change = (inout Ask) -> Void
}

/// Two requests that differ in one thing, and whether the second may get the response of the first.
package struct AskedPair: Sendable {
  package let name: String
  package let first: Ask
  package let second: Ask
  package private(set) var isShared = false
  /// Whether the client has accounts.
  package private(set) var hasAccount = false
  /// Whether two requests in flight may share their exchange although the stored response is not for both.
  package private(set) var isJoined = false
  /// The field by which the server says that its response varies.
  package private(set) var varies: String?

  init(_ name: String, _ first: Ask.Change, _ second: Ask.Change = { _ in }) {
    (self.name, self.first, self.second) = (name, Ask(first), Ask(second))
  }

  /// The same pair with other requirements.
  private func with(_ change: (inout AskedPair) -> Void) -> AskedPair {
    var pair = self
    change(&pair)
    return pair
  }

  private var shared: AskedPair { with { $0.isShared = true } }
  private var joined: AskedPair { with { $0.isJoined = true } }
  private var ofAccounts: AskedPair { with { $0.hasAccount = true } }

  /// Whether the client has cookies.
  package var hasCookies: Bool { first.cookie != nil || second.cookie != nil }

  /// Whether the pair can be sent to a server of a test, whose address is not that of the pair.
  package var isForWire: Bool {
    let namesHost = [first, second].contains { $0.path.contains("://") || $0.headers["Host"] == "A.example" }
    return !hasCookies && !namesHost
  }

  package static let all = different + alike

  /// The second request must not get the response of the first.
  private static let different = addresses + methods + bodies + credentials + variants + identities + redirects

  /// Pairs that differ in something with a value: two values, one and none, none and one.
  private static func values(
    _ name: String, _ set: @escaping (inout Ask, String) -> Void, _ base: @escaping Ask.Change = { _ in }
  ) -> [AskedPair] {
    func ask(_ value: String?) -> Ask.Change {
      { ask in
        base(&ask)
        if let value { set(&ask, value) }
      }
    }
    return [
      AskedPair("\(name), alice and bob", ask("alice"), ask("bob")),
      AskedPair("\(name), alice and none", ask("alice"), ask(nil)),
      AskedPair("\(name), none and bob", ask(nil), ask("bob")),
    ]
  }

  private static let addresses: [AskedPair] = {
    let paths = [
      ("/a", "/b"), ("/a", "/A"), ("/a", "/a/"), ("/a", "/a/b"), ("/a", "/"), ("/a", "/a;v=2"), ("/a%2Fb", "/a/b"),
      ("/a?page=1", "/a?page=2"), ("/a?page=1", "/a"), ("/a", "/a?page=1"), ("/a?x=1&y=2", "/a?y=2&x=1"),
      ("/a?x=1", "/a?X=1"), ("/a?x", "/a?x="), ("/a?x=1", "/a?x=1&x=1"), ("/a?x=%20", "/a?x=+"),
      ("/a", "https://b.example/a"), ("/a", "https://a.example:8443/a"), ("https://b.example/a", "/a"),
    ]
    let services: [(ServiceID?, ServiceID?)] = [
      (nil, "shop"), ("shop", nil), ("shop", "signed"), ("signed", "shop"), ("signed", nil),
    ]
    return paths.map { paths in AskedPair("\(paths)", { $0.path = paths.0 }, { $0.path = paths.1 }) }
      + services.map { services in
        AskedPair("services \(services)", { $0.service = services.0 }, { $0.service = services.1 })
      } + values("Host") { $0.headers["Host"] = $1 + ".example" } + [
        AskedPair("port of Host", { $0.headers["Host"] = "b.example:1" }, { $0.headers["Host"] = "b.example:2" }),
        AskedPair("Host of middleware", { $0.added["Host"] = "b.example" }, { $0.added["Host"] = "c.example" })
          .ofAccounts.joined,
        AskedPair("query of middleware", { $0.addedQuery = "user=alice" }, { $0.addedQuery = "user=bob" })
          .ofAccounts.joined,
        AskedPair("query of middleware and none", { $0.addedQuery = "user=alice" }).ofAccounts.joined,
      ]
  }()

  private static let methods: [AskedPair] = {
    let methods: [HTTPMethod] = [.get, .head, .post, .put, .patch, .delete]
    return methods.flatMap { first in
      // A `HEAD` may be answered from the response to a `GET`.
      methods.filter { $0 != first && !(first == .get && $0 == .head) }.map { second in
        AskedPair("\(first) and \(second)", { $0.method = first }, { $0.method = second })
      }
    }
  }()

  private static let bodies: [AskedPair] = {
    let kinds: [(name: String, body: @Sendable (String) -> RequestBody)] = [
      ("JSON", { .json(["q": $0]) }), ("form", { .form(["q": .init($0)]) }),
      ("text", { .data(Data($0.utf8), contentType: "text/plain") }),
      ("parts", { .multipart([.text("q", $0)]) }),
    ]
    let types: [HTTPMethod] = [.get, .post]
    return types.flatMap { method in
      kinds.flatMap { kind in
        values("\(kind.name) of \(method)", { $0.body = kind.body($1) }, { $0.method = method })
      } + [
        AskedPair(
          "media type of \(method)", { ($0.method, $0.body) = (method, .data(Data("1".utf8), contentType: "a/a")) },
          { ($0.method, $0.body) = (method, .data(Data("1".utf8), contentType: "a/b")) }),
        AskedPair(
          "JSON and form of \(method)", { ($0.method, $0.body) = (method, .json(["q": "1"])) },
          { ($0.method, $0.body) = (method, .form(["q": "1"])) }),
      ]
    }
  }()

  private static let credentials: [AskedPair] = {
    let names = [
      "Authorization", "Cookie", "X-Api-Key", "Api-Key", "ApiKey", "X-Goog-Api-Key", "X-Auth-Token", "X-Access-Token",
      "X-Refresh-Token", "X-Id-Token", "X-Session-Token", "X-Session-Id", "X-CSRF-Token", "X-XSRF-Token",
      "X-Amz-Security-Token", "X-Vault-Token", "Private-Token", "Access-Token", "Refresh-Token", "Auth-Token",
    ]
    return names.flatMap { name in
      values(name) { $0.headers[name] = $1 }
        + values("\(name) of a signed request", { $0.headers[name] = $1 }, { $0.service = "signed" })
        // A response that was stored without a token is delivered although middleware would add one now.
        + values("\(name) of middleware") { $0.added[name] = $1 }.prefix(2).map(\.joined)
    } + values("cookies of the client") { $0.cookie = $1 }.prefix(1)
  }()

  private static let variants: [AskedPair] = {
    let names = ["Accept-Language", "Accept", "Accept-Charset", "User-Agent", "Origin", "Prefer", "X-Feature"]
    return names.flatMap { name in
      values("\(name), with Vary") { $0.headers[name] = $1 }.map { $0.with { $0.varies = name } }
    }
  }()

  private static let identities: [AskedPair] =
    (values("account") { $0.account = $1 } + [AskedPair("accounts", { $0.account = "alice" }, { $0.account = "" })])
    .map(\.ofAccounts) + [
      AskedPair("environment", { $0.service = "shop" }, { ($0.service, $0.environment) = ("shop", .release) }),
      AskedPair("version", { $0.version = 1 }, { $0.version = 2 }).joined,
      AskedPair("later version", { _ in }, { $0.version = 1 }).joined,
      AskedPair("earlier version", { $0.version = 1 }).joined,
    ]

  private static let redirects: [AskedPair] = {
    let policies: [(name: String, RedirectPolicy?, RedirectPolicy?)] = [
      ("delivered and followed", .stop, nil), ("followed and delivered", nil, .stop),
      ("stopped by a closure", .decide { _, _ in .stop }, nil),
      ("stopped by a closure later", nil, .decide { _, _ in .stop }),
      ("refused by a closure", nil, .decide { _, _ in .refuse(reason: "no") }),
      ("delivered, then a closure", .stop, .decide { _, next in .follow(next) }),
      ("beyond the limit", nil, .follow(limit: 0)),
    ]
    return policies.map { policy in
      AskedPair(
        "redirect, \(policy.name)", { ($0.path, $0.redirects) = ("/moved", policy.1) },
        { ($0.path, $0.redirects) = ("/moved", policy.2) })
    }
  }()

  /// The second request gets the response of the first, which shows that those above do not for their difference.
  private static let alike = [
    AskedPair("nothing") { _ in }.shared,
    AskedPair("priority") { $0.priority = .high }.shared,
    AskedPair(
      "ignored parameter", { ($0.service, $0.path) = ("shop", "/a?t=1") },
      { ($0.service, $0.path) = ("shop", "/a?t=2") }
    ).shared,
    AskedPair("signature", { $0.service = "signed" }, { $0.service = "signed" }).shared,
    AskedPair("the URL's own Host", { _ in }, { $0.headers["Host"] = "A.example" }).shared,
    AskedPair("case of Host", { $0.headers["Host"] = "B.example" }, { $0.headers["Host"] = "b.example" }).shared,
    AskedPair("request number", { $0.headers["X-Request-Id"] = "1" }, { $0.headers["X-Request-Id"] = "2" }).shared,
    AskedPair("request number of middleware") { $0.added["X-Request-Id"] = "1" }.shared,
    AskedPair(
      "nonce of middleware, ignored", { ($0.service, $0.addedQuery) = ("shop", "t=1") },
      { ($0.service, $0.addedQuery) = ("shop", "t=2") }
    ).shared,
    AskedPair(
      "language, without Vary", { $0.headers["Accept-Language"] = "en" }, { $0.headers["Accept-Language"] = "de" }
    ).shared,
    AskedPair(
      "order of languages, with Vary", { $0.headers["Accept-Language"] = "en, de" },
      { $0.headers["Accept-Language"] = "de,EN" }
    ).with { $0.varies = "Accept-Language" }.shared,
    AskedPair(
      "token of one account", { ($0.account, $0.added["Authorization"]) = ("alice", "Bearer 1") },
      { ($0.account, $0.added["Authorization"]) = ("alice", "Bearer 2") }
    ).ofAccounts.shared,
    AskedPair(
      "redirect, followed within the limit", { $0.path = "/moved" },
      { ($0.path, $0.redirects) = ("/moved", .follow(limit: 1)) }
    ).shared,
    AskedPair("a closure without a redirect") { $0.redirects = .decide { _, _ in .stop } }.shared,
  ]
}
