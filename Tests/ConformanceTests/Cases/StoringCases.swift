import Heliograph

extension CaseGroup {
  /// The responses that may be stored.
  static let storing = CaseGroup("storing") {
    for status in [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501] {
      Case("a \(status) with freshness is stored", section: "RFC 9111 §3") {
        Exchange(redirects: .stop, answer: Answer(status, headers: fresh, body: body(status)))
        Exchange(redirects: .stop, expect: .cached)
      }
    }
    for status in [201, 202, 302, 303, 307, 400, 401, 403, 409, 500, 502, 503, 504, 299, 499, 599] {
      Case("a \(status) with freshness is stored", section: "RFC 9111 §3", requirement: .may) {
        Exchange(redirects: .stop, answer: Answer(status, headers: fresh, body: body(status)))
        Exchange(redirects: .stop, expect: .cached)
      }
    }
    for (status, section) in [(428, 3), (429, 4), (431, 5), (511, 6)] {
      Case("a \(status) with freshness is not stored", section: "RFC 6585 §\(section)") {
        Exchange(answer: Answer(status, headers: ["Cache-Control": "max-age=3600", "ETag": #""a""#]))
        Exchange()
      }
    }
    Case("no-store prevents storing", section: "RFC 9111 §5.2.2.5") {
      Exchange(answer: Answer(headers: ["Cache-Control": "no-store", "ETag": #""a""#]))
      Exchange()
    }
    Case("no-store prevents storing beside max-age", section: "RFC 9111 §5.2.2.5") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600, no-store", "ETag": #""a""#]))
      Exchange()
    }
    Case("no-store prevents storing beside Expires", section: "RFC 9111 §5.2.2.5") {
      Exchange(answer: Answer(headers: ["Cache-Control": "no-store", "Expires": "{now+3600}", "ETag": #""a""#]))
      Exchange()
    }
    Case("an answer with no-store does not become the answer to a later request", section: "RFC 9111 §5.2.2.5") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60"]))
      Exchange(after: .seconds(61), answer: Answer(headers: ["Cache-Control": "no-store, max-age=60"]))
      Exchange(expect: .forwarded)
    }
    Case("private allows storing in a private cache", section: "RFC 9111 §5.2.2.7") {
      Exchange(answer: Answer(headers: ["Cache-Control": "private, max-age=3600"]))
      Exchange(expect: .cached)
    }
    Case("a private cache stores the fields named by private", section: "RFC 9111 §5.2.2.7") {
      Exchange(answer: Answer(headers: ["Cache-Control": #"private="X-Name", max-age=3600"#, "X-Name": "Ada"]))
      Exchange(expect: .cached, gives: ["X-Name": "Ada"])
    }
    Case("a 304 to an unconditional request is not stored", section: "RFC 9111 §3") {
      Exchange(answer: Answer(304, headers: ["Cache-Control": "max-age=3600", "ETag": #""a""#]))
      Exchange()
    }
    Case("an interim response is not stored", section: "RFC 9111 §3") {
      Exchange(
        answer: .raw(
          "HTTP/1.1 103 Early Hints\nCache-Control: max-age=3600\nLink: </style>\n\n"
            + "HTTP/1.1 200 OK\nCache-Control: no-store\nContent-Length: 5\n\nfinal"),
        body: "final", gives: ["Link": .absent])
      Exchange()
    }
    Case("the fields of an interim response are not those of the final one", section: "RFC 9111 §3") {
      Exchange(
        answer: .raw(
          "HTTP/1.1 103 Early Hints\nCache-Control: no-store\nLink: </style>\n\n"
            + "HTTP/1.1 200 OK\nCache-Control: max-age=3600\nContent-Length: 5\n\nfinal"))
      Exchange(expect: .cached, body: "final", gives: ["Link": .absent, "Cache-Control": "max-age=3600"])
    }
    Case(
      "must-understand overrides no-store for an understood status", section: "RFC 9111 §5.2.2.3", requirement: .should
    ) {
      Exchange(answer: Answer(headers: ["Cache-Control": "must-understand, no-store, max-age=3600"]))
      Exchange(expect: .cached)
    }
    Case("must-understand prevents storing an unknown status", section: "RFC 9111 §3") {
      Exchange(answer: Answer(299, headers: ["Cache-Control": "must-understand, max-age=3600", "ETag": #""a""#]))
      Exchange()
    }
    Case("must-understand does not override no-store for an unknown status", section: "RFC 9111 §5.2.2.3") {
      Exchange(
        answer: Answer(299, headers: ["Cache-Control": "must-understand, no-store, max-age=3600", "ETag": #""a""#]))
      Exchange()
    }
    Case("a body with less than its Content-Length is not reused as complete", section: "RFC 9111 §3.3") {
      Exchange(
        answer: .raw("HTTP/1.1 200 OK\nCache-Control: max-age=3600\nContent-Length: 100\n\nhalf", closes: true),
        expect: .failure)
      Exchange(expect: .forwarded)
    }
    Case("a chunked body without an end is not reused as complete", section: "RFC 9111 §3.3") {
      Exchange(
        answer: .raw(
          "HTTP/1.1 200 OK\nCache-Control: max-age=3600\nTransfer-Encoding: chunked\n\n4\nhalf\n", closes: true),
        expect: .failure)
      Exchange(expect: .forwarded)
    }
    Case("a chunked body is stored", section: "RFC 9111 §3") {
      Exchange(
        answer: .raw(
          "HTTP/1.1 200 OK\nCache-Control: max-age=3600\nTransfer-Encoding: chunked\n\n4\nhalf\n4\nhalf\n0\n\n"))
      Exchange(expect: .cached, body: "halfhalf")
    }
    Case("a body that ends with the connection is stored", section: "RFC 9111 §3", requirement: .may) {
      Exchange(
        answer: .raw("HTTP/1.1 200 OK\nCache-Control: max-age=3600\nConnection: close\n\nwhole", closes: true))
      Exchange(expect: .cached, body: "whole")
    }
    Case("a response of HTTP/1.0 is stored", section: "RFC 9111 §3") {
      Exchange(
        answer: .raw("HTTP/1.0 200 OK\nExpires: {now+3600}\nContent-Length: 3\n\nold", closes: true))
      Exchange(expect: .cached, body: "old")
    }
    Case("an empty body is stored", section: "RFC 9111 §3") {
      Exchange(answer: Answer(headers: fresh, body: ""))
      Exchange(expect: .cached)
    }
    Case("a body of 300 kilobytes is stored", section: "RFC 9111 §3") {
      Exchange(answer: Answer(headers: fresh, body: String(repeating: "0123456789abcdef", count: 19_200)))
      Exchange(expect: .cached)
    }
    Case("Set-Cookie does not prevent storing", section: "RFC 9111 §7.3") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "Set-Cookie": "a=1"]))
      Exchange(expect: .cached)
    }
    Case("Pragma in a response has no meaning", section: "RFC 9111 §5.4", requirement: .should) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "Pragma": "no-cache"]))
      Exchange(expect: .cached)
    }
    Case("the cache sends no validator that it has not received", section: "RFC 9111 §4.3.1") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60"]))
      Exchange(after: .seconds(61), expect: .forwarded, sees: ["If-None-Match": .absent])
    }
  }

  /// Foundation's session on Linux drops the body of a redirect without a `Location`.
  private static func body(_ status: Int) -> String? { [301, 302, 303, 307, 308].contains(status) ? "" : nil }

  private static let fresh: HTTPHeaders = ["Cache-Control": "max-age=3600"]
}
