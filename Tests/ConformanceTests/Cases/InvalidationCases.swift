import Heliograph

extension CaseGroup {
  /// Invalidation by unsafe methods.
  static let invalidation = CaseGroup("invalidation") {
    for method in ["POST", "PUT", "DELETE", "PATCH", "FROBNICATE"] {
      Case("a successful \(method) invalidates its URL", section: "RFC 9111 §4.4") {
        Exchange(answer: fresh)
        Exchange(HTTPMethod(rawValue: method), content: "x")
        Exchange(answer: Answer(body: "new"), expect: .forwarded)
      }
      Case("a \(method) reaches the server", section: "RFC 9111 §4") {
        Exchange(answer: fresh)
        Exchange(HTTPMethod(rawValue: method), content: "x", answer: Answer(201))
      }
    }
    for status in [201, 202, 204, 302, 303] {
      Case("a \(status) to a POST invalidates its URL", section: "RFC 9111 §4.4") {
        Exchange(answer: fresh)
        Exchange(.post, content: "x", redirects: .stop, answer: Answer(status, body: ""))
        Exchange(answer: Answer(body: "new"), expect: .forwarded)
      }
    }
    for status in [400, 404, 409, 500, 503] {
      Case("a \(status) to a POST does not invalidate", section: "RFC 9111 §4.4", requirement: .should) {
        Exchange(answer: fresh)
        Exchange(.post, content: "x", answer: Answer(status))
        Exchange(expect: .cached(from: 1))
      }
    }
    Case("OPTIONS does not invalidate", section: "RFC 9111 §4.4", requirement: .should) {
      Exchange(answer: fresh)
      Exchange(.options)
      Exchange(expect: .cached(from: 1))
    }
    Case("all variants are invalidated", section: "RFC 9111 §4.4") {
      Exchange(sends: ["Flavour": "lemon"], answer: varying)
      Exchange(sends: ["Flavour": "vanilla"], answer: varying)
      Exchange(.post, content: "x")
      Exchange(sends: ["Flavour": "lemon"], answer: Answer(), expect: .forwarded)
      Exchange(sends: ["Flavour": "vanilla"], answer: Answer(), expect: .forwarded)
    }
    Case("another query is not invalidated", section: "RFC 9111 §4.4", requirement: .should) {
      Exchange(path: "?page=1", answer: fresh)
      Exchange(.post, path: "?page=2", content: "x")
      Exchange(path: "?page=1", expect: .cached(from: 1))
    }
    Case("another path is not invalidated", section: "RFC 9111 §4.4", requirement: .should) {
      Exchange(path: "/1", answer: fresh)
      Exchange(.delete, path: "/2")
      Exchange(path: "/1", expect: .cached(from: 1))
    }
    Case("an invalidated response is not served stale after an error", section: "RFC 9111 §4.4") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600, stale-if-error=3600"]))
      Exchange(.post, content: "x")
      Exchange(answer: Answer(503), expect: .forwarded)
    }
    Case("an invalidated response is not served to max-stale", section: "RFC 9111 §4.4") {
      Exchange(answer: fresh)
      Exchange(.post, content: "x")
      Exchange(sends: ["Cache-Control": "max-stale"], answer: Answer(), expect: .forwarded)
    }
    Case("an invalidated response is not served while it is revalidated", section: "RFC 9111 §4.4") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600, stale-while-revalidate=3600"]))
      Exchange(.post, content: "x")
      Exchange(answer: Answer(), expect: .forwarded)
    }
    Case("a response after the invalidation is stored", section: "RFC 9111 §4.4") {
      Exchange(answer: fresh)
      Exchange(.post, content: "x")
      Exchange(answer: fresh, expect: .forwarded)
      Exchange(expect: .cached(from: 3))
    }
    for field in ["Location", "Content-Location"] {
      for (form, prefix) in [("path", "{path}"), ("absolute URL", "{origin}{path}")] {
        Case("\(field) with a \(form) invalidates that URL", section: "RFC 9111 §4.4", requirement: .may) {
          Exchange(path: "/1", answer: fresh)
          Exchange(.post, content: "x", answer: Answer(201, headers: [field: prefix + "/1"]))
          Exchange(path: "/1", answer: Answer(body: "new"), expect: .forwarded)
        }
      }
      Case("\(field) with a relative path invalidates that URL", section: "RFC 9111 §4.4", requirement: .may) {
        Exchange(path: "/1", answer: fresh)
        Exchange(.put, path: "/2", content: "x", answer: Answer(201, headers: [field: "1"]))
        Exchange(path: "/1", answer: Answer(body: "new"), expect: .forwarded)
      }
      Case("\(field) of another origin invalidates nothing", section: "RFC 9111 §4.4") {
        Exchange(path: "{second}{path}", answer: fresh)
        Exchange(.post, content: "x", answer: Answer(201, headers: [field: "{second}{path}"]))
        Exchange(path: "{second}{path}", expect: .cached(from: 1))
      }
      Case("\(field) of a failed POST invalidates nothing", section: "RFC 9111 §4.4", requirement: .should) {
        Exchange(path: "/1", answer: fresh)
        Exchange(.post, content: "x", answer: Answer(500, headers: [field: "{path}/1"]))
        Exchange(path: "/1", expect: .cached(from: 1))
      }
      Case("\(field) of a GET invalidates nothing", section: "RFC 9111 §4.4") {
        Exchange(path: "/1", answer: fresh)
        Exchange(path: "/2", answer: Answer(headers: [field: "{path}/1"]))
        Exchange(path: "/1", expect: .cached(from: 1))
      }
    }
    Case("the response to a PUT is not the response to GET", section: "RFC 9110 §9.3.4") {
      Exchange(.put, content: "x", answer: fresh)
      Exchange(answer: Answer(body: "new"))
    }
    Case("an unsafe request at another origin does not invalidate", section: "RFC 9111 §4.4") {
      Exchange(answer: fresh)
      Exchange(.post, path: "{second}{path}", content: "x")
      Exchange(expect: .cached(from: 1))
    }
    Case("a redirected POST invalidates the URL at its end", section: "RFC 9111 §4.4") {
      Exchange(path: "/b", answer: fresh)
      Exchange(
        .post, content: "x", answer: Answer(307, headers: ["Location": "{path}/b"]), hops: ["/b": Answer(body: "b")],
        expect: .forwarded, status: 200, body: "b")
      Exchange(path: "/b", answer: Answer(body: "new"), expect: .forwarded)
    }
    Case("a POST with other credentials invalidates", section: "RFC 9111 §4.4") {
      Exchange(sends: ["Authorization": "Bearer a"], answer: fresh)
      Exchange(.post, sends: ["Authorization": "Bearer b"], content: "x")
      Exchange(sends: ["Authorization": "Bearer a"], answer: Answer(body: "new"), expect: .forwarded)
    }
    Case("a stored redirect is invalidated", section: "RFC 9111 §4.4") {
      Exchange(
        redirects: .stop, answer: Answer(301, headers: ["Location": "{path}/b", "Cache-Control": "max-age=3600"]))
      Exchange(.post, content: "x")
      Exchange(redirects: .stop, answer: Answer(body: "new"), expect: .forwarded)
    }
    Case("the fragment of a Location does not count", section: "RFC 9111 §4.4", requirement: .may) {
      Exchange(path: "/1", answer: fresh)
      Exchange(.post, content: "x", answer: Answer(201, headers: ["Location": "{path}/1#top"]))
      Exchange(path: "/1", answer: Answer(body: "new"), expect: .forwarded)
    }
    Case("a POST without a stored response is passed on", section: "RFC 9111 §4") {
      Exchange(.post, content: "x")
    }
  }

  private static let fresh = Answer(headers: ["Cache-Control": "max-age=3600"])
  private static let varying = Answer(headers: ["Cache-Control": "max-age=3600", "Vary": "Flavour"])
}
