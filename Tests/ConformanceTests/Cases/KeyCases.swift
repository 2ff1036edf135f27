import Heliograph

extension CaseGroup {
  /// The key of a stored response: method, URL, account and environment.
  static let keys = CaseGroup("keys") {
    Case("the same query is the same URL", section: "RFC 9111 §2") {
      Exchange(path: "?page=2&sort=name", answer: fresh)
      Exchange(path: "?page=2&sort=name", expect: .cached)
    }
    Case("another query is another URL", section: "RFC 9111 §4") {
      Exchange(path: "?page=2", answer: fresh)
      Exchange(path: "?page=3")
    }
    Case("a query differs from none", section: "RFC 9111 §4") {
      Exchange(answer: fresh)
      Exchange(path: "?")
    }
    Case("the order of a query counts", section: "RFC 9111 §4") {
      Exchange(path: "?page=2&sort=name", answer: fresh)
      Exchange(path: "?sort=name&page=2")
    }
    Case("the case of letters in a path counts", section: "RFC 9111 §4") {
      Exchange(path: "/a", answer: fresh)
      Exchange(path: "/A")
    }
    Case("a slash at the end of a path counts", section: "RFC 9111 §4") {
      Exchange(path: "/a", answer: fresh)
      Exchange(path: "/a/")
    }
    Case("an escaped slash differs from a slash", section: "RFC 9110 §4.2.3") {
      Exchange(path: "/a/b", answer: fresh)
      Exchange(path: "/a%2Fb")
    }
    Case(
      "an escaped letter is the letter", section: "RFC 9110 §4.2.3", requirement: .may,
      decision: "URLs are compared as they are written"
    ) {
      Exchange(path: "/a", answer: fresh)
      Exchange(path: "/%61", expect: .cached(from: 1))
    }
    Case(
      "the case of escapes does not count", section: "RFC 9110 §4.2.3", requirement: .may,
      decision: "URLs are compared as they are written"
    ) {
      Exchange(path: "/a%2Fb", answer: fresh)
      Exchange(path: "/a%2fb", expect: .cached(from: 1))
    }
    Case("a fragment does not count", section: "RFC 9110 §7.1", requirement: .should) {
      Exchange(path: "#top", answer: fresh)
      Exchange(path: "#end", expect: .cached(from: 1))
    }
    Case("another port is another origin", section: "RFC 9111 §4") {
      Exchange(answer: fresh)
      Exchange(path: "{second}{path}")
    }
    Case("an absolute URL is the same as a path", section: "RFC 9111 §4") {
      Exchange(answer: fresh)
      Exchange(path: "{origin}{path}", expect: .cached(from: 1))
    }
    Case("a POST is not answered from the cache", section: "RFC 9111 §4") {
      Exchange(.post, content: "x", answer: fresh)
      Exchange(.post, content: "x", answer: fresh)
    }
    Case("a POST is not answered by the response to GET", section: "RFC 9111 §4") {
      Exchange(answer: fresh)
      Exchange(.post, content: "x")
    }
    Case("a GET is not answered by the response to POST", section: "RFC 9110 §9.3.3") {
      Exchange(.post, content: "x", answer: fresh)
      Exchange(answer: fresh)
    }
    Case(
      "a POST with its own Content-Location answers a later GET", section: "RFC 9110 §9.3.3", requirement: .may,
      decision: "only responses to GET are stored"
    ) {
      Exchange(
        .post, content: "x",
        answer: Answer(headers: ["Cache-Control": "max-age=3600", "Content-Location": "{path}"], body: "posted"))
      Exchange(expect: .cached(from: 1), body: "posted")
    }
    Case("OPTIONS is not answered from the cache", section: "RFC 9110 §9.3.7") {
      Exchange(.options, answer: fresh)
      Exchange(.options, answer: fresh)
    }
    Case("a GET is not answered by the response to OPTIONS", section: "RFC 9110 §9.3.7") {
      Exchange(.options, answer: fresh)
      Exchange()
    }
    Case("an unknown method is not answered from the cache", section: "RFC 9111 §3") {
      Exchange("FROBNICATE", answer: fresh)
      Exchange("FROBNICATE", answer: fresh)
    }
    Case("a private cache stores the response to a request with credentials", section: "RFC 9111 §3.5") {
      Exchange(sends: ["Authorization": "Bearer a"], answer: fresh)
      Exchange(sends: ["Authorization": "Bearer a"], expect: .cached)
    }
    Case("a response is not reused for other credentials", section: "RFC 9110 §12.5.5") {
      Exchange(sends: ["Authorization": "Bearer a"], answer: fresh)
      Exchange(sends: ["Authorization": "Bearer b"])
    }
    Case("a response to a request with credentials is not reused without them", section: "RFC 9110 §12.5.5") {
      Exchange(sends: ["Authorization": "Bearer a"], answer: fresh)
      Exchange()
    }
    Case(
      "a public response is reused for other credentials", section: "RFC 9111 §5.2.2.9", requirement: .may,
      decision: "explicit credentials are a part of the key"
    ) {
      Exchange(
        sends: ["Authorization": "Bearer a"], answer: Answer(headers: ["Cache-Control": "public, max-age=3600"]))
      Exchange(sends: ["Authorization": "Bearer b"], expect: .cached)
    }
    Case("a response is not reused for another account", section: "RFC 9111 §7.3") {
      Exchange(account: "ada", answer: fresh)
      Exchange(account: "bob")
    }
    Case("a response of nobody is not reused for an account", section: "RFC 9111 §7.3") {
      Exchange(answer: fresh)
      Exchange(account: "ada")
    }
    Case("a response is reused for the same account", section: "RFC 9111 §4") {
      Exchange(account: "ada", answer: fresh)
      Exchange(account: "ada", expect: .cached)
    }
    Case("a validator of one account is not sent for another", section: "RFC 9111 §7.3") {
      Exchange(account: "ada", answer: Answer(headers: ["Cache-Control": "no-cache", "ETag": #""a""#]))
      Exchange(account: "bob")
    }
    Case("a POST of one account does not use the responses of another", section: "RFC 9111 §7.3") {
      Exchange(account: "ada", answer: fresh)
      Exchange(.post, content: "x", account: "bob")
      Exchange(answer: fresh, expect: .forwarded)
    }
    Case("a response is not reused in another environment", section: "RFC 9111 §2") {
      Exchange(environment: .develop, answer: fresh)
      Exchange(environment: .test)
    }
    Case("a response is reused after a return to its environment", section: "RFC 9111 §2", requirement: .may) {
      Exchange(environment: .develop, answer: fresh)
      Exchange(environment: .test, answer: fresh)
      Exchange(environment: .develop, expect: .cached(from: 1))
    }
    Case(
      "a response is not reused for other credentials of middleware", section: "RFC 9110 §12.5.5", requirement: .may,
      decision: "a private cache is for one user: an app with several sets the client's account"
    ) {
      Exchange(adds: ["Authorization": "Bearer a"], answer: fresh)
      Exchange(adds: ["Authorization": "Bearer b"])
    }
  }

  private static let fresh = Answer(headers: ["Cache-Control": "max-age=3600"])
}
