import Heliograph

extension CaseGroup {
  /// `Age` and `Date`.
  static let age = CaseGroup("Age") {
    Case("a stored response has the seconds since its reception as Age", section: "RFC 9111 §4") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600"]), gives: ["Age": .absent])
      Exchange(expect: .cached, gives: ["Age": "0"])
      Exchange(after: .seconds(30), expect: .cached(from: 1), gives: ["Age": "30"])
    }
    Case("the Age of an answer is added to the time in the cache", section: "RFC 9111 §4.2.3") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "Age": "100"]), gives: ["Age": "100"])
      Exchange(after: .seconds(50), expect: .cached, gives: ["Age": "150"])
      Exchange(after: .seconds(50), expect: .cached(from: 1), gives: ["Age": "200"])
    }
    Case("the Age of an answer shortens its freshness", section: "RFC 9111 §4.2.3") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "Age": "3000"]))
      Exchange(after: .seconds(601))
    }
    Case("an answer with an Age beyond max-age is stale at once", section: "RFC 9111 §4.2.3") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "Age": "7200"]))
      Exchange()
    }
    Case("the Age of an answer shortens the freshness of Expires", section: "RFC 9111 §4.2.3") {
      Exchange(answer: Answer(headers: ["Expires": "{now+3600}", "Age": "3000"]))
      Exchange(after: .seconds(601))
    }
    Case("an Age beyond 64 bits makes a response stale", section: "RFC 9111 §1.2.2") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "Age": "99999999999999999999999999"]))
      Exchange()
    }
    for value in ["soon", "-5", "7200.5", "", "7200s"] {
      Case("an Age of “\(value)” is ignored", section: "RFC 9111 §5.1", requirement: .should) {
        Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "Age": value]))
        Exchange(after: .seconds(30), expect: .cached, gives: ["Age": "30"])
      }
    }
    Case("of a list of ages the first one counts", section: "RFC 9111 §5.1", requirement: .should) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "Age": "10, 7200"]))
      Exchange(expect: .cached, gives: ["Age": "10"])
    }
    Case("of two lines with Age the first one counts", section: "RFC 9111 §5.1", requirement: .should) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "Age": "10", "Age": "7200"]))
      Exchange(expect: .cached, gives: ["Age": "10"])
    }
    Case("an Age that is the first of a list makes a response stale", section: "RFC 9111 §5.1", requirement: .should) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "Age": "7200, 10"]))
      Exchange()
    }
    Case("an old Date is an age", section: "RFC 9111 §4.2.3", requirement: .may) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "Date": "{now-3000}"]))
      Exchange(after: .seconds(10), expect: .cached, gives: ["Age": "3010"])
    }
    Case("an old Date shortens the freshness", section: "RFC 9111 §4.2.3", requirement: .may) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "Date": "{now-3000}"]))
      Exchange(after: .seconds(601))
    }
    Case("of an old Date and Age the larger age counts", section: "RFC 9111 §4.2.3", requirement: .may) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "Date": "{now-3000}", "Age": "100"]))
      Exchange(expect: .cached, gives: ["Age": "3000"])
    }
    Case("an Age larger than that of Date counts", section: "RFC 9111 §4.2.3") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "Date": "{now-100}", "Age": "3500"]))
      Exchange(after: .seconds(101))
    }
    Case("a Date in the future does not make the age negative", section: "RFC 9111 §4.2.3") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "Date": "{now+7200}"]))
      Exchange(expect: .cached, gives: ["Age": "0"])
    }
    Case("a Date in the future does not prolong the freshness", section: "RFC 9111 §4.2.3") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "Date": "{now+7200}"]))
      Exchange(after: .seconds(3601))
    }
    Case("an answer without a Date is stored with that of its reception", section: "RFC 9110 §6.6.1") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600"], hasDate: false))
      Exchange(after: .seconds(30), expect: .cached, gives: ["Date": "{start}", "Age": "30"])
    }
    Case("the Date of an answer is kept", section: "RFC 9111 §3.1") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "Date": "{now-5}"]))
      Exchange(after: .seconds(30), expect: .cached, gives: ["Date": "{start-5}"])
    }
    Case("the time of the exchange counts as age", section: "RFC 9111 §4.2.3") {
      Exchange(taking: .seconds(10), answer: Answer(headers: ["Cache-Control": "max-age=3600", "Age": "100"]))
      Exchange(expect: .cached, gives: ["Age": "110"])
    }
    Case("the time of the exchange shortens the freshness", section: "RFC 9111 §4.2.3") {
      Exchange(taking: .seconds(10), answer: Answer(headers: ["Cache-Control": "max-age=60", "Age": "30"]))
      Exchange(after: .seconds(21))
    }
    Case("the time of the exchange counts without an Age", section: "RFC 9111 §4.2.3") {
      Exchange(taking: .seconds(10), answer: Answer(headers: ["Cache-Control": "max-age=60"]))
      Exchange(after: .seconds(51))
    }
    Case(
      "a clock that is set back a little does not make the age negative", section: "RFC 9111 §4.2.3", requirement: .may
    ) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600"]))
      Exchange(after: .seconds(-2), expect: .cached, gives: ["Age": "0"])
    }
  }
}
