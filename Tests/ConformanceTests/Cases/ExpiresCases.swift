import Heliograph

extension CaseGroup {
  /// `Expires`, and the formats of dates.
  static let expires = CaseGroup("Expires") {
    Case("an Expires in the future makes a response fresh", section: "RFC 9111 §5.3") {
      Exchange(answer: Answer(headers: ["Expires": "{now+3600}"]))
      Exchange(after: .seconds(3599), expect: .cached)
    }
    Case("a response is stale after its Expires", section: "RFC 9111 §5.3") {
      Exchange(answer: Answer(headers: ["Expires": "{now+3600}"]))
      Exchange(after: .seconds(3601))
    }
    Case("an Expires in the past makes a response stale", section: "RFC 9111 §5.3") {
      Exchange(answer: Answer(headers: ["Expires": "{now-1}"]))
      Exchange()
    }
    Case("an Expires equal to Date makes a response stale", section: "RFC 9111 §4.2") {
      Exchange(answer: Answer(headers: ["Expires": "{now}"]))
      Exchange()
    }
    Case("Expires counts from Date, by the clock of the server", section: "RFC 9111 §4.2.1") {
      Exchange(answer: Answer(headers: ["Date": "{now+86400}", "Expires": "{now+86460}"]))
      Exchange(after: .seconds(61))
    }
    Case("Expires counts from a Date whose clock is ahead", section: "RFC 9111 §4.2.1") {
      Exchange(answer: Answer(headers: ["Date": "{now+86400}", "Expires": "{now+90000}"]))
      Exchange(after: .seconds(3599), expect: .cached)
    }
    Case("Expires counts from the reception if there is no Date", section: "RFC 9111 §4.2.1") {
      Exchange(answer: Answer(headers: ["Expires": "{now+3600}"], hasDate: false))
      Exchange(after: .seconds(3599), expect: .cached)
      Exchange(after: .seconds(2))
    }
    Case("Expires counts from the reception if Date is invalid", section: "RFC 9110 §6.6.1", requirement: .may) {
      Exchange(answer: Answer(headers: ["Date": "today", "Expires": "{now+3600}"]))
      Exchange(after: .seconds(60), expect: .cached)
    }
    Case("a date may have the format of RFC 850", section: "RFC 9110 §5.6.7") {
      Exchange(answer: Answer(headers: ["Expires": "{now+3600 rfc850}"]))
      Exchange(expect: .cached)
    }
    Case("a date may have the format of asctime", section: "RFC 9110 §5.6.7") {
      Exchange(answer: Answer(headers: ["Expires": "{now+3600 asctime}"]))
      Exchange(expect: .cached)
    }
    Case("a date of asctime may have a day of two digits", section: "RFC 9110 §5.6.7") {
      Exchange(answer: Answer(headers: ["Expires": "{now+864000 asctime}"]))
      Exchange(after: .days(9), expect: .cached)
    }
    Case("a year of two digits more than 50 years ahead is in the past", section: "RFC 9110 §5.6.7") {
      Exchange(answer: Answer(headers: ["Expires": "Sunday, 06-Nov-94 08:49:37 GMT"]))
      Exchange()
    }
    Case("Date may have an obsolete format", section: "RFC 9110 §5.6.7") {
      Exchange(answer: Answer(headers: ["Date": "{now+86400 rfc850}", "Expires": "{now+86460}"]))
      Exchange(after: .seconds(61))
    }
    Case("a date ignores the case of letters", section: "RFC 9111 §4.2", requirement: .should) {
      Exchange(answer: Answer(headers: ["Expires": "sun, 30 AUG 2026 08:49:37 gmt"]))
      Exchange(expect: .cached)
    }
    Case("a leap second is a valid time", section: "RFC 9110 §5.6.7") {
      Exchange(answer: Answer(headers: ["Expires": "Tue, 30 Jun 2026 23:59:60 GMT"]))
      Exchange(expect: .cached)
    }
    Case("the 29th of February of a leap year is a valid date", section: "RFC 9110 §5.6.7") {
      Exchange(answer: Answer(headers: ["Expires": "Tue, 29 Feb 2028 12:00:00 GMT"]))
      Exchange(expect: .cached)
    }
    Case("an Expires in the year 9999 makes a response fresh", section: "RFC 9111 §5.3") {
      Exchange(answer: Answer(headers: ["Expires": "Fri, 31 Dec 9999 23:59:59 GMT"]))
      Exchange(after: .days(365), expect: .cached)
    }
    Case("an Expires at the start of the epoch makes a response stale", section: "RFC 9111 §5.3") {
      Exchange(answer: Answer(headers: ["Expires": "Thu, 01 Jan 1970 00:00:00 GMT"]))
      Exchange()
    }
    Case("an Expires before the epoch makes a response stale", section: "RFC 9111 §5.3") {
      Exchange(answer: Answer(headers: ["Expires": "Mon, 01 Jan 0001 00:00:00 GMT"]))
      Exchange()
    }
    for (value, name) in invalid {
      Case("an Expires \(name) is in the past, not replaced by a heuristic", section: "RFC 9111 §5.3") {
        Exchange(answer: Answer(headers: ["Expires": value, "Last-Modified": "{now-8640000}"]))
        Exchange(expect: .validated)
      }
    }
    for zone in ["EST", "UTC", "CET", "+0000"] {
      Case("a date in the zone \(zone) is invalid", section: "RFC 9111 §4.2", requirement: .should) {
        Exchange(answer: Answer(headers: ["Expires": "Sun, 30 Aug 2026 08:49:37 \(zone)"]))
        Exchange()
      }
    }
    Case("of two lines with Expires the first one counts, or none", section: "RFC 9111 §4.2.1", requirement: .should) {
      Exchange(answer: Answer(headers: ["Expires": "{now-3600}", "Expires": "{now+3600}"]))
      Exchange()
    }
  }

  private static let invalid = [
    ("0", "of 0"), ("-1", "of -1"), ("", "without a value"), ("never", "of a word"),
    ("2026-08-30T08:49:37Z", "of ISO 8601"), ("Sun, 30 Aug 2026 08:49:37", "without a zone"),
    ("Sun, 32 Aug 2026 08:49:37 GMT", "with a 32nd day"), ("Sun, 30 Foo 2026 08:49:37 GMT", "with an unknown month"),
    ("Sun, 30 Aug 2026 25:49:37 GMT", "with a 25th hour"), ("Sun, 30 Aug 2026 08:49 GMT", "without seconds"),
    ("Sun, 30 Aug 2026 8:49:37 GMT", "with an hour of one digit"), ("1788079777", "in seconds of the epoch"),
  ]
}
