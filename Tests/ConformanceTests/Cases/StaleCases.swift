import Heliograph

extension CaseGroup {
  /// Stale responses: `stale-while-revalidate`, `stale-if-error` and lost servers.
  static let staleResponses = CaseGroup("stale responses") {
    Case("a stale response is served while it is revalidated", section: "RFC 5861 §3", requirement: .may) {
      Exchange(answer: revalidating)
      Exchange(after: .seconds(61), background: revalidating, expect: .cached(from: 1), gives: ["Age": "61"])
      Exchange(expect: .cached(from: 2))
    }
    Case("the request in the background is conditional", section: "RFC 5861 §3", requirement: .should) {
      Exchange(answer: revalidating)
      Exchange(
        after: .seconds(61), background: revalidating, expect: .cached(from: 1), sees: ["If-None-Match": #""a""#])
    }
    Case("a 304 in the background refreshes the stored response", section: "RFC 5861 §3", requirement: .should) {
      Exchange(answer: revalidating)
      Exchange(
        after: .seconds(61), background: Answer(304, headers: ["ETag": #""a""#]), expect: .cached(from: 1))
      Exchange(after: .seconds(30), expect: .cached(from: 1), gives: ["Age": "30"])
    }
    Case(
      "the request in the background has the fields of the caller's", section: "RFC 9111 §4.3.1", requirement: .should
    ) {
      Exchange(
        sends: ["Flavour": "lemon"],
        answer: Answer(
          headers: ["Cache-Control": "max-age=60, stale-while-revalidate=600", "Vary": "Flavour", "ETag": #""a""#]))
      Exchange(
        after: .seconds(61), sends: ["Flavour": "lemon"], background: Answer(304, headers: ["ETag": #""a""#]),
        expect: .cached(from: 1), sees: ["Flavour": "lemon"])
    }
    Case(
      "a server error in the background does not replace the stored response", section: "RFC 5861 §3",
      requirement: .should
    ) {
      Exchange(answer: revalidating)
      Exchange(after: .seconds(61), background: Answer(503), expect: .cached(from: 1))
      Exchange(after: .seconds(661), expect: .validated(from: 1), sees: ["If-None-Match": #""a""#])
    }
    Case("a response is not served beyond stale-while-revalidate", section: "RFC 5861 §3", requirement: .should) {
      Exchange(answer: revalidating)
      Exchange(after: .seconds(661), expect: .validated)
    }
    Case("an invalid stale-while-revalidate permits nothing", section: "RFC 9111 §4.2.4", requirement: .should) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60, stale-while-revalidate=soon"]))
      Exchange(after: .seconds(61))
    }
    Case("stale-while-revalidate without a value permits nothing", section: "RFC 9111 §4.2.4", requirement: .should) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60, stale-while-revalidate"]))
      Exchange(after: .seconds(61))
    }
    Case("stale-while-revalidate=0 permits nothing", section: "RFC 5861 §3") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60, stale-while-revalidate=0"]))
      Exchange(after: .seconds(61))
    }
    Case("stale-while-revalidate does not change a fresh response", section: "RFC 5861 §3") {
      Exchange(answer: revalidating)
      Exchange(after: .seconds(59), expect: .cached)
      Exchange(expect: .cached(from: 1))
    }
    Case(
      "a request with no-cache is not answered while revalidating", section: "RFC 9111 §5.2.1.4", requirement: .should
    ) {
      Exchange(answer: revalidating)
      Exchange(after: .seconds(61), sends: ["Cache-Control": "no-cache"], expect: .validated)
    }
    for status in [500, 502, 503, 504] {
      Case("a stale response is served instead of a \(status)", section: "RFC 5861 §4", requirement: .may) {
        Exchange(answer: forgiving)
        Exchange(after: .seconds(120), answer: Answer(status), expect: .fallback, gives: ["Age": "120"])
      }
    }
    Case("a stale response is served instead of a closed connection", section: "RFC 5861 §4", requirement: .may) {
      Exchange(answer: forgiving)
      Exchange(after: .seconds(120), answer: .closed, expect: .fallback, gives: ["Age": "120"])
    }
    Case("a stale response with a validator is served instead of an error", section: "RFC 5861 §4", requirement: .may) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60, stale-if-error=600", "ETag": #""a""#]))
      Exchange(after: .seconds(61), answer: Answer(503), expect: .fallback, sees: ["If-None-Match": #""a""#])
      Exchange(expect: .validated(from: 1))
    }
    for status in [400, 404, 410, 501] {
      Case("stale-if-error does not apply to a \(status)", section: "RFC 5861 §4") {
        Exchange(answer: forgiving)
        Exchange(after: .seconds(61), answer: Answer(status))
      }
    }
    Case("a response is not served beyond stale-if-error", section: "RFC 5861 §4", requirement: .should) {
      Exchange(answer: forgiving)
      Exchange(after: .seconds(661), answer: Answer(503))
    }
    Case("an invalid stale-if-error permits nothing", section: "RFC 9111 §4.2.4", requirement: .should) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60, stale-if-error=soon"]))
      Exchange(after: .seconds(61), answer: Answer(503))
    }
    Case("a request may permit a stale response after an error", section: "RFC 5861 §4", requirement: .may) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60"]))
      Exchange(
        after: .seconds(61), sends: ["Cache-Control": "stale-if-error=600"], answer: Answer(503), expect: .fallback)
    }
    Case("a request's stale-if-error has a limit", section: "RFC 5861 §4", requirement: .should) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60"]))
      Exchange(after: .seconds(661), sends: ["Cache-Control": "stale-if-error=600"], answer: Answer(503))
    }
    Case("the response is asked for again after an error", section: "RFC 5861 §4") {
      Exchange(answer: forgiving)
      Exchange(after: .seconds(61), answer: Answer(503), expect: .fallback)
      Exchange(answer: forgiving)
      Exchange(expect: .cached(from: 3))
    }
    Case("an error that is forgiven is not stored", section: "RFC 5861 §4") {
      Exchange(answer: forgiving)
      Exchange(
        after: .seconds(61), answer: Answer(503, headers: ["Cache-Control": "max-age=3600"]), expect: .fallback)
      Exchange(answer: Answer(body: "new"))
    }
    Case("a stale response is not served without permission", section: "RFC 9111 §4.2.4") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60"]))
      Exchange(after: .seconds(61), answer: Answer(503))
    }
    Case(
      "a stale response is served when the server is lost", section: "RFC 9111 §4.2.4", requirement: .may,
      decision: "only stale-if-error or the policy networkThenCache permits it"
    ) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60"]))
      Exchange(after: .seconds(61), answer: .closed, expect: .fallback)
    }
    Case("a lost server without a stored response is a failure", section: "RFC 9111 §4.2.4") {
      Exchange(answer: .closed, expect: .failure)
    }
    Case("a fresh response is served when the server is lost", section: "RFC 9111 §4.2") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60"]))
      Exchange(path: "/other", answer: .closed, expect: .failure)
      Exchange(expect: .cached)
    }
  }

  private static let revalidating = Answer(
    headers: ["Cache-Control": "max-age=60, stale-while-revalidate=600", "ETag": #""a""#])
  private static let forgiving = Answer(headers: ["Cache-Control": "max-age=60, stale-if-error=600"])
}
