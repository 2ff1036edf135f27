import Heliograph

extension CaseGroup {
  /// Conditional requests of the cache.
  static let validation = CaseGroup("validation") {
    Case("an entity tag is sent in If-None-Match", section: "RFC 9111 §4.3.1") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60", "ETag": #""a""#]))
      Exchange(
        after: .seconds(61), expect: .validated, sees: ["If-None-Match": #""a""#, "If-Modified-Since": .absent])
    }
    Case("a weak entity tag is sent as it is", section: "RFC 9111 §4.3.1") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60", "ETag": #"W/"a""#]))
      Exchange(after: .seconds(61), expect: .validated, sees: ["If-None-Match": #"W/"a""#])
    }
    Case("an empty entity tag is one", section: "RFC 9110 §8.8.3") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60", "ETag": #""""#]))
      Exchange(after: .seconds(61), expect: .validated, sees: ["If-None-Match": #""""#])
    }
    Case("an entity tag may contain commas and spaces", section: "RFC 9110 §8.8.3") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60", "ETag": #""a,b\c""#]))
      Exchange(after: .seconds(61), expect: .validated, sees: ["If-None-Match": #""a,b\c""#])
    }
    Case("a modification date is sent in If-Modified-Since", section: "RFC 9111 §4.3.1", requirement: .should) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60", "Last-Modified": "{now-3600}"]))
      Exchange(
        after: .seconds(61), expect: .validated,
        sees: ["If-Modified-Since": "{start-3600}", "If-None-Match": .absent])
    }
    Case("a modification date is sent with the same text", section: "RFC 9110 §13.1.3", requirement: .should) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60", "Last-Modified": "{now-3600 rfc850}"]))
      Exchange(after: .seconds(61), expect: .validated, sees: ["If-Modified-Since": "{start-3600 rfc850}"])
    }
    Case("both validators are sent", section: "RFC 9111 §4.3.1", requirement: .should) {
      Exchange(
        answer: Answer(headers: ["Cache-Control": "max-age=60", "ETag": #""a""#, "Last-Modified": "{now-3600}"]))
      Exchange(
        after: .seconds(61), expect: .validated,
        sees: ["If-None-Match": #""a""#, "If-Modified-Since": "{start-3600}"])
    }
    Case("a stale response without validators is requested again", section: "RFC 9111 §4.3") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60"]))
      Exchange(after: .seconds(61), expect: .forwarded)
    }
    Case("a conditional request has the fields of the caller's", section: "RFC 9111 §4.3.1") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60", "ETag": #""a""#]))
      Exchange(after: .seconds(61), sends: ["Flavour": "lemon"], expect: .validated, sees: ["Flavour": "lemon"])
    }
    Case("after a 304 the stored response is delivered", section: "RFC 9111 §4.3.3") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60", "ETag": #""a""#], body: "stored"))
      Exchange(
        after: .seconds(61), answer: Answer(304, headers: ["ETag": #""a""#]), expect: .validated, status: 200,
        body: "stored")
    }
    Case("after a 304 an empty stored response is delivered", section: "RFC 9111 §4.3.3") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60", "ETag": #""a""#], body: ""))
      Exchange(after: .seconds(61), expect: .validated, status: 200)
    }
    Case("a full response to a validation is delivered", section: "RFC 9111 §4.3.3") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60", "ETag": #""a""#]))
      Exchange(after: .seconds(61), answer: Answer(headers: ["ETag": #""b""#]), expect: .validated)
    }
    Case("a full response to a validation replaces the stored one", section: "RFC 9111 §4.3.3") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60", "ETag": #""a""#]))
      Exchange(
        after: .seconds(61), answer: Answer(headers: ["Cache-Control": "max-age=60", "ETag": #""b""#]),
        expect: .validated)
      Exchange(after: .seconds(59), expect: .cached(from: 2))
      Exchange(after: .seconds(2), expect: .validated(from: 2), sees: ["If-None-Match": #""b""#])
    }
    Case("a 304 starts the freshness of the stored response again", section: "RFC 9111 §4.2.3") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60", "ETag": #""a""#]))
      Exchange(after: .seconds(61), expect: .validated)
      Exchange(after: .seconds(59), expect: .cached, gives: ["Age": "59"])
      Exchange(after: .seconds(2), expect: .validated(from: 1))
    }
    Case("a response is validated as often as it becomes stale", section: "RFC 9111 §4.3") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60", "ETag": #""a""#]))
      for _ in 1...5 { Exchange(after: .seconds(61), expect: .validated(from: 1), sees: ["If-None-Match": #""a""#]) }
    }
    Case("a 404 to a validation is delivered", section: "RFC 9111 §4.3.3") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60", "ETag": #""a""#]))
      Exchange(after: .seconds(61), answer: Answer(404), expect: .validated)
      Exchange(expect: .forwarded)
    }
    for status in [500, 503] {
      Case("a \(status) to a validation is delivered", section: "RFC 9111 §4.2.4") {
        Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60", "ETag": #""a""#]))
        Exchange(after: .seconds(61), answer: Answer(status), expect: .validated)
      }
    }
    Case("a response is still validated after a 503", section: "RFC 9111 §4.3.3", requirement: .may) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60", "ETag": #""a""#]))
      Exchange(after: .seconds(61), answer: Answer(503), expect: .validated)
      Exchange(expect: .validated(from: 1))
    }
    Case("a validation that fails without a response fails", section: "RFC 9111 §4.2.4", requirement: .may) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60", "ETag": #""a""#]))
      Exchange(after: .seconds(61), answer: .closed, expect: .failure)
      Exchange(expect: .validated(from: 1))
    }
    Case("a redirect to a validation is delivered", section: "RFC 9111 §4.3.3") {
      Exchange(redirects: .stop, answer: Answer(headers: ["Cache-Control": "max-age=60", "ETag": #""a""#]))
      Exchange(
        after: .seconds(61), redirects: .stop, answer: Answer(302, headers: ["Location": "{path}/b"]),
        expect: .validated)
    }
    Case("a 304 of a no-cache response does not make it fresh", section: "RFC 9111 §5.2.2.4") {
      Exchange(answer: Answer(headers: ["Cache-Control": "no-cache, max-age=60", "ETag": #""a""#]))
      Exchange(expect: .validated)
      Exchange(expect: .validated(from: 1))
    }
    Case("an incomplete response does not displace the stored one", section: "RFC 9111 §3.3", requirement: .may) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60", "ETag": #""a""#]))
      Exchange(
        after: .seconds(61),
        answer: .raw("HTTP/1.1 200 OK\nCache-Control: max-age=60\nContent-Length: 100\n\nhalf", closes: true),
        expect: .failure)
      Exchange(expect: .validated(from: 1))
    }
    for status in [401, 403, 429] {
      Case(
        "a response is still validated after a \(status)", section: "RFC 9111 §4.3.3", requirement: .may
      ) {
        Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60", "ETag": #""a""#]))
        Exchange(after: .seconds(61), answer: Answer(status), expect: .validated)
        Exchange(expect: .validated(from: 1))
      }
    }
  }
}
