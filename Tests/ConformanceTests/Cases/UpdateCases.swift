import Heliograph

extension CaseGroup {
  /// The update of a stored response by a 304.
  static let updates = CaseGroup("updates") {
    Case("a field of a 304 replaces the stored one", section: "RFC 9111 §3.2") {
      Exchange(answer: tagged(["X-Count": "1"]))
      Exchange(
        after: .seconds(61), answer: Answer(304, headers: ["ETag": #""a""#, "X-Count": "2"]), expect: .validated,
        gives: ["X-Count": "2"])
      Exchange(expect: .cached, gives: ["X-Count": "2"])
    }
    Case("a field of a 304 is added", section: "RFC 9111 §3.2") {
      Exchange(answer: tagged())
      Exchange(
        after: .seconds(61), answer: Answer(304, headers: ["ETag": #""a""#, "X-New": "1"]), expect: .validated,
        gives: ["X-New": "1"])
      Exchange(expect: .cached, gives: ["X-New": "1"])
    }
    Case("a field that a 304 does not have is kept", section: "RFC 9111 §3.2") {
      Exchange(answer: tagged(["X-Count": "1"]))
      Exchange(
        after: .seconds(61), answer: Answer(304, headers: ["ETag": #""a""#]), expect: .validated,
        gives: ["X-Count": "1"])
      Exchange(expect: .cached, gives: ["X-Count": "1"])
    }
    Case("all lines of a field are replaced", section: "RFC 9111 §3.2") {
      Exchange(answer: tagged(["X-Count": "1", "X-Count": "2"]))
      Exchange(
        after: .seconds(61), answer: Answer(304, headers: ["ETag": #""a""#, "X-Count": "3"]), expect: .validated,
        gives: ["X-Count": "3"])
    }
    Case("names of fields ignore the case of letters in an update", section: "RFC 9111 §3.2") {
      Exchange(answer: tagged(["X-Count": "1"]))
      Exchange(
        after: .seconds(61), answer: Answer(304, headers: ["ETag": #""a""#, "x-COUNT": "2"]), expect: .validated,
        gives: ["X-Count": "2"])
    }
    Case("Cache-Control of a 304 prolongs the freshness", section: "RFC 9111 §4.3.4") {
      Exchange(answer: tagged())
      Exchange(
        after: .seconds(61), answer: Answer(304, headers: ["ETag": #""a""#, "Cache-Control": "max-age=3600"]),
        expect: .validated)
      Exchange(after: .seconds(3599), expect: .cached)
    }
    Case("Cache-Control of a 304 shortens the freshness", section: "RFC 9111 §4.3.4") {
      Exchange(answer: tagged())
      Exchange(
        after: .seconds(61), answer: Answer(304, headers: ["ETag": #""a""#, "Cache-Control": "max-age=10"]),
        expect: .validated)
      Exchange(after: .seconds(11), expect: .validated(from: 1))
    }
    Case("no-cache of a 304 counts", section: "RFC 9111 §4.3.4") {
      Exchange(answer: tagged())
      Exchange(
        after: .seconds(61), answer: Answer(304, headers: ["ETag": #""a""#, "Cache-Control": "no-cache"]),
        expect: .validated)
      Exchange(expect: .validated(from: 1))
    }
    Case("Expires of a 304 counts", section: "RFC 9111 §4.3.4") {
      Exchange(answer: Answer(headers: ["Expires": "{now+60}", "ETag": #""a""#]))
      Exchange(
        after: .seconds(61), answer: Answer(304, headers: ["ETag": #""a""#, "Expires": "{now+3600}"]),
        expect: .validated)
      Exchange(after: .seconds(3599), expect: .cached)
    }
    Case("Date of a 304 replaces the stored one", section: "RFC 9111 §3.2") {
      Exchange(answer: tagged())
      Exchange(after: .seconds(61), answer: Answer(304, headers: ["ETag": #""a""#]), expect: .validated)
      Exchange(after: .seconds(9), expect: .cached, gives: ["Date": "{start+61}", "Age": "9"])
    }
    Case("Age of a stored response does not outlive a 304", section: "RFC 9111 §4.2.3") {
      Exchange(answer: tagged(["Age": "50"]))
      Exchange(after: .seconds(61), answer: Answer(304, headers: ["ETag": #""a""#]), expect: .validated)
      Exchange(after: .seconds(30), expect: .cached, gives: ["Age": "30"])
    }
    Case("Age of a 304 counts", section: "RFC 9111 §4.2.3", requirement: .should) {
      Exchange(answer: tagged())
      Exchange(after: .seconds(61), answer: Answer(304, headers: ["ETag": #""a""#, "Age": "40"]), expect: .validated)
      Exchange(after: .seconds(10), expect: .cached, gives: ["Age": "50"])
      Exchange(after: .seconds(11), expect: .validated(from: 1))
    }
    Case("Content-Length of a 304 does not replace the stored one", section: "RFC 9111 §3.2") {
      Exchange(answer: tagged(body: "0123456789"))
      Exchange(
        after: .seconds(61), answer: Answer(304, headers: ["ETag": #""a""#, "Content-Length": "999"]),
        expect: .validated, gives: ["Content-Length": "10"])
      Exchange(expect: .cached, gives: ["Content-Length": "10"])
    }
    Case(
      "Content-Type of a 304 does not replace that of the stored body", section: "RFC 9111 §3.2", requirement: .may
    ) {
      Exchange(answer: tagged(["Content-Type": "application/json"], body: "{}"))
      Exchange(
        after: .seconds(61), answer: Answer(304, headers: ["ETag": #""a""#, "Content-Type": "text/html"]),
        expect: .validated, gives: ["Content-Type": "application/json"])
      Exchange(expect: .cached, gives: ["Content-Type": "application/json"])
    }
    Case("Content-Range of a 304 does not mark the stored response", section: "RFC 9111 §3.2", requirement: .may) {
      Exchange(answer: tagged())
      Exchange(
        after: .seconds(61), answer: Answer(304, headers: ["ETag": #""a""#, "Content-Range": "bytes 0-1/10"]),
        expect: .validated, gives: ["Content-Range": .absent])
    }
    Case("Connection of a 304 and the fields named by it are not stored", section: "RFC 9111 §3.2", requirement: .may) {
      Exchange(answer: tagged())
      Exchange(
        after: .seconds(61), answer: Answer(304, headers: ["ETag": #""a""#, "Connection": "x-hop", "X-Hop": "1"]),
        expect: .validated)
      Exchange(expect: .cached, gives: ["Connection": .absent, "X-Hop": .absent])
    }
    Case("Proxy-Authenticate of a 304 is not stored", section: "RFC 9111 §3.2") {
      Exchange(answer: tagged())
      Exchange(
        after: .seconds(61), answer: Answer(304, headers: ["ETag": #""a""#, "Proxy-Authenticate": "Basic realm=a"]),
        expect: .validated)
      Exchange(expect: .cached, gives: ["Proxy-Authenticate": .absent])
    }
    Case("Set-Cookie of a 304 is stored", section: "RFC 9111 §3.2") {
      Exchange(answer: tagged())
      Exchange(
        after: .seconds(61), answer: Answer(304, headers: ["ETag": #""a""#, "Set-Cookie": "a=2"]), expect: .validated)
      Exchange(expect: .cached, gives: ["Set-Cookie": "a=2"])
    }
    Case("a 304 with the stored weak entity tag updates", section: "RFC 9111 §4.3.4") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60", "ETag": #"W/"a""#, "X-Count": "1"]))
      Exchange(
        after: .seconds(61), answer: Answer(304, headers: ["ETag": #"W/"a""#, "X-Count": "2"]), expect: .validated)
      Exchange(expect: .cached, gives: ["X-Count": "2"])
    }
    Case("a 304 with the stored modification date updates", section: "RFC 9111 §4.3.4") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60", "Last-Modified": "{start-60}", "X-Count": "1"]))
      Exchange(
        after: .seconds(61), answer: Answer(304, headers: ["Last-Modified": "{start-60}", "X-Count": "2"]),
        expect: .validated)
      Exchange(expect: .cached, gives: ["X-Count": "2"])
    }
    Case(
      "a 304 without validators updates the response that was validated", section: "RFC 9111 §4.3.3",
      requirement: .should
    ) {
      Exchange(answer: tagged(["X-Count": "1"]))
      Exchange(after: .seconds(61), answer: Answer(304, headers: ["X-Count": "2"]), expect: .validated)
      Exchange(expect: .cached, gives: ["X-Count": "2"])
    }
    Case("a 304 with another strong entity tag updates nothing", section: "RFC 9111 §4.3.4") {
      Exchange(answer: tagged(["X-Count": "1"]))
      Exchange(
        after: .seconds(61),
        answer: Answer(304, headers: ["ETag": #""b""#, "Cache-Control": "max-age=3600", "X-Count": "2"]),
        expect: .any)
      Exchange(expect: .forwarded)
    }
    Case("a 304 to a request of the caller's own updates the response that it names", section: "RFC 9111 §4.3.4") {
      Exchange(answer: tagged(["X-Count": "1"]))
      Exchange(
        after: .seconds(61), sends: ["If-None-Match": #""a""#],
        answer: Answer(304, headers: ["ETag": #""a""#, "X-Count": "2"]), expect: .any)
      Exchange(expect: .cached(from: 1), gives: ["X-Count": "2"])
    }
    Case("a 304 with a strong entity tag does not update a response with the weak one", section: "RFC 9111 §4.3.4") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60", "ETag": #"W/"a""#]))
      Exchange(
        after: .seconds(61), answer: Answer(304, headers: ["ETag": #""a""#, "Cache-Control": "max-age=3600"]),
        expect: .any)
      Exchange(answer: Answer(), expect: .forwarded)
    }
    Case(
      "a 304 with the strong form of the stored weak entity tag confirms the response", section: "RFC 9111 §4.3.3",
      requirement: .may
    ) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60", "ETag": #"W/"a""#, "X-Count": "1"]))
      for pause in [61, 1] {
        Exchange(
          after: .seconds(pause),
          answer: Answer(304, headers: ["ETag": #""a""#, "Cache-Control": "max-age=3600", "X-Count": "2"]),
          expect: .validated(from: 1), gives: ["X-Count": "1"], sees: ["If-None-Match": #"W/"a""#])
      }
    }
    Case(
      "a 304 with the stored modification date confirms a response without its entity tag",
      section: "RFC 9111 §4.3.3", requirement: .may
    ) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60", "Last-Modified": "{start-60}"]))
      Exchange(
        after: .seconds(61), answer: Answer(304, headers: ["ETag": #""b""#, "Last-Modified": "{start-60}"]),
        expect: .validated)
    }
    Case("a 304 with an entity tag does not update a response without one", section: "RFC 9111 §4.3.4") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60", "Last-Modified": "{start-60}"]))
      Exchange(
        after: .seconds(61), answer: Answer(304, headers: ["ETag": #""b""#, "Cache-Control": "max-age=3600"]),
        expect: .any)
      Exchange(expect: .forwarded)
    }
    Case("a 304 with another modification date updates nothing", section: "RFC 9111 §4.3.4") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60", "Last-Modified": "{start-60}"]))
      Exchange(
        after: .seconds(61),
        answer: Answer(304, headers: ["Last-Modified": "{start-30}", "Cache-Control": "max-age=3600"]), expect: .any)
      Exchange(expect: .forwarded)
    }
    Case("no-store of a 304 counts", section: "RFC 9111 §5.2.2.5") {
      Exchange(answer: tagged())
      Exchange(
        after: .seconds(61),
        answer: Answer(304, headers: ["ETag": #""a""#, "Cache-Control": "no-store, max-age=3600"]), expect: .validated)
      Exchange(expect: .forwarded)
    }
    Case("must-understand of a 304 overrides its no-store", section: "RFC 9111 §5.2.2.3", requirement: .should) {
      Exchange(answer: tagged(["Cache-Control": "must-understand, no-store"]))
      Exchange(
        after: .seconds(61),
        answer: Answer(304, headers: ["ETag": #""a""#, "Cache-Control": "must-understand, no-store, max-age=60"]),
        expect: .validated)
      Exchange(expect: .cached)
    }
    Case("Vary of a 304 counts", section: "RFC 9111 §4.1") {
      Exchange(sends: ["Flavour": "lemon"], answer: tagged())
      Exchange(
        after: .seconds(61), sends: ["Flavour": "lemon"],
        answer: Answer(304, headers: ["ETag": #""a""#, "Vary": "Flavour", "Cache-Control": "max-age=3600"]),
        expect: .validated)
      Exchange(sends: ["Flavour": "vanilla"], expect: .forwarded)
    }
    Case("fewer names in Vary of a 304 keep the variant", section: "RFC 9111 §4.1", requirement: .may) {
      Exchange(sends: ["Flavour": "lemon"], answer: tagged(["Vary": "Flavour, Colour"]))
      Exchange(
        after: .seconds(61), sends: ["Flavour": "lemon"],
        answer: Answer(304, headers: ["ETag": #""a""#, "Vary": "Flavour"]), expect: .validated)
      Exchange(sends: ["Flavour": "lemon"], expect: .cached(from: 1))
      Exchange(sends: ["Flavour": "vanilla"])
    }
    Case("Vary: * of a 304 counts", section: "RFC 9111 §4.1") {
      Exchange(answer: tagged())
      Exchange(
        after: .seconds(61),
        answer: Answer(304, headers: ["ETag": #""a""#, "Vary": "*", "Cache-Control": "max-age=3600"]),
        expect: .validated)
      Exchange(expect: .forwarded)
    }
  }

  private static func tagged(_ headers: HTTPHeaders = [:], body: String? = nil) -> Answer {
    var all: HTTPHeaders = ["Cache-Control": "max-age=60", "ETag": #""a""#]
    for field in headers { all.add(field.value, for: field.name) }
    return Answer(headers: all, body: body)
  }
}
