import Heliograph

extension CaseGroup {
  /// `max-age` of responses.
  static let freshness = CaseGroup("freshness") {
    Case("max-age makes a response fresh", section: "RFC 9111 §5.2.2.1") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600"], body: "1"))
      Exchange(expect: .cached)
    }
    Case("a response is fresh until its age reaches max-age", section: "RFC 9111 §4.2") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600"]))
      Exchange(after: .seconds(3599), expect: .cached, gives: ["Age": "3599"])
    }
    Case("a response is stale once its age exceeds max-age", section: "RFC 9111 §5.2.2.1") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600"]))
      Exchange(after: .seconds(3601))
    }
    Case("max-age=0 makes a response stale at once", section: "RFC 9111 §5.2.2.1") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=0"]))
      Exchange()
    }
    Case("a response that has become stale is replaced by the next one", section: "RFC 9111 §4") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60"]))
      Exchange(after: .seconds(61), answer: Answer(headers: ["Cache-Control": "max-age=60"]))
      Exchange(after: .seconds(59), expect: .cached(from: 2))
    }
    Case("max-age overrides an Expires in the past", section: "RFC 9111 §5.3") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "Expires": "{now-3600}"]))
      Exchange(expect: .cached)
    }
    Case("max-age overrides an Expires in the future", section: "RFC 9111 §5.3") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60", "Expires": "{now+3600}"]))
      Exchange(after: .seconds(61))
    }
    Case("max-age overrides an invalid Expires", section: "RFC 9111 §5.3") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60", "Expires": "0"]))
      Exchange(expect: .cached)
    }
    Case("a private cache ignores a shorter s-maxage", section: "RFC 9111 §5.2.2.10") {
      Exchange(answer: Answer(headers: ["Cache-Control": "s-maxage=0, max-age=3600"]))
      Exchange(after: .seconds(60), expect: .cached)
    }
    Case("a private cache ignores a longer s-maxage", section: "RFC 9111 §5.2.2.10") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60, s-maxage=3600"]))
      Exchange(after: .seconds(61))
    }
    Case("s-maxage alone does not make a response fresh in a private cache", section: "RFC 9111 §4.2.1") {
      Exchange(answer: Answer(headers: ["Cache-Control": "s-maxage=3600"]))
      Exchange(after: .seconds(60))
    }
    Case("a private cache prefers Expires to s-maxage", section: "RFC 9111 §5.3") {
      Exchange(answer: Answer(headers: ["Cache-Control": "s-maxage=0", "Expires": "{now+3600}"]))
      Exchange(after: .seconds(60), expect: .cached)
    }
    Case("a max-age beyond 31 bits means for ever", section: "RFC 9111 §1.2.2") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=2147483648"]))
      Exchange(after: .days(365), expect: .cached)
    }
    Case("a max-age beyond 64 bits means for ever", section: "RFC 9111 §1.2.2") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=99999999999999999999999999"]))
      Exchange(after: .days(365), expect: .cached)
    }
    Case("a negative max-age makes a response stale", section: "RFC 9111 §4.2.1", requirement: .should) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=-3600", "Expires": "{now+3600}"]))
      Exchange()
    }
    Case("a decimal max-age makes a response stale", section: "RFC 9111 §4.2.1", requirement: .should) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600.5", "Expires": "{now+3600}"]))
      Exchange()
    }
    for argument in ["=soon", "=", "", "='3600'", "=3600s", "=0x3600"] {
      Case("max-age\(argument) makes a response stale", section: "RFC 9111 §4.2.1", requirement: .should) {
        Exchange(answer: Answer(headers: ["Cache-Control": "max-age\(argument)", "Expires": "{now+3600}"]))
        Exchange()
      }
    }
    Case(
      "white space around the equals sign of max-age makes a response stale", section: "RFC 9111 §5.2",
      requirement: .should
    ) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age = 3600"]))
      Exchange()
    }
    Case("of two max-age the first one counts, or none", section: "RFC 9111 §4.2.1", requirement: .should) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=30, max-age=3600"]))
      Exchange(after: .seconds(60))
    }
    Case("of two lines with max-age the first one counts, or none", section: "RFC 9111 §4.2.1", requirement: .should) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=30", "Cache-Control": "max-age=3600"]))
      Exchange(after: .seconds(60))
    }
  }
}
