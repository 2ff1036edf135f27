import Heliograph

extension CaseGroup {
  /// HEAD.
  static let head = CaseGroup("HEAD") {
    Case("HEAD is answered by the stored response to GET", section: "RFC 9110 §9.3.2", requirement: .may) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "X-Count": "1"], body: "0123456789"))
      Exchange(.head, expect: .cached, gives: ["X-Count": "1", "Content-Length": "10"])
    }
    Case("HEAD is not answered by a stale response to GET", section: "RFC 9111 §4") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60"]))
      Exchange(.head, after: .seconds(61), expect: .forwarded)
    }
    Case("GET is not answered by the response to HEAD", section: "RFC 9111 §4") {
      Exchange(.head, answer: Answer(headers: ["Cache-Control": "max-age=3600"], body: "0123456789"))
      Exchange(answer: Answer(body: "0123456789"), expect: .forwarded)
    }
    Case(
      "HEAD is answered by the stored response to HEAD", section: "RFC 9110 §9.3.2", requirement: .may,
      decision: "only responses to GET are stored"
    ) {
      Exchange(.head, answer: Answer(headers: ["Cache-Control": "max-age=3600"]))
      Exchange(.head, expect: .cached)
    }
    Case("HEAD does not empty the stored response to GET", section: "RFC 9111 §4.3.5") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "ETag": #""a""#], body: "0123456789"))
      Exchange(
        .head, sends: noCache,
        answer: Answer(headers: ["Cache-Control": "max-age=3600", "ETag": #""a""#], body: "0123456789"),
        expect: .forwarded)
      Exchange(expect: .any, body: "0123456789")
    }
    Case("a matching HEAD prolongs the freshness of GET", section: "RFC 9111 §4.3.5", requirement: .should) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60", "ETag": #""a""#], body: "0123456789"))
      Exchange(
        .head, after: .seconds(61),
        answer: Answer(headers: ["Cache-Control": "max-age=60", "ETag": #""a""#], body: "0123456789"),
        expect: .forwarded)
      Exchange(after: .seconds(59), expect: .any, body: "0123456789", gives: ["Age": "59"])
    }
    Case("a matching HEAD updates the fields of GET", section: "RFC 9111 §4.3.5", requirement: .should) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "ETag": #""a""#, "X-Count": "1"], body: "a"))
      Exchange(
        .head, sends: noCache,
        answer: Answer(headers: ["Cache-Control": "max-age=3600", "ETag": #""a""#, "X-Count": "2"], body: "a"),
        expect: .forwarded)
      Exchange(expect: .any, body: "a", gives: ["X-Count": "2"])
    }
    Case("a HEAD with another entity tag makes GET stale", section: "RFC 9111 §4.3.5", requirement: .should) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "ETag": #""a""#], body: "a"))
      Exchange(
        .head, sends: noCache, answer: Answer(headers: ["Cache-Control": "max-age=3600", "ETag": #""b""#], body: "b"),
        expect: .forwarded)
      Exchange(answer: Answer(body: "b"), expect: .forwarded)
    }
    Case("a HEAD with another modification date makes GET stale", section: "RFC 9111 §4.3.5", requirement: .should) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "Last-Modified": "{start-60}"], body: "a"))
      Exchange(
        .head, sends: noCache,
        answer: Answer(headers: ["Cache-Control": "max-age=3600", "Last-Modified": "{start}"], body: "b"),
        expect: .forwarded)
      Exchange(answer: Answer(body: "b"), expect: .forwarded)
    }
    Case("a HEAD with another length makes GET stale", section: "RFC 9111 §4.3.5", requirement: .should) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600"], body: "0123456789"))
      Exchange(
        .head, sends: noCache, answer: Answer(headers: ["Cache-Control": "max-age=3600"], body: "01234"),
        expect: .forwarded)
      Exchange(answer: Answer(body: "01234"), expect: .forwarded)
    }
    Case("a HEAD that fails does not make GET stale", section: "RFC 9111 §4.3.5", requirement: .should) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "ETag": #""a""#]))
      Exchange(.head, sends: noCache, answer: Answer(503), expect: .forwarded)
      Exchange(expect: .cached(from: 1))
    }
    Case("a HEAD for another variant does not make GET stale", section: "RFC 9111 §4.3.5") {
      Exchange(
        sends: ["Flavour": "lemon"],
        answer: Answer(headers: ["Cache-Control": "max-age=3600", "Vary": "Flavour", "ETag": #""a""#]))
      Exchange(
        .head, sends: ["Flavour": "vanilla"],
        answer: Answer(headers: ["Cache-Control": "max-age=3600", "Vary": "Flavour", "ETag": #""b""#]),
        expect: .forwarded)
      Exchange(sends: ["Flavour": "lemon"], expect: .cached(from: 1))
    }
    Case("a redirected HEAD does not update GET", section: "RFC 9111 §4.3.5") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "X-Count": "1"], body: "a"))
      Exchange(
        .head, sends: noCache, answer: Answer(302, headers: ["Location": "{path}/b"], body: ""),
        hops: ["/b": Answer(headers: ["Cache-Control": "max-age=3600", "X-Count": "2", "Content-Length": "1"])])
      Exchange(answer: Answer(headers: ["X-Count": "1"]), expect: .any, gives: ["X-Count": "1"])
    }
    Case("a HEAD that is not redirected does not update the end of a redirect", section: "RFC 9111 §4.3.5") {
      Exchange(answer: redirect, hops: ["/b": Answer(headers: fresh, body: "b")], body: "b")
      Exchange(.head, sends: noCache, answer: Answer(headers: fresh, body: "a"), expect: .forwarded)
      Exchange(answer: Answer(body: "new"), expect: .forwarded, status: 200, body: "new")
    }
    Case("a HEAD that is redirected elsewhere makes the end of a redirect stale", section: "RFC 9111 §4.3.5") {
      Exchange(answer: redirect, hops: ["/b": Answer(headers: fresh, body: "b")], body: "b")
      Exchange(
        .head, sends: noCache, answer: Answer(302, headers: ["Location": "{path}/c"]),
        hops: ["/c": Answer(headers: fresh, body: "c")], expect: .forwarded)
      Exchange(answer: Answer(body: "new"), expect: .forwarded, status: 200, body: "new")
    }
    Case(
      "a HEAD that is redirected to the same URL updates the end of a redirect", section: "RFC 9111 §4.3.5",
      requirement: .should
    ) {
      Exchange(
        answer: redirect, hops: ["/b": Answer(headers: ["Cache-Control": "max-age=60", "X-Count": "1"], body: "b")],
        body: "b")
      Exchange(
        .head, after: .seconds(61), answer: redirect,
        hops: ["/b": Answer(headers: ["Cache-Control": "max-age=60", "X-Count": "2"], body: "b")], expect: .forwarded)
      Exchange(after: .seconds(59), expect: .cached(from: 1), status: 200, body: "b", gives: ["X-Count": "2"])
    }
  }

  private static let fresh: HTTPHeaders = ["Cache-Control": "max-age=3600"]
  private static let redirect = Answer(301, headers: ["Location": "{path}/b", "Cache-Control": "max-age=3600"])
  private static let noCache: HTTPHeaders = ["Cache-Control": "no-cache"]
}
