import Heliograph

extension CaseGroup {
  /// Freshness without an explicit expiration time.
  static let heuristics = CaseGroup("heuristics") {
    for status in [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501] {
      Case(
        "a \(status) modified long ago is fresh for a part of that time", section: "RFC 9111 §4.2.2", requirement: .may
      ) {
        Exchange(redirects: .stop, answer: Answer(status, headers: longAgo, body: body(status)))
        Exchange(after: .days(1), redirects: .stop, expect: .cached)
      }
    }
    for status in [201, 202, 302, 303, 307, 400, 401, 403, 406, 409, 429, 500, 502, 503, 504, 299, 499, 599] {
      Case("a \(status) without freshness is not stored", section: "RFC 9111 §3") {
        Exchange(redirects: .stop, answer: Answer(status, headers: longAgo, body: body(status)))
        Exchange(redirects: .stop)
      }
    }
    Case(
      "a heuristic is no more than a fraction of the time since the modification", section: "RFC 9111 §4.2.2",
      requirement: .should
    ) {
      Exchange(answer: Answer(headers: longAgo))
      Exchange(after: .days(30), expect: .validated)
    }
    Case("public makes other statuses storable with a heuristic", section: "RFC 9111 §5.2.2.9", requirement: .may) {
      Exchange(answer: Answer(403, headers: ["Cache-Control": "public", "Last-Modified": "{now-8640000}"]))
      Exchange(after: .days(1), expect: .cached)
    }
    Case(
      "without a modification date there is no heuristic", section: "RFC 9111 §4.2.2", requirement: .should
    ) {
      Exchange(answer: Answer())
      Exchange()
    }
    Case("an entity tag alone gives no freshness", section: "RFC 9111 §4.2.2", requirement: .should) {
      Exchange(answer: Answer(headers: ["ETag": #""a""#]))
      Exchange(expect: .validated)
    }
    Case("max-age=0 is not replaced by a heuristic", section: "RFC 9111 §4.2.2") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=0", "Last-Modified": "{now-8640000}"]))
      Exchange(expect: .validated)
    }
    Case("an Expires in the past is not replaced by a heuristic", section: "RFC 9111 §4.2.2") {
      Exchange(answer: Answer(headers: ["Expires": "{now-60}", "Last-Modified": "{now-8640000}"]))
      Exchange(expect: .validated)
    }
    Case("an invalid max-age is not replaced by a heuristic", section: "RFC 9111 §4.2.1", requirement: .should) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=soon", "Last-Modified": "{now-8640000}"]))
      Exchange(expect: .validated)
    }
    Case("a modification date in the future gives no freshness", section: "RFC 9111 §4.2.2", requirement: .should) {
      Exchange(answer: Answer(headers: ["Last-Modified": "{now+8640000}"]))
      Exchange(after: .seconds(1), expect: .forwarded)
    }
    Case("an invalid modification date gives no freshness", section: "RFC 9111 §4.2.2", requirement: .should) {
      Exchange(answer: Answer(headers: ["Last-Modified": "last year"]))
      Exchange(after: .seconds(1), expect: .forwarded)
    }
    Case("a heuristic applies to a URL with a query", section: "RFC 9111 §4.2.2", requirement: .may) {
      Exchange(path: "?page=2", answer: Answer(headers: longAgo))
      Exchange(path: "?page=2", after: .days(1), expect: .cached)
    }
    Case("the Age of an answer counts against a heuristic", section: "RFC 9111 §4.2.3") {
      Exchange(answer: Answer(headers: ["Last-Modified": "{now-8640000}", "Age": "2592000"]))
      Exchange(expect: .validated)
    }
    Case("a heuristic ends at a fraction of a short time, too", section: "RFC 9111 §4.2.2", requirement: .should) {
      Exchange(answer: Answer(headers: ["Last-Modified": "{now-60}"]))
      Exchange(after: .seconds(60), expect: .validated)
    }
  }

  /// Foundation's session on Linux drops the body of a redirect without a `Location`.
  private static func body(_ status: Int) -> String? { [301, 302, 303, 307, 308].contains(status) ? "" : nil }

  /// Modified 100 days ago.
  private static let longAgo: HTTPHeaders = ["Last-Modified": "{now-8640000}"]
}
