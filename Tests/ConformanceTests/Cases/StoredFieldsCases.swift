import Heliograph

extension CaseGroup {
  /// The header fields that are stored.
  static let storedFields = CaseGroup("stored fields") {
    Case("unknown fields are stored", section: "RFC 9111 §3.1") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "X-Flavour": "vanilla; sprinkles=1"]))
      Exchange(expect: .cached, gives: ["X-Flavour": "vanilla; sprinkles=1"])
    }
    Case("known fields are stored", section: "RFC 9111 §3.1") {
      Exchange(
        answer: Answer(
          headers: [
            "Cache-Control": "max-age=3600", "Content-Type": "text/html; charset=utf-8", "Content-Language": "de",
            "ETag": #""a""#, "Last-Modified": "{now-60}", "Server": "test", "Allow": "GET",
          ]))
      Exchange(
        expect: .cached,
        gives: [
          "Cache-Control": "max-age=3600", "Content-Type": "text/html; charset=utf-8", "Content-Language": "de",
          "ETag": #""a""#, "Last-Modified": "{start-60}", "Server": "test", "Allow": "GET",
        ])
    }
    Case("several lines of a field are stored in order", section: "RFC 9111 §3.1") {
      Exchange(
        answer: Answer(headers: ["Cache-Control": "max-age=3600", "X-Flavour": "vanilla", "X-Flavour": "lemon"]))
      Exchange(expect: .cached, gives: ["X-Flavour": "vanilla, lemon"])
    }
    Case("Set-Cookie is stored", section: "RFC 9111 §3.1") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "Set-Cookie": "a=1"]))
      Exchange(expect: .cached, gives: ["Set-Cookie": "a=1"])
    }
    Case("a field of eight kilobytes is stored", section: "RFC 9111 §3.1") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "X-Long": long]))
      Exchange(expect: .cached, gives: ["X-Long": .equal(long)])
    }
    Case("a field without a value does not prevent storing", section: "RFC 9111 §3.1") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "X-Empty": ""]))
      Exchange(expect: .cached)
    }
    Case("the Content-Length of a stored response is that of its body", section: "RFC 9111 §3.1") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600"], body: "0123456789"))
      Exchange(expect: .cached, gives: ["Content-Length": "10"])
    }
    Case("Connection and the fields named by it are not stored", section: "RFC 9111 §3.1", requirement: .may) {
      Exchange(
        answer: Answer(headers: ["Cache-Control": "max-age=3600", "Connection": "x-hop", "X-Hop": "1", "X-End": "2"]))
      Exchange(expect: .cached, gives: ["Connection": .absent, "X-Hop": .absent, "X-End": "2"])
    }
    Case("the fields named by several lines of Connection are not stored", section: "RFC 9111 §3.1", requirement: .may)
    {
      Exchange(
        answer: Answer(
          headers: [
            "Cache-Control": "max-age=3600", "Connection": "keep-alive, x-one", "Connection": "X-Two", "X-One": "1",
            "X-Two": "2",
          ]))
      Exchange(expect: .cached, gives: ["X-One": .absent, "X-Two": .absent])
    }
    Case("Keep-Alive is not stored", section: "RFC 9110 §7.6.1", requirement: .may) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "Keep-Alive": "timeout=5"]))
      Exchange(expect: .cached, gives: ["Keep-Alive": .absent])
    }
    Case("Proxy-Connection is not stored", section: "RFC 9110 §7.6.1", requirement: .may) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "Proxy-Connection": "keep-alive"]))
      Exchange(expect: .cached, gives: ["Proxy-Connection": .absent])
    }
    Case("Upgrade is not stored", section: "RFC 9110 §7.6.1", requirement: .may) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "Upgrade": "example/1"]))
      Exchange(expect: .cached, gives: ["Upgrade": .absent])
    }
    Case("Transfer-Encoding is not stored", section: "RFC 9110 §7.6.1", requirement: .may) {
      Exchange(
        answer: .raw("HTTP/1.1 200 OK\nCache-Control: max-age=3600\nTransfer-Encoding: chunked\n\n4\nhalf\n0\n\n"))
      Exchange(expect: .cached, body: "half", gives: ["Transfer-Encoding": .absent])
    }
    for name in ["Proxy-Authenticate", "Proxy-Authentication-Info"] {
      Case("\(name) is not stored", section: "RFC 9111 §3.1") {
        Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", name: "Basic realm=a"]))
        Exchange(expect: .cached, gives: [name: .absent])
      }
    }
    // Foundation's session on Linux crashes on any trailer.
    Case("trailer fields do not become header fields", section: "RFC 9111 §3.1", over: .curl) {
      Exchange(
        answer: .raw(
          "HTTP/1.1 200 OK\nCache-Control: max-age=3600\nTransfer-Encoding: chunked\nTrailer: X-Sum\n\n"
            + "4\nhalf\n0\nX-Sum: 7\n\n"))
      Exchange(expect: .cached, body: "half", gives: ["X-Sum": .absent])
    }
    Case("a trailer does not control the cache", section: "RFC 9111 §3.1", over: .curl) {
      Exchange(
        answer: .raw(
          "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n4\nhalf\n0\nCache-Control: max-age=3600\n\n"))
      Exchange()
    }
    Case("a stored response is delivered with the fields of the first time", section: "RFC 9111 §3.1") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "X-Count": "1"]))
      Exchange(after: .seconds(60), expect: .cached, gives: ["X-Count": "1"])
      Exchange(after: .seconds(60), expect: .cached(from: 1), gives: ["X-Count": "1"])
    }
  }

  private static let long = String(repeating: "abcdefgh", count: 1024)
}
