import Heliograph

extension CaseGroup {
  /// Input that no server should send.
  static let oddInput = CaseGroup("odd input") {
    Case("a response without fields is delivered and not reused", section: "RFC 9111 §3") {
      Exchange(answer: .raw("HTTP/1.1 200 OK\nContent-Length: 4\n\nbare"), body: "bare")
      Exchange()
    }
    Case("an entity tag without quotation marks is harmless", section: "RFC 9110 §8.8.3") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60", "ETag": "a"]))
      Exchange(expect: .cached)
      Exchange(after: .seconds(61), answer: Answer(body: "new"), expect: .forwarded)
    }
    Case("an entity tag without an end is harmless", section: "RFC 9110 §8.8.3") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60", "ETag": #""a"#]))
      Exchange(after: .seconds(61), answer: Answer(body: "new"), expect: .forwarded)
    }
    Case("an empty ETag is no validator", section: "RFC 9110 §8.8.3", requirement: .should) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60", "ETag": ""]))
      Exchange(after: .seconds(61), expect: .forwarded, sees: ["If-None-Match": .absent])
    }
    Case("a malformed If-None-Match is not a match", section: "RFC 9110 §13.1.2") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "ETag": #""a""#]))
      Exchange(sends: ["If-None-Match": #""a"#], answer: Answer(), expect: .any, status: 200)
    }
    Case("a Vary with malformed members does not match everything", section: "RFC 9111 §4.1", requirement: .should) {
      Exchange(
        sends: ["Flavour": "lemon"],
        answer: Answer(headers: ["Cache-Control": "max-age=3600", "Vary": "Flavour;x, /, Flavour"]))
      Exchange(sends: ["Flavour": "vanilla"])
    }
    Case("empty members of Vary are ignored", section: "RFC 9110 §5.6.1.2") {
      Exchange(
        sends: ["Flavour": "lemon"], answer: Answer(headers: ["Cache-Control": "max-age=3600", "Vary": ",Flavour, ,"]))
      Exchange(sends: ["Flavour": "lemon"], expect: .cached)
      Exchange(sends: ["Flavour": "vanilla"])
    }
    Case("a date of ten kilobytes is invalid", section: "RFC 9111 §5.3") {
      Exchange(
        answer: Answer(headers: ["Expires": "Sun, 30 Aug 2026 08:49:37 GMT" + String(repeating: " x", count: 5000)]))
      Exchange()
    }
    Case("a malformed Range is harmless", section: "RFC 9110 §14.2") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600"], body: "0123456789"))
      Exchange(sends: ["Range": "bytes=--,99999999999999999999-"], answer: Answer(), expect: .any, status: 200)
      Exchange(expect: .any, status: 200)
    }
    Case("a Content-Range of huge numbers is harmless", section: "RFC 9110 §14.4") {
      Exchange(
        sends: ["Range": "bytes=0-4"],
        answer: Answer(
          206,
          headers: [
            "Cache-Control": "max-age=3600", "ETag": #""a""#,
            "Content-Range": "bytes 0-99999999999999999999/99999999999999999999",
          ], body: "01234"), expect: .any)
      Exchange(answer: Answer(body: "new"), expect: .any, status: 200, body: "new")
    }
    Case("a Content-Range of a 200 has no meaning", section: "RFC 9110 §14.4") {
      Exchange(
        answer: Answer(headers: ["Cache-Control": "max-age=3600", "Content-Range": "bytes 0-4/10"], body: "01234"))
      Exchange(expect: .cached, status: 200)
    }
    Case("a Location without a URL invalidates only the target", section: "RFC 9111 §4.4") {
      Exchange(path: "/1", answer: Answer(headers: ["Cache-Control": "max-age=3600"]))
      Exchange(.post, content: "x", answer: Answer(201, headers: ["Location": "http://[", "Content-Location": ""]))
      Exchange(path: "/1", expect: .cached(from: 1))
    }
    Case(
      "a max-age of many digits and letters makes a response stale", section: "RFC 9111 §4.2.1", requirement: .should
    ) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=99999999999999999999999x"]))
      Exchange()
    }
    Case("a thousand directives are read", section: "RFC 9111 §5.2", requirement: .should) {
      Exchange(
        answer: Answer(headers: [
          "Cache-Control": (1...1000).map { "e\($0)=\($0)" }.joined(separator: ",") + ",no-store"
        ]))
      Exchange()
    }
    // Foundation's session on Linux keeps one of such fields.
    Case("fields that differ only in the case of letters are one", section: "RFC 9110 §5.1", over: .curl) {
      Exchange(
        answer: Answer(headers: ["cache-control": "max-age=3600", "CACHE-CONTROL": "no-store", "ETag": #""a""#]))
      Exchange()
    }
    Case("bytes above ASCII in a field are harmless", section: "RFC 9110 §5.5") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600, größe=1", "X-Name": "Björk"]))
      Exchange(expect: .cached)
    }
  }
}
