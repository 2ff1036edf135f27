import Heliograph

extension CaseGroup {
  /// Redirects, delivered and followed.
  static let redirects = CaseGroup("redirects") {
    for status in [301, 308, 302, 307, 303] {
      Case("a \(status) with freshness is delivered from the cache", section: "RFC 9111 §3", requirement: .should) {
        Exchange(redirects: .stop, answer: redirect(status, "max-age=60"))
        Exchange(redirects: .stop, expect: .cached, status: status, gives: ["Location": "{path}/b"])
      }
    }
    Case("a stale redirect is requested again", section: "RFC 9111 §4.2") {
      Exchange(redirects: .stop, answer: redirect(301, "max-age=60"))
      Exchange(after: .seconds(61), redirects: .stop, answer: redirect(301, "max-age=60"))
    }
    Case("a redirect with no-store is not stored", section: "RFC 9111 §5.2.2.5") {
      Exchange(redirects: .stop, answer: redirect(301, "no-store"))
      Exchange(redirects: .stop, answer: redirect(301, "no-store"))
    }
    Case("a redirect that was delivered is followed when asked to", section: "RFC 9110 §15.4") {
      Exchange(redirects: .stop, answer: redirect(301, "max-age=60"))
      Exchange(
        answer: redirect(301, "max-age=60"), hops: ["/b": Answer(body: "b")], expect: .any, status: 200, body: "b")
    }
    Case("a redirect that was followed is delivered when asked to", section: "RFC 9110 §15.4") {
      Exchange(
        answer: redirect(301, "max-age=60"), hops: ["/b": Answer(headers: fresh, body: "b")], body: "b")
      Exchange(redirects: .stop, answer: redirect(301, "max-age=60"), expect: .any, status: 301)
    }
    for status in [302, 303, 307] {
      Case("the end of a \(status) without freshness is not stored for the start", section: "RFC 9111 §3") {
        Exchange(
          answer: Answer(status, headers: ["Location": "{path}/b"]), hops: ["/b": Answer(headers: fresh, body: "b")],
          body: "b")
        Exchange(
          answer: Answer(status, headers: ["Location": "{path}/c"]), hops: ["/c": Answer(headers: fresh, body: "c")],
          expect: .forwarded, status: 200, body: "c")
      }
    }
    Case("the end of a redirect with no-store is not stored for the start", section: "RFC 9111 §5.2.2.5") {
      Exchange(answer: redirect(301, "no-store"), hops: ["/b": Answer(headers: fresh, body: "b")], body: "b")
      Exchange(
        answer: Answer(301, headers: ["Cache-Control": "no-store", "Location": "{path}/c"]),
        hops: ["/c": Answer(body: "c")], expect: .forwarded, status: 200, body: "c")
    }
    Case("the end of a fresh redirect is requested if it is not stored", section: "RFC 9111 §5.2.2.5") {
      Exchange(
        answer: redirect(301, "max-age=3600"),
        hops: ["/b": Answer(headers: ["Cache-Control": "no-store"], body: "b")], body: "b")
      Exchange(
        answer: redirect(301, "max-age=3600"), hops: ["/b": Answer(body: "new")], expect: .forwarded, status: 200,
        body: "new")
    }
    Case("the end of a fresh redirect is requested when it is stale", section: "RFC 9111 §4.2") {
      Exchange(
        answer: redirect(301, "max-age=3600"),
        hops: ["/b": Answer(headers: ["Cache-Control": "max-age=60"], body: "b")], body: "b")
      Exchange(
        after: .seconds(61), answer: redirect(301, "max-age=3600"), hops: ["/b": Answer(body: "new")],
        expect: .forwarded, status: 200, body: "new")
    }
    Case("a redirect that is stale is requested before its fresh end", section: "RFC 9111 §4.2") {
      Exchange(
        answer: redirect(301, "max-age=60"), hops: ["/b": Answer(headers: fresh, body: "b")], body: "b")
      Exchange(
        after: .seconds(61), answer: Answer(301, headers: ["Location": "{path}/c"]), hops: ["/c": Answer(body: "c")],
        expect: .forwarded, status: 200, body: "c")
    }
    Case("a change of the end of a redirect counts for the start", section: "RFC 9111 §4.4") {
      Exchange(
        answer: redirect(301, "max-age=3600"), hops: ["/b": Answer(headers: fresh, body: "b")], body: "b")
      Exchange(.patch, path: "/b", after: .seconds(1))
      Exchange(
        after: .seconds(1), answer: redirect(301, "max-age=3600"), hops: ["/b": Answer(headers: fresh, body: "new")],
        expect: .forwarded, status: 200, body: "new")
      Exchange(expect: .cached, status: 200, body: "new")
    }
    Case("a fresh redirect to a fresh end needs no request", section: "RFC 9111 §4.2", requirement: .may) {
      Exchange(
        answer: redirect(301, "max-age=60"), hops: ["/b": Answer(headers: fresh, body: "b")], body: "b")
      Exchange(expect: .cached, status: 200, body: "b")
    }
    Case(
      "the end of a redirect is stored for its own address", section: "RFC 9111 §3", requirement: .may,
      decision: "a response is stored for the URL that was requested"
    ) {
      Exchange(
        answer: redirect(302, "no-store"), hops: ["/b": Answer(headers: fresh, body: "b")], body: "b")
      Exchange(path: "/b", expect: .cached(from: 1), status: 200, body: "b")
    }
    Case(
      "a stored end answers a redirect that is not stored", section: "RFC 9111 §4", requirement: .may,
      decision: "the cache is before the redirects"
    ) {
      Exchange(path: "/b", answer: Answer(headers: fresh, body: "b"))
      Exchange(answer: redirect(302, "no-store"), expect: .any, status: 200, body: "b")
    }
    Case("a redirected POST invalidates its own URL", section: "RFC 9111 §4.4") {
      Exchange(answer: Answer(headers: fresh))
      Exchange(
        .post, content: "x", answer: Answer(303, headers: ["Location": "{path}/b"]), hops: ["/b": Answer(body: "b")],
        expect: .forwarded, status: 200, body: "b")
      Exchange(answer: Answer(body: "new"), expect: .forwarded)
    }
    Case("the end of a redirected POST is not the response to GET", section: "RFC 9111 §4") {
      Exchange(
        .post, content: "x", answer: Answer(303, headers: ["Location": "{path}/b", "Cache-Control": "max-age=60"]),
        hops: ["/b": Answer(headers: fresh, body: "b")], expect: .forwarded, status: 200, body: "b")
      Exchange(answer: Answer(body: "new"))
    }
    Case("a validator of the end is not sent to the start", section: "RFC 9111 §4.3.1") {
      Exchange(
        answer: Answer(302, headers: ["Location": "{path}/b"]),
        hops: ["/b": Answer(headers: ["Cache-Control": "no-cache", "ETag": #""b""#], body: "b")], body: "b")
      Exchange(answer: Answer(body: "new"))
    }
    Case("the rest of another resource does not complete the stored part", section: "RFC 9111 §3.4") {
      Exchange(sends: ["Range": "bytes=0-4"], answer: part("0-4", "01234"))
      Exchange(
        answer: redirect(302, "no-store"), hops: ["/b": part("5-9", "fghij")], expect: .any, status: 206, body: "fghij")
    }
    Case("a part of another resource is not combined with the stored part", section: "RFC 9111 §3.4") {
      Exchange(sends: ["Range": "bytes=0-4"], answer: part("0-4", "01234"))
      Exchange(
        sends: ["Range": "bytes=5-9"], answer: redirect(301, "max-age=3600"), hops: ["/b": part("5-9", "fghij")],
        expect: .forwarded, status: 206, body: "fghij")
      Exchange(answer: Answer(body: "new"), expect: .forwarded, status: 200, body: "new")
    }
    Case("a redirect with no-cache is requested before its fresh end", section: "RFC 9111 §5.2.2.4") {
      Exchange(
        answer: Answer(
          301, headers: ["Location": "{path}/b", "Cache-Control": "no-cache, max-age=3600", "ETag": #""a""#]),
        hops: ["/b": Answer(headers: fresh, body: "b")], body: "b")
      Exchange(
        answer: Answer(301, headers: ["Location": "{path}/c"]), hops: ["/c": Answer(body: "c")], expect: .forwarded,
        status: 200, body: "c")
    }
    Case("a redirect that varies is requested for another value", section: "RFC 9111 §4.1") {
      Exchange(
        sends: ["Flavour": "lemon"],
        answer: Answer(301, headers: ["Location": "{path}/b", "Cache-Control": "max-age=3600", "Vary": "Flavour"]),
        hops: ["/b": Answer(headers: fresh, body: "b")], body: "b")
      Exchange(
        sends: ["Flavour": "vanilla"], answer: Answer(301, headers: ["Location": "{path}/c"]),
        hops: ["/c": Answer(body: "c")], expect: .forwarded, status: 200, body: "c")
    }
    Case("a stale redirect with must-revalidate is not served to max-stale", section: "RFC 9111 §5.2.2.2") {
      Exchange(
        answer: redirect(301, "max-age=60, must-revalidate"), hops: ["/b": Answer(headers: fresh, body: "b")], body: "b"
      )
      Exchange(
        after: .seconds(61), sends: ["Cache-Control": "max-stale"],
        answer: Answer(301, headers: ["Location": "{path}/c"]), hops: ["/c": Answer(body: "c")], expect: .forwarded,
        status: 200, body: "c")
    }
  }

  private static let fresh: HTTPHeaders = ["Cache-Control": "max-age=3600"]

  /// A part of ten bytes; its entity tag is that of other resources as well.
  private static func part(_ range: String, _ body: String) -> Answer {
    Answer(
      206, headers: ["Cache-Control": "max-age=3600", "ETag": #""a""#, "Content-Range": "bytes \(range)/10"],
      body: body)
  }

  private static func redirect(_ status: Int, _ control: String) -> Answer {
    Answer(status, headers: ["Location": "{path}/b", "Cache-Control": control])
  }
}
