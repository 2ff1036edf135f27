import Heliograph

extension CaseGroup {
  /// Conditional requests of the caller.
  static let callerConditions = CaseGroup("conditions of the caller") {
    Case("If-None-Match is answered by a 304 from the cache", section: "RFC 9111 §4.3.2", requirement: .should) {
      Exchange(answer: tagged)
      Exchange(sends: ["If-None-Match": #""a""#], expect: .notModified, gives: ["ETag": #""a""#])
    }
    Case("If-None-Match is compared weakly", section: "RFC 9110 §13.1.2", requirement: .should) {
      Exchange(answer: tagged)
      Exchange(sends: ["If-None-Match": #"W/"a""#], expect: .notModified)
    }
    Case("a weak stored entity tag matches a strong one", section: "RFC 9110 §13.1.2", requirement: .should) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "ETag": #"W/"a""#]))
      Exchange(sends: ["If-None-Match": #""a""#], expect: .notModified)
    }
    Case("any member of If-None-Match may match", section: "RFC 9110 §13.1.2", requirement: .should) {
      Exchange(answer: tagged)
      Exchange(sends: ["If-None-Match": #""x, y", W/"b" ,"a""#], expect: .notModified)
    }
    Case("If-None-Match on several lines is one list", section: "RFC 9110 §5.3", requirement: .should) {
      Exchange(answer: tagged)
      Exchange(sends: ["If-None-Match": #""b""#, "If-None-Match": #""a""#], expect: .notModified)
    }
    Case("If-None-Match: * matches any stored response", section: "RFC 9110 §13.1.2", requirement: .should) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600"]))
      Exchange(sends: ["If-None-Match": "*"], expect: .notModified)
    }
    Case(
      "an If-None-Match that does not match is answered by the fresh response", section: "RFC 9111 §4.3.2",
      requirement: .should
    ) {
      Exchange(answer: tagged)
      Exchange(sends: ["If-None-Match": #""b""#], expect: .cached)
    }
    Case("a comma in an entity tag does not end it", section: "RFC 9110 §8.8.3", requirement: .should) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "ETag": #""a,b""#]))
      Exchange(sends: ["If-None-Match": #""x", "a,b""#], expect: .notModified)
    }
    Case("entity tags are compared with the case of letters", section: "RFC 9110 §8.8.3.2") {
      Exchange(answer: tagged)
      Exchange(sends: ["If-None-Match": #""A""#], expect: .cached)
    }
    Case("If-Modified-Since is answered by a 304 from the cache", section: "RFC 9111 §4.3.2", requirement: .should) {
      Exchange(answer: dated)
      Exchange(sends: ["If-Modified-Since": "{start-3600}"], expect: .notModified)
    }
    Case("a later If-Modified-Since is answered by a 304", section: "RFC 9110 §13.1.3", requirement: .should) {
      Exchange(answer: dated)
      Exchange(sends: ["If-Modified-Since": "{start-1800}"], expect: .notModified)
    }
    Case("an earlier If-Modified-Since is answered by the fresh response", section: "RFC 9110 §13.1.3") {
      Exchange(answer: dated)
      Exchange(sends: ["If-Modified-Since": "{start-3601}"], expect: .cached)
    }
    Case("an If-Modified-Since of RFC 850 is understood", section: "RFC 9110 §5.6.7", requirement: .should) {
      Exchange(answer: dated)
      Exchange(sends: ["If-Modified-Since": "{start-3600 rfc850}"], expect: .notModified)
    }
    Case("an invalid If-Modified-Since is ignored", section: "RFC 9110 §13.1.3") {
      Exchange(answer: dated)
      Exchange(sends: ["If-Modified-Since": "yesterday"], expect: .cached)
    }
    Case("without a modification date Date is compared", section: "RFC 9111 §4.3.2", requirement: .should) {
      Exchange(answer: tagged)
      Exchange(after: .seconds(10), sends: ["If-Modified-Since": "{start}"], expect: .notModified)
    }
    Case("an If-Modified-Since before Date is answered by the response", section: "RFC 9111 §4.3.2") {
      Exchange(answer: tagged)
      Exchange(after: .seconds(10), sends: ["If-Modified-Since": "{start-1}"], expect: .cached)
    }
    Case("If-None-Match precedes a matching If-Modified-Since", section: "RFC 9110 §13.1.3") {
      Exchange(answer: both)
      Exchange(sends: ["If-None-Match": #""b""#, "If-Modified-Since": "{start-3600}"], expect: .cached)
    }
    Case("a matching If-None-Match precedes If-Modified-Since", section: "RFC 9110 §13.2.2", requirement: .should) {
      Exchange(answer: both)
      Exchange(sends: ["If-None-Match": #""a""#, "If-Modified-Since": "{start-7200}"], expect: .notModified)
    }
    Case("a condition is passed on if nothing is stored", section: "RFC 9111 §4.3.2") {
      Exchange(
        sends: ["If-None-Match": #""x""#, "If-Modified-Since": "{start-60}"], answer: Answer(304), status: 304,
        sees: ["If-None-Match": #""x""#, "If-Modified-Since": "{start-60}"])
    }
    Case("a 304 to the caller's own condition is not stored", section: "RFC 9111 §3") {
      Exchange(
        sends: ["If-None-Match": #""x""#],
        answer: Answer(304, headers: ["ETag": #""x""#, "Cache-Control": "max-age=3600"]))
      Exchange()
    }
    Case("a full response to the caller's own condition is stored", section: "RFC 9111 §3") {
      Exchange(sends: ["If-None-Match": #""x""#], answer: tagged)
      Exchange(expect: .cached)
    }
    Case("the caller's condition reaches the server if the response is stale", section: "RFC 9111 §4.3.2") {
      Exchange(answer: stale)
      Exchange(
        after: .seconds(61), sends: ["If-None-Match": #""x""#], answer: Answer(304, headers: ["ETag": #""x""#]),
        expect: .any, status: 304, body: "", sees: ["If-None-Match": .contains(#""x""#)])
    }
    Case("a 304 with the caller's entity tag does not refresh the stored response", section: "RFC 9111 §4.3.4") {
      Exchange(answer: stale)
      Exchange(
        after: .seconds(61), sends: ["If-None-Match": #""x""#],
        answer: Answer(304, headers: ["ETag": #""x""#, "Cache-Control": "max-age=60"]), expect: .any)
      Exchange(expect: .validated(from: 1), sees: ["If-None-Match": #""a""#])
    }
    Case(
      "the stored entity tag joins those of the caller", section: "RFC 9111 §4.3.2", requirement: .may,
      decision: "a condition of the caller is passed on unchanged"
    ) {
      Exchange(answer: stale)
      Exchange(
        after: .seconds(61), sends: ["If-None-Match": #""x""#], answer: Answer(304, headers: ["ETag": #""a""#]),
        expect: .any, status: 200, body: "answer 1", sees: ["If-None-Match": .contains(#""a""#)])
    }
    Case(
      "a 304 with the entity tag of caller and cache is delivered", section: "RFC 9110 §15.4.5", requirement: .should
    ) {
      Exchange(answer: stale)
      Exchange(
        after: .seconds(61), sends: ["If-None-Match": #""a""#], answer: Answer(304, headers: ["ETag": #""a""#]),
        expect: .any, status: 304, body: "", sees: ["If-None-Match": #""a""#])
    }
    Case("a 304 with the entity tag of caller and cache refreshes", section: "RFC 9111 §4.3.4") {
      Exchange(answer: stale)
      Exchange(
        after: .seconds(61), sends: ["If-None-Match": #""a""#], answer: Answer(304, headers: ["ETag": #""a""#]),
        expect: .any)
      Exchange(after: .seconds(30), expect: .cached(from: 1), gives: ["Age": "30"])
    }
    Case("a stored error does not answer a condition", section: "RFC 9110 §13.2.1") {
      Exchange(answer: Answer(404, headers: ["Cache-Control": "max-age=3600", "ETag": #""a""#]))
      Exchange(sends: ["If-None-Match": #""a""#], expect: .any, status: 404)
    }
    Case("a request with If-Match is left to the server", section: "RFC 9111 §4.3.2", requirement: .may) {
      Exchange(answer: tagged)
      Exchange(sends: ["If-Match": #""b""#], answer: Answer(412), sees: ["If-Match": #""b""#])
    }
    Case("If-Match is not evaluated by the cache", section: "RFC 9111 §4.3.2") {
      Exchange(answer: tagged)
      Exchange(sends: ["If-Match": #""b""#], answer: Answer(), expect: .any, status: 200)
    }
    Case("If-Unmodified-Since is not evaluated by the cache", section: "RFC 9111 §4.3.2") {
      Exchange(answer: dated)
      Exchange(sends: ["If-Unmodified-Since": "{start-7200}"], answer: Answer(), expect: .any, status: 200)
    }
    Case("a 304 at the end of a redirect does not refresh its start", section: "RFC 9111 §4.3.4") {
      Exchange(answer: stale)
      Exchange(
        after: .seconds(61), sends: ["If-None-Match": #""a""#], answer: Answer(302, headers: ["Location": "{path}/b"]),
        hops: ["/b": Answer(304, headers: ["ETag": #""a""#, "Cache-Control": "max-age=3600"])], status: 304, body: "")
      Exchange(expect: .forwarded)
    }
  }

  private static let tagged = Answer(headers: ["Cache-Control": "max-age=3600", "ETag": #""a""#])
  private static let stale = Answer(headers: ["Cache-Control": "max-age=60", "ETag": #""a""#])
  private static let dated = Answer(headers: ["Cache-Control": "max-age=3600", "Last-Modified": "{now-3600}"])
  private static let both = Answer(
    headers: ["Cache-Control": "max-age=3600", "ETag": #""a""#, "Last-Modified": "{now-3600}"])
}
