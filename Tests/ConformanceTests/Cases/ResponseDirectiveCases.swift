import Heliograph

extension CaseGroup {
  /// `no-cache`, `must-revalidate`, `immutable` and other directives of responses.
  static let responseDirectives = CaseGroup("response directives") {
    Case("no-cache requires a validation of every reuse", section: "RFC 9111 §5.2.2.4") {
      Exchange(answer: Answer(headers: ["Cache-Control": "no-cache", "ETag": #""a""#]))
      Exchange(expect: .validated, sees: ["If-None-Match": #""a""#])
      Exchange(expect: .validated(from: 1), sees: ["If-None-Match": #""a""#])
    }
    Case("no-cache counts beside max-age", section: "RFC 9111 §5.2.2.4") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600, no-cache", "ETag": #""a""#]))
      Exchange(expect: .validated)
    }
    Case("no-cache counts beside Expires", section: "RFC 9111 §5.2.2.4") {
      Exchange(answer: Answer(headers: ["Cache-Control": "no-cache", "Expires": "{now+3600}", "ETag": #""a""#]))
      Exchange(expect: .validated)
    }
    Case("no-cache on a second line counts", section: "RFC 9111 §4.2.1") {
      Exchange(
        answer: Answer(headers: ["Cache-Control": "max-age=3600", "Cache-Control": "no-cache", "ETag": #""a""#]))
      Exchange(expect: .validated)
    }
    Case("a no-cache response without validators is not reused", section: "RFC 9111 §5.2.2.4") {
      Exchange(answer: Answer(headers: ["Cache-Control": "no-cache, max-age=3600"]))
      Exchange()
    }
    Case("no-cache counts before a heuristic", section: "RFC 9111 §5.2.2.4") {
      Exchange(answer: Answer(headers: ["Cache-Control": "no-cache", "Last-Modified": "{now-8640000}"]))
      Exchange(expect: .validated)
    }
    Case("no-cache is not overridden by max-stale", section: "RFC 9111 §4.2.4") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600, no-cache"]))
      Exchange(sends: ["Cache-Control": "max-stale"])
    }
    Case("no-cache is not overridden by stale-while-revalidate", section: "RFC 9111 §4.2.4") {
      Exchange(
        answer: Answer(
          headers: ["Cache-Control": "max-age=60, no-cache, stale-while-revalidate=3600", "ETag": #""a""#]))
      Exchange(after: .seconds(61), answer: Answer(), expect: .validated)
    }
    Case("no-cache is not overridden by stale-if-error", section: "RFC 9111 §5.2.2.4") {
      Exchange(
        answer: Answer(headers: ["Cache-Control": "max-age=60, no-cache, stale-if-error=3600", "ETag": #""a""#]))
      Exchange(answer: Answer(503), expect: .validated)
    }
    Case("a field named by no-cache is not reused without validation", section: "RFC 9111 §5.2.2.4") {
      Exchange(
        answer: Answer(headers: ["Cache-Control": #"no-cache="X-Secret", max-age=3600"#, "X-Secret": "1"]))
      Exchange(answer: Answer(), expect: .any, gives: ["X-Secret": .absent])
    }
    Case("fields named by no-cache ignore the case of letters", section: "RFC 9111 §5.2.2.4") {
      Exchange(
        answer: Answer(
          headers: ["Cache-Control": #"max-age=3600, no-cache="x-one, X-TWO""#, "X-One": "1", "X-Two": "2"]))
      Exchange(answer: Answer(), expect: .any, gives: ["X-One": .absent, "X-Two": .absent])
    }
    Case("a field named by no-cache without quotation marks is not reused", section: "RFC 9111 §5.2.2.4") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600, no-cache=X-Secret", "X-Secret": "1"]))
      Exchange(answer: Answer(), expect: .any, gives: ["X-Secret": .absent])
    }
    Case(
      "a response whose no-cache names fields is reused without them", section: "RFC 9111 §5.2.2.4", requirement: .may
    ) {
      Exchange(
        answer: Answer(
          headers: ["Cache-Control": #"max-age=3600, no-cache="X-Secret""#, "X-Secret": "1", "X-Open": "2"]))
      Exchange(expect: .cached, gives: ["X-Secret": .absent, "X-Open": "2"])
    }
    Case("a must-revalidate response is reused while it is fresh", section: "RFC 9111 §5.2.2.2") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60, must-revalidate", "ETag": #""a""#]))
      Exchange(after: .seconds(59), expect: .cached)
    }
    Case("a stale must-revalidate response is validated", section: "RFC 9111 §5.2.2.2") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60, must-revalidate", "ETag": #""a""#]))
      Exchange(after: .seconds(61), expect: .validated)
    }
    Case("a stale must-revalidate response is not the answer when the server is lost", section: "RFC 9111 §5.2.2.2") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60, must-revalidate", "ETag": #""a""#]))
      Exchange(after: .seconds(61), answer: .closed, expect: .error)
    }
    Case("must-revalidate is not overridden by max-stale", section: "RFC 9111 §5.2.2.2") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60, must-revalidate"]))
      Exchange(after: .seconds(61), sends: ["Cache-Control": "max-stale=3600"])
    }
    Case("must-revalidate is not overridden by stale-if-error", section: "RFC 9111 §5.2.2.2") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60, must-revalidate, stale-if-error=3600"]))
      Exchange(after: .seconds(61), answer: Answer(503))
    }
    Case("must-revalidate is not overridden by stale-while-revalidate", section: "RFC 9111 §5.2.2.2") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60, must-revalidate, stale-while-revalidate=3600"]))
      Exchange(after: .seconds(61))
    }
    Case("must-revalidate alone gives no freshness", section: "RFC 9111 §5.2.2.2") {
      Exchange(answer: Answer(headers: ["Cache-Control": "must-revalidate", "ETag": #""a""#]))
      Exchange(expect: .validated)
    }
    Case("proxy-revalidate does not apply to a private cache", section: "RFC 9111 §5.2.2.8", requirement: .may) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60, proxy-revalidate"]))
      Exchange(after: .seconds(61), sends: ["Cache-Control": "max-stale"], expect: .cached)
    }
    Case("s-maxage does not forbid a private cache to serve stale", section: "RFC 9111 §5.2.2.10", requirement: .may) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60, s-maxage=60"]))
      Exchange(after: .seconds(61), sends: ["Cache-Control": "max-stale"], expect: .cached)
    }
    Case("an immutable response is reused while it is fresh", section: "RFC 8246 §2") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600, immutable", "ETag": #""a""#]))
      Exchange(after: .seconds(60), expect: .cached)
    }
    Case("a stale immutable response is validated", section: "RFC 8246 §2", requirement: .should) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60, immutable", "ETag": #""a""#]))
      Exchange(after: .seconds(61), expect: .validated)
    }
    Case("immutable gives no freshness", section: "RFC 8246 §2") {
      Exchange(answer: Answer(headers: ["Cache-Control": "immutable", "ETag": #""a""#]))
      Exchange(expect: .validated)
    }
    Case("an argument of immutable is ignored", section: "RFC 8246 §2") {
      Exchange(answer: Answer(headers: ["Cache-Control": #"immutable="no-store", max-age=3600"#]))
      Exchange(expect: .cached)
    }
    Case("a forced reload validates an immutable response", section: "RFC 8246 §3", requirement: .should) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600, immutable", "ETag": #""a""#]))
      Exchange(sends: ["Cache-Control": "no-cache"], expect: .validated)
    }
    Case("immutable is ignored outside of HTTPS", section: "RFC 8246 §3", requirement: .should) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600, immutable", "ETag": #""a""#]))
      Exchange(after: .seconds(1), sends: ["Cache-Control": "max-age=0"], expect: .validated)
    }
    Case("immutable in a request has no effect", section: "RFC 8246 §2") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60"]))
      Exchange(after: .seconds(61), sends: ["Cache-Control": "immutable"])
    }
  }
}
