import Foundation
import HeliographTestSupport
import Signals
import TestSupport
import Testing

@testable import Heliograph

/// The transitions of the cache's decisions, without a cache and an exchange.
struct CachePlanTests {
  private let url: URL
  private let outage = NetworkError(.connectionLost)
  private let piece = CachePlan.Input.body(byteCount: 1)
  private let fresh: HTTPHeaders = ["Cache-Control": "max-age=60", "ETag": "\"1\""]
  private let tolerant: HTTPHeaders = ["Cache-Control": "max-age=60, stale-if-error=1000", "ETag": "\"1\""]

  init() throws {
    url = try require(URL(string: "https://a.example/list"))
  }

  private func plan(_ policy: CachePolicy, _ headers: HTTPHeaders = [:], _ method: HTTPMethod = .get) -> CachePlan {
    var request = HTTPRequest(method: method, url: url, headers: headers)
    request.cachePolicy = policy
    return CachePlan(request)
  }

  /// A stored response of some age, with the text "old".
  private func found(
    _ headers: HTTPHeaders, age: Double = 0, _ change: (inout StoredResponse) -> Void = { _ in }
  ) -> CachePlan.Input {
    var response = StoredResponse(key: "", url: url, head: CachedHead(headers), version: 0, isHTTP: true)
    response.head.headers["Date"] = date(0)
    change(&response)
    let name = EntryName.number(1)
    let found = FoundResponse(name: name, response: response, body: .data(Data("old".utf8)))
    return .found(found, credentials: "", at: stored + age)
  }

  private func head(
    _ status: Int = 200, _ headers: HTTPHeaders = [:], at url: URL? = nil,
    _ change: (inout CachePlan.Receipt) -> Void = { _ in }
  ) -> CachePlan.Input {
    var receipt = CachePlan.Receipt(start: (0, stored + 100), receivedAt: stored + 101)
    change(&receipt)
    return .head(HTTPResponse(statusCode: status, headers: headers, url: url ?? self.url), receipt)
  }

  /// Returns the actions, as text, with which a plan meets inputs; the events are those of its exchange in flight.
  private func actions(_ plan: inout CachePlan, _ inputs: [CachePlan.Input]) -> [String] {
    inputs.map { input in
      if case .found = input { return text(plan.react(to: input)) }
      if case .missing = input { return text(plan.react(to: input)) }
      return text(plan.react(to: input, of: plan.number))
    }
  }

  private func actions(_ policy: CachePolicy, _ inputs: CachePlan.Input..., fields: HTTPHeaders = [:]) -> [String] {
    var plan = plan(policy, fields)
    return actions(&plan, inputs)
  }

  private func text(_ action: CachePlan.Action) -> String {
    switch action {
    case .ignore: return "ignore"
    case .deliver(let recording): return recording == nil ? "deliver" : "record"
    case .serve(let delivery):
      let source = if case .cache(let age) = delivery.source { "\(age.components.seconds)" } else { "confirmed" }
      return "serve \(source)\(delivery.metrics == nil ? "" : " metrics")\(delivery.needsRefresh ? " refresh" : "")"
    case .send(let fields, let reason, let number):
      let added = (fields ?? [:]).map { " \($0.name)=\($0.value)" }.joined()
      return "send \(number)\(added)\(reason.map { ": \($0)" } ?? "")"
    case .refuse(let reason): return "refuse: \(reason)"
    case .fail(let reason): return "fail: \(reason)"
    case .failIncomplete: return "fail: incomplete"
    case .update(_, let head, _): return "update by \(head.statusCode)"
    case .begin(let head, let beginning, let storage):
      let text = beginning.map { " " + String(decoding: $0, as: UTF8.self) } ?? ""
      return "begin \(head.statusCode)\(text), \(self.text(storage))"
    }
  }

  private func text(_ storage: CachePlan.Storage) -> String {
    switch storage {
    case .drop(let problem, let name): "\(problem ?? "drop")\(name == nil ? "" : ", remove")"
    case .update: "update"
    case .record(let draft):
      "record\(draft.response.range.map { " " + $0.text } ?? "")\(draft.byteCount.map { " \($0)" } ?? "")"
        + (draft.earlier == nil ? "" : ", join")
    }
  }

  @Test func aStoredResponseIsServedAsThePolicySays() {
    let week = CachePolicy.timeToLive(.seconds(604_800))
    expectEqual(actions(week, found([:], age: 604_799)), ["serve 604799"])
    expectEqual(actions(week, found([:], age: 604_800)), ["send 1: expired"])
    expectEqual(actions(week, found([:], age: -1)), ["send 1: expired"])
    expectEqual(actions(.onlyIfCached, found([:], age: 1_000)), ["serve 1000"])
    expectEqual(actions(.networkThenCache, found(fresh)), ["send 1 If-None-Match=\"1\": network requested"])
    expectEqual(actions(.reload, found(fresh)), ["send 1: network requested"])
    expectEqual(actions(.http, found(fresh, age: 59)), ["serve 59"])
    expectEqual(actions(.http, found(fresh, age: 60)), ["send 1 If-None-Match=\"1\": expired"])
    expectEqual(actions(.http, found(fresh), fields: ["If-Match": "\"1\""]), ["send 1: needs validation"])
    expectEqual(actions(.http, found(["Cache-Control": "no-cache"], age: 1)), ["send 1: needs validation"])
    expectEqual(actions(.http, found(fresh), fields: ["Cache-Control": "no-store"]), ["send 1: network requested"])
    // The network part of a policy reports no miss.
    expectEqual(actions(CachePolicy(.revalidate), found(fresh)), ["send 1 If-None-Match=\"1\""])
    let lenient = "max-age=60, stale-while-revalidate=60"
    expectEqual(actions(.http, found(["Cache-Control": lenient], age: 61)), ["serve 61 refresh"])
  }

  @Test func aStoredResponseOfAnotherRequestIsNotServed() {
    let policy = CachePolicy.timeToLive(.seconds(60))
    expectEqual(actions(policy, found(fresh) { $0.version = 1 }), ["send 1: version 1 ≠ 0"])
    expectEqual(
      actions(policy, found(fresh) { $0.credentials = "other" }), ["send 1: other account or environment"])
    expectEqual(actions(policy, found(fresh) { $0.head.statusCode = 404 }), ["send 1: nothing stored"])
    expectEqual(actions(.http, found(fresh) { $0.head.statusCode = 404 }), ["serve 0"])
    expectEqual(actions(.http, found(fresh) { $0.isHTTP = false }), ["send 1: nothing stored"])
  }

  @Test func withoutAStoredResponseTheRequestIsSentOrRefused() {
    expectEqual(actions(.http, .missing(.evicted)), ["send 1: evicted"])
    expectEqual(actions(.reload, .missing(.evicted)), ["send 1: network requested"])
    expectEqual(actions(.onlyIfCached, .missing(.absent)), ["fail: nothing stored"])
    let alone: HTTPHeaders = ["Cache-Control": "only-if-cached"]
    expectEqual(actions(.http, .missing(.absent), fields: alone), ["refuse: nothing stored"])
    expectEqual(actions(.http, found(fresh, age: 61), fields: alone), ["refuse: expired"])
    // An attempt after a failed one, such as after that refusal.
    expectEqual(actions(CachePolicy(.revalidate), found(fresh), fields: alone), ["refuse: network requested"])
    let served = actions(.http, found(["Cache-Control": "max-age=1, stale-while-revalidate=60"], age: 9), fields: alone)
    expectEqual(served, ["serve 9"])
  }

  /// A response to HEAD has the length of the whole.
  @Test(arguments: [("10", ", update"), ("11", "drop, remove")])
  func aHeadOfAWholeUpdatesItsPart(_ length: String, _ expected: String) {
    var plan = plan(.http, [:], .head)
    let part = found(["Cache-Control": "max-age=60", "ETag": "\"1\"", "Content-Length": "3"]) {
      $0.range = ContentRange(first: 0, last: 2, length: 10)
    }
    let result = actions(&plan, [part, head(200, ["Content-Length": length, "ETag": "\"1\""])])
    expectEqual(result.last?.hasSuffix(expected), true, "\(result)")
  }

  /// RFC 9111 §5.2.1.5: nothing is read for it, in no attempt.
  @Test func aRequestThatForbidsStorageReadsNothing() {
    let fields: HTTPHeaders = ["Cache-Control": "no-store"]
    for policy in [CachePolicy.http, CachePolicy(.revalidate)] {
      for part in [false, true] {
        let stored = found(fresh) { if part { $0.range = ContentRange(first: 0, last: 2, length: 10) } }
        let reason = policy.mode == .http ? ": network requested" : ""
        expectEqual(actions(policy, stored, fields: fields), ["send 1" + reason], "\(policy) \(part)")
      }
    }
  }

  @Test func a304ServesTheStoredResponseAtItsEnd() {
    let found = found(fresh, age: 61)
    expectEqual(
      actions(
        .http, found, .progress, head(304, fresh), piece, .metrics(Metrics(endedAt: .zero)),
        .completed),
      ["send 1 If-None-Match=\"1\": expired", "deliver", "ignore", "ignore", "ignore", "serve confirmed metrics"])
    // It is cut off.
    expectEqual(actions(.http, found, head(304, fresh), .failed(outage, at: stored)).last, "deliver")
  }

  @Test func a304AboutAnotherResponseRestarts() throws {
    let found = found(fresh, age: 61)
    let other = try require(URL(string: "https://a.example/other"))
    for confirmation in [head(304, ["ETag": "\"2\""]), head(304, fresh, at: other)] {
      expectEqual(
        actions(.http, found, confirmation, head(200, fresh), .completed),
        ["send 1 If-None-Match=\"1\": expired", "send 2: needs validation", "begin 200, record", "deliver"])
    }
  }

  /// A failure is answered by the stored response until the head is delivered.
  @Test func aFailureIsAnsweredByTheStoredResponse() {
    let found = found(tolerant, age: 61)
    for failure in [head(503), .failed(outage, at: stored + 101)] {
      expectEqual(actions(.http, found, failure).last, "serve 101")
      expect(actions(.http, found, failure, fields: ["If-Match": "\"1\""]).last != "serve 101")
      expect(actions(.http, self.found(fresh, age: 61), failure).last != "serve 101")
      expectEqual(actions(.http, found, head(200), failure).last?.hasPrefix("serve"), false)
    }
    expectEqual(actions(.http, found, head(304, tolerant), .failed(outage, at: stored + 101)).last, "serve 101")
    expectEqual(actions(.http, found, .failed(outage, at: stored, isOutdated: true)).last, "deliver")
    expectEqual(actions(.http, found, .failed(NetworkError(.cancelled), at: stored)).last, "deliver")
  }

  @Test func aStoredBeginningIsCompleted() throws {
    let beginning = found(fresh) { $0.range = ContentRange(first: 0, last: 2, length: 5) }
    let sent = "send 1 Range=bytes=3- If-Range=\"1\": nothing stored"
    var rest = fresh
    rest["Content-Range"] = "bytes 3-4/5"
    let begun = [sent, "begin 200 old, record 5", "deliver"]
    expectEqual(actions(.http, beginning, head(206, rest), piece, .completed), begun + ["fail: incomplete"])
    expectEqual(actions(.http, beginning, head(206, rest), piece, piece, .completed), begun + ["deliver", "deliver"])
    expectEqual(actions(.http, beginning, head(200, fresh)), [sent, "begin 200, record"])
    // Redirects have led to another resource.
    let other = try require(URL(string: "https://a.example/other"))
    expectEqual(actions(.http, beginning, head(206, rest, at: other)), [sent, "send 2: expired"])
    rest["ETag"] = "\"2\""
    expectEqual(actions(.http, beginning, head(206, rest)), [sent, "send 2: expired"])
    // The request without a range would get the same, and may have to wait.
    for status in [304, 412, 416] { expectEqual(actions(.http, beginning, head(status)), [sent, "send 2: expired"]) }
    for status in [401, 403, 404, 410, 429, 503] {
      let result = actions(.http, beginning, head(status))
      expectEqual(result.first, sent)
      expectEqual(result.last?.hasPrefix("begin \(status), "), true, "\(result)")
      expectEqual(result.last?.hasSuffix(", remove"), [404, 410].contains(status), "\(result)")
    }
    let coded: HTTPHeaders = ["Content-Encoding": "gzip"]
    expectEqual(actions(.http, beginning, head(404, coded)), [sent, "send 2: expired"])
    // The range may have caused the failure of the first attempt.
    var request = HTTPRequest(url: url)
    request.cachePolicy = CachePolicy(.revalidate)
    request.context.attempt = 2
    var retried = CachePlan(request)
    expectEqual(actions(&retried, [beginning]), ["send 1"])
  }

  @Test func aPartIsJoinedWithAPartOfTheSameURL() throws {
    let beginning = found(fresh) { $0.range = ContentRange(first: 0, last: 2, length: 5) }
    let other = try require(URL(string: "https://a.example/other"))
    var rest = fresh
    rest["Content-Range"] = "bytes 3-4/5"
    for (url, expected) in [(url, "begin 206, record bytes 3-4/5 2, join"), (other, "begin 206, record bytes 3-4/5 2")]
    {
      expectEqual(
        actions(.http, beginning, head(206, rest, at: url), fields: ["Range": "bytes=3-4"]).last, expected)
    }
  }

  /// Its entity tag is confirmed, and the length, unless it is unknown; but the update of a long body copies it.
  @Test(arguments: [
    ("bytes 0-1/3", "", "max-age=60", "update"), ("bytes 0-1/*", "", "max-age=60", "drop"),
    (nil, "", "max-age=60", "drop"), ("bytes 0-1/4", "", "max-age=60", "record bytes 0-1/4 2, join"),
    ("bytes 0-1/3", "", "no-cache", "drop"), ("bytes 0-1/3", "", "max-age=0", "drop"),
    ("bytes 0-1/3", "", "no-store", "update"), ("bytes 0-1/3", "max-age=600", "no-cache", "update"),
  ]) func aPartUpdatesTheStoredWhole(_ range: String?, _ stored: String, _ control: String, _ storage: String) {
    var part: HTTPHeaders = ["Cache-Control": control, "ETag": "\"1\""]
    part["Content-Range"] = range
    let found = found(["Cache-Control": stored, "ETag": "\"1\""], age: 61)
    let fields: HTTPHeaders = ["Range": "bytes=0-1", "Cache-Control": "no-cache"]
    expectEqual(actions(.http, found, head(206, part), fields: fields).last, "begin 206, \(storage)")
  }

  @Test func aResponseIsStoredIfItMayBe() {
    func storage(_ policy: CachePolicy, _ input: CachePlan.Input, found: CachePlan.Input? = nil) -> String? {
      actions(policy, found ?? .missing(.absent), input).last
    }
    expectEqual(storage(.http, head(200, fresh)), "begin 200, record")
    expectEqual(storage(.http, head(200, ["Cache-Control": "no-store"])), "begin 200, the response has no-store")
    expectEqual(
      storage(.http, head(200, ["Cache-Control": "no-store"]), found: found(fresh, age: 61)),
      "begin 200, the response has no-store, remove")
    expectEqual(storage(.reload, head(200, ["Cache-Control": "no-store"])), "begin 200, record")
    expectEqual(storage(.reload, head(404)), "begin 404, HTTP status 404")
    let hop = HTTPResponse(statusCode: 302, url: url)
    let redirected = head(200, fresh) { $0.redirects = [hop] }
    expectEqual(storage(.http, redirected), "begin 200, uncacheable redirect in its redirect chain")
    var part = fresh
    part["Content-Range"] = "bytes 1-2/5"
    expectEqual(storage(.http, head(206, part)), "begin 206, record bytes 1-2/5 2")
  }

  /// A request with its own `Accept-Encoding`, or one that middleware has given one, gets the body as sent.
  @Test func aCodedBodyIsStoredAndServedDecoded() {
    var coded = fresh
    coded["Content-Encoding"] = "gzip"
    let own: HTTPHeaders = ["Accept-Encoding": "gzip"]
    let refusal = "begin 200, partial content of an encoded body, or a body that was not decoded"
    let middleware = head(200, coded) { [url] in
      $0.sent = HTTPRequest(url: url, headers: own)
    }
    for policy in [CachePolicy.http, .timeToLive(.seconds(60))] {
      expectEqual(actions(policy, found(coded)), ["serve 0"])
      expectEqual(actions(policy, found(coded), head(200, coded), fields: own), ["send 1: nothing stored", refusal])
      expectEqual(actions(policy, .missing(.absent), head(200, coded)).last, "begin 200, record")
      expectEqual(actions(policy, .missing(.absent), middleware).last, refusal)
    }
    expectEqual(actions(.onlyIfCached, found(coded), fields: own), ["fail: nothing stored"])
  }

  @Test func aHeadUpdatesTheStoredResponse() {
    for (tag, expected) in [("\"1\"", "begin 200, update"), ("\"2\"", "begin 200, drop, remove")] {
      var plan = plan(.http, ["Cache-Control": "no-cache"], .head)
      expectEqual(actions(&plan, [found(fresh), head(200, ["ETag": tag])]).last, expected)
    }
    // The 304 to the caller's own condition is delivered.
    let headers: HTTPHeaders = ["If-None-Match": "\"1\""]
    expectEqual(
      actions(.http, found(fresh, age: 61), head(304, fresh), fields: headers),
      ["send 1: expired", "begin 304, update"])
  }

  /// The stored response is that of the URL to which redirects led.
  @Test func aHeadIsComparedWithTheURLOfTheStoredResponse() throws {
    let end = try require(URL(string: "https://a.example/end"))
    let redirected = found(fresh, age: 61) { ($0.url, $0.redirectCount) = (end, 1) }
    for (method, status, url, expected) in [
      (HTTPMethod.head, 200, url, "begin 200, drop, remove"), (.head, 200, end, "begin 200, update"),
      (.head, 503, url, "begin 503, drop"), (.get, 304, url, "begin 304, drop"), (.get, 304, end, "begin 304, update"),
    ] {
      var plan = plan(.http, ["If-None-Match": "\"1\""], method)
      expectEqual(actions(&plan, [redirected, head(status, fresh, at: url)]).last, expected)
    }
  }

  /// The caller may have another response than the stored one.
  @Test(arguments: [HTTPMethod.get, .head]) func a304WithoutAValidatorUpdatesNoResponseWithOne(_ method: HTTPMethod) {
    let bare: HTTPHeaders = ["Cache-Control": "max-age=60"]
    var dated = bare
    dated["Last-Modified"] = date(-100)
    for (stored, confirmation, expected) in [
      (dated, bare, "drop"), (fresh, bare, "drop"), (dated, dated, "update"), (bare, bare, "update"),
    ] {
      var plan = plan(.http, ["If-Modified-Since": date(50)], method)
      expectEqual(
        actions(&plan, [found(stored, age: 61), head(304, confirmation)]),
        ["send 1: expired", "begin 304, \(expected)"])
    }
  }

  @Test func theBodyIsRecordedUntilTheEnd() throws {
    var plan = plan(.http)
    guard case .send = plan.react(to: .missing(.absent)),
      case .begin(_, _, .record(let draft)) = plan.react(to: head(200, fresh), of: 1)
    else { return expect(Bool(false)) }
    let key = try require(CacheKey(plan.request))
    plan.recording = Recording(
      draft, at: StorageLocation(key: key, primary: key), in: ResponseCache(), SharedStorage(), of: plan.request,
      nil)
    let inputs: [CachePlan.Input] = [piece, .metrics(Metrics(endedAt: .zero)), piece, .completed, piece]
    expectEqual(actions(&plan, inputs), ["record", "deliver", "record", "record", "deliver"])
  }

  @Test func nothingHappensForAnEarlierExchange() {
    var plan = plan(.http)
    expectEqual(actions(&plan, [found(fresh, age: 61), head(304)]).count, 2)
    expectEqual(actions(&plan, [.missing(.corrupt)]), ["send 2: corrupt"])
    for input in [head(), piece, .completed, .failed(outage, at: stored)] {
      expectEqual(text(plan.react(to: input, of: 1)), "ignore")
    }
    expectEqual(actions(&plan, [piece]), ["deliver"])
  }
}
