import Heliograph

extension CaseGroup {
  /// `Cache-Control` and `Pragma` of requests.
  static let requestDirectives = CaseGroup("request directives") {
    Case(
      "a request with no-cache is not answered without validation", section: "RFC 9111 §5.2.1.4", requirement: .should
    ) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "ETag": #""a""#]))
      Exchange(sends: ["Cache-Control": "no-cache"], expect: .forwarded)
    }
    Case("a request with no-cache validates the stored response", section: "RFC 9111 §5.2.1.4", requirement: .may) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "ETag": #""a""#]))
      Exchange(sends: ["Cache-Control": "no-cache"], expect: .validated, sees: ["If-None-Match": #""a""#])
    }
    Case("the answer to a request with no-cache is stored", section: "RFC 9111 §3") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600"]))
      Exchange(sends: ["Cache-Control": "no-cache"], answer: Answer(headers: ["Cache-Control": "max-age=3600"]))
      Exchange(expect: .cached(from: 2))
    }
    Case("a request's directives reach the server", section: "RFC 9111 §5.2", requirement: .should) {
      Exchange(sends: ["Cache-Control": "no-cache, extension=1"], sees: ["Cache-Control": "no-cache, extension=1"])
    }
    Case("directives of a request on several lines count together", section: "RFC 9110 §5.3", requirement: .should) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600"]))
      Exchange(sends: ["Cache-Control": "no-transform", "Cache-Control": "no-cache"], expect: .forwarded)
    }
    Case("directives of a request ignore the case of letters", section: "RFC 9111 §5.2", requirement: .should) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600"]))
      Exchange(sends: ["Cache-Control": "NO-Cache"], expect: .forwarded)
    }
    Case("unknown directives of a request are ignored", section: "RFC 9111 §5.2.3") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600"]))
      Exchange(sends: ["Cache-Control": #"extension="no-cache", no-cache-please"#], expect: .cached)
    }
    Case("the answer to a request with no-store is not stored", section: "RFC 9111 §5.2.1.5") {
      Exchange(
        sends: ["Cache-Control": "no-store"],
        answer: Answer(headers: ["Cache-Control": "max-age=3600", "ETag": #""a""#]))
      Exchange()
    }
    Case("a request with no-store leaves the stored response", section: "RFC 9111 §5.2.1.5", requirement: .should) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600"]))
      Exchange(sends: ["Cache-Control": "no-store"], answer: Answer(), expect: .any)
      Exchange(expect: .cached(from: 1))
    }
    Case(
      "a request with no-store may be answered from the cache", section: "RFC 9111 §5.2.1.5", requirement: .may,
      decision: "a request with no-store takes no part in the cache"
    ) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600"]))
      Exchange(sends: ["Cache-Control": "no-store"], expect: .cached)
    }
    Case("a request with max-age accepts a younger response", section: "RFC 9111 §5.2.1.1") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600"]))
      Exchange(after: .seconds(30), sends: ["Cache-Control": "max-age=60"], expect: .cached)
    }
    Case("a request with max-age rejects an older response", section: "RFC 9111 §5.2.1.1", requirement: .should) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600"]))
      Exchange(after: .seconds(61), sends: ["Cache-Control": "max-age=60"])
    }
    Case(
      "a request with max-age=0 is not answered without validation", section: "RFC 9111 §5.2.1.1", requirement: .should
    ) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "ETag": #""a""#]))
      Exchange(after: .seconds(1), sends: ["Cache-Control": "max-age=0"], expect: .validated)
    }
    Case("the Age of the answer counts for a request with max-age", section: "RFC 9111 §5.2.1.1", requirement: .should)
    {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "Age": "61"]))
      Exchange(sends: ["Cache-Control": "max-age=60"])
    }
    Case("a quoted max-age of a request is understood", section: "RFC 9111 §5.2", requirement: .should) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600"]))
      Exchange(after: .seconds(61), sends: ["Cache-Control": #"max-age="60""#])
    }
    Case("a longer max-age of a request does not make a stale response fresh", section: "RFC 9111 §5.2.1.1") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60"]))
      Exchange(after: .seconds(61), sends: ["Cache-Control": "max-age=3600"])
    }
    Case("a request with min-fresh accepts a response that stays fresh", section: "RFC 9111 §5.2.1.3") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=100"]))
      Exchange(sends: ["Cache-Control": "min-fresh=60"], expect: .cached)
    }
    Case(
      "a request with min-fresh rejects a response that expires before", section: "RFC 9111 §5.2.1.3",
      requirement: .should
    ) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=100"]))
      Exchange(after: .seconds(50), sends: ["Cache-Control": "min-fresh=60"])
    }
    Case("a request with max-stale accepts any stale response", section: "RFC 9111 §5.2.1.2", requirement: .may) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60"]))
      Exchange(after: .days(1), sends: ["Cache-Control": "max-stale"], expect: .cached, gives: ["Age": "86400"])
    }
    Case("a request with max-stale accepts a limited staleness", section: "RFC 9111 §5.2.1.2", requirement: .may) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60"]))
      Exchange(after: .seconds(90), sends: ["Cache-Control": "max-stale=60"], expect: .cached)
    }
    Case("a request with max-stale rejects a longer staleness", section: "RFC 9111 §5.2.1.2") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60"]))
      Exchange(after: .seconds(121), sends: ["Cache-Control": "max-stale=60"])
    }
    Case("an invalid max-stale permits nothing", section: "RFC 9111 §4.2.4", requirement: .should) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60"]))
      Exchange(after: .seconds(61), sends: ["Cache-Control": "max-stale=some"])
    }
    Case("a request's max-age excludes stale responses", section: "RFC 9111 §5.2.1.1") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60"]))
      Exchange(after: .seconds(90), sends: ["Cache-Control": "max-age=100"])
    }
    Case("a request's max-age and max-stale count together", section: "RFC 9111 §5.2.1.1", requirement: .may) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60"]))
      Exchange(after: .seconds(90), sends: ["Cache-Control": "max-age=100, max-stale=60"], expect: .cached)
    }
    Case("only-if-cached is answered by a fresh response", section: "RFC 9111 §5.2.1.7") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600"]))
      Exchange(sends: ["Cache-Control": "only-if-cached"], expect: .cached)
    }
    Case("only-if-cached is answered by 504 if nothing is stored", section: "RFC 9111 §5.2.1.7", requirement: .should) {
      Exchange(sends: ["Cache-Control": "only-if-cached"], expect: .gatewayTimeout)
    }
    Case(
      "only-if-cached is answered by 504 if the response is stale", section: "RFC 9111 §5.2.1.7", requirement: .should
    ) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60", "ETag": #""a""#]))
      Exchange(after: .seconds(61), sends: ["Cache-Control": "only-if-cached"], expect: .gatewayTimeout)
    }
    Case(
      "only-if-cached and max-stale are answered by a stale response", section: "RFC 9111 §5.2.1.7", requirement: .may
    ) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60"]))
      Exchange(after: .seconds(61), sends: ["Cache-Control": "only-if-cached, max-stale"], expect: .cached)
    }
    Case("only-if-cached is answered by 504 if no variant matches", section: "RFC 9111 §5.2.1.7", requirement: .should)
    {
      Exchange(
        sends: ["Flavour": "lemon"], answer: Answer(headers: ["Cache-Control": "max-age=3600", "Vary": "Flavour"]))
      Exchange(sends: ["Flavour": "vanilla", "Cache-Control": "only-if-cached"], expect: .gatewayTimeout)
    }
    Case("the 504 for only-if-cached is not stored", section: "RFC 9111 §5.2.1.7") {
      Exchange(sends: ["Cache-Control": "only-if-cached"], expect: .gatewayTimeout)
      Exchange()
    }
    Case(
      "a request with Pragma: no-cache is not answered without validation", section: "RFC 9111 §5.4", requirement: .may
    ) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "ETag": #""a""#]))
      Exchange(sends: ["Pragma": "no-cache"], expect: .forwarded)
    }
    Case("Pragma is ignored beside Cache-Control", section: "RFC 9111 §5.4", requirement: .may) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600"]))
      Exchange(sends: ["Pragma": "no-cache", "Cache-Control": "max-age=60"], expect: .cached)
    }
    Case("only-if-cached and no-store make no request", section: "RFC 9111 §5.2.1.7", requirement: .should) {
      Exchange(sends: ["Cache-Control": "only-if-cached, no-store"], expect: .gatewayTimeout)
    }
    Case(
      "only-if-cached and no-store make no request beside a stored response", section: "RFC 9111 §5.2.1.7",
      requirement: .should
    ) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60"]))
      Exchange(
        after: .seconds(61), sends: ["Cache-Control": "only-if-cached, no-store"], expect: .gatewayTimeout)
    }
    Case(
      "only-if-cached is answered by 504 if only a part is stored", section: "RFC 9111 §5.2.1.7", requirement: .should
    ) {
      Exchange(
        sends: ["Range": "bytes=0-4"],
        answer: Answer(
          206, headers: ["Cache-Control": "max-age=3600", "ETag": #""a""#, "Content-Range": "bytes 0-4/10"],
          body: "01234"))
      Exchange(sends: ["Cache-Control": "only-if-cached"], expect: .gatewayTimeout)
    }
  }
}
