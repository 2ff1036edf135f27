import Heliograph

extension CaseGroup {
  /// `Vary`.
  static let vary = CaseGroup("Vary") {
    Case("a response is reused for the same value of a varying field", section: "RFC 9111 §4.1") {
      Exchange(sends: ["Flavour": "lemon"], answer: varying)
      Exchange(sends: ["Flavour": "lemon"], expect: .cached)
    }
    Case("a response is not reused for another value of a varying field", section: "RFC 9111 §4.1") {
      Exchange(sends: ["Flavour": "lemon"], answer: varying)
      Exchange(sends: ["Flavour": "vanilla"])
    }
    Case("a response is not reused if the varying field is missing", section: "RFC 9111 §4.1") {
      Exchange(sends: ["Flavour": "lemon"], answer: varying)
      Exchange()
    }
    Case("a response is not reused if the varying field is added", section: "RFC 9111 §4.1") {
      Exchange(answer: varying)
      Exchange(sends: ["Flavour": "lemon"])
    }
    Case("a response is reused if the varying field is missing in both requests", section: "RFC 9111 §4.1") {
      Exchange(answer: varying)
      Exchange(sends: ["Colour": "red"], expect: .cached)
    }
    Case("fields that do not vary do not count", section: "RFC 9111 §4.1") {
      Exchange(sends: ["Flavour": "lemon", "Colour": "red"], answer: varying)
      Exchange(sends: ["Flavour": "lemon", "Colour": "blue"], expect: .cached)
    }
    Case("two variants are kept", section: "RFC 9111 §4.1", requirement: .may) {
      Exchange(sends: ["Flavour": "lemon"], answer: varying)
      Exchange(sends: ["Flavour": "vanilla"], answer: varying)
      Exchange(sends: ["Flavour": "lemon"], expect: .cached(from: 1))
      Exchange(sends: ["Flavour": "vanilla"], expect: .cached(from: 2))
    }
    Case("ten variants are kept", section: "RFC 9111 §4.1", requirement: .may) {
      for flavour in 1...10 { Exchange(sends: ["Flavour": "\(flavour)"], answer: varying) }
      for flavour in 1...10 { Exchange(sends: ["Flavour": "\(flavour)"], expect: .cached(from: flavour)) }
    }
    Case("a variant without the field is kept beside one with it", section: "RFC 9111 §4.1", requirement: .may) {
      Exchange(answer: varying)
      Exchange(sends: ["Flavour": "lemon"], answer: varying)
      Exchange(expect: .cached(from: 1))
      Exchange(sends: ["Flavour": "lemon"], expect: .cached(from: 2))
    }
    Case("an empty value differs from a missing field", section: "RFC 9111 §4.1", over: .curl) {
      Exchange(answer: varying)
      Exchange(sends: ["Flavour": ""])
    }
    Case("a response with Vary: * is not reused", section: "RFC 9111 §4.1") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "Vary": "*"]))
      Exchange(answer: Answer(), expect: .forwarded)
    }
    Case("a * among other members of Vary counts", section: "RFC 9111 §4.1") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "Vary": "Flavour, *"]))
      Exchange(expect: .forwarded)
    }
    Case("a * on a second line of Vary counts", section: "RFC 9111 §4.1") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "Vary": "Flavour", "Vary": "*"]))
      Exchange(expect: .forwarded)
    }
    Case(
      "a response with Vary: * is reused after a validation", section: "RFC 9111 §4.1", requirement: .may,
      decision: "such a response is not stored, because it matches no later request"
    ) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "Vary": "*", "ETag": #""a""#]))
      Exchange(expect: .validated)
    }
    Case("all members of Vary count", section: "RFC 9111 §4.1") {
      Exchange(
        sends: ["Flavour": "lemon", "Colour": "red"],
        answer: Answer(headers: ["Cache-Control": "max-age=3600", "Vary": "Flavour, Colour"]))
      Exchange(sends: ["Flavour": "lemon", "Colour": "blue"])
    }
    Case("members of Vary on several lines count together", section: "RFC 9110 §5.3") {
      Exchange(
        sends: ["Flavour": "lemon", "Colour": "red"],
        answer: Answer(headers: ["Cache-Control": "max-age=3600", "Vary": "Flavour", "Vary": "Colour"]))
      Exchange(sends: ["Flavour": "lemon", "Colour": "blue"])
    }
    Case("a response is reused if all members of Vary match", section: "RFC 9111 §4.1") {
      Exchange(
        sends: ["Flavour": "lemon", "Colour": "red"],
        answer: Answer(headers: ["Cache-Control": "max-age=3600", "Vary": "Flavour,Colour"]))
      Exchange(sends: ["Colour": "red", "Flavour": "lemon"], expect: .cached)
    }
    Case("members of Vary ignore the case of letters", section: "RFC 9110 §5.1") {
      Exchange(
        sends: ["Flavour": "lemon"], answer: Answer(headers: ["Cache-Control": "max-age=3600", "Vary": "FLAVOUR"]))
      Exchange(sends: ["Flavour": "vanilla"])
    }
    Case("names of varying fields ignore the case of letters", section: "RFC 9110 §5.1") {
      Exchange(sends: ["Flavour": "lemon"], answer: varying)
      Exchange(sends: ["fLAVOUR": "lemon"], expect: .cached)
    }
    Case("values of an unknown field do not ignore the case of letters", section: "RFC 9111 §4.1") {
      Exchange(sends: ["Flavour": "lemon"], answer: varying)
      Exchange(sends: ["Flavour": "LEMON"])
    }
    Case("values of an unknown field do not match in another order", section: "RFC 9111 §4.1") {
      Exchange(sends: ["Flavour": "lemon, vanilla"], answer: varying)
      Exchange(sends: ["Flavour": "vanilla, lemon"])
    }
    Case("white space around a varying value does not count", section: "RFC 9111 §4.1", requirement: .should) {
      Exchange(sends: ["Flavour": "lemon"], answer: varying)
      Exchange(sends: ["Flavour": "  lemon "], expect: .cached)
    }
    Case("white space in a list does not count", section: "RFC 9111 §4.1", requirement: .may) {
      Exchange(sends: ["Flavour": "lemon, vanilla"], answer: varying)
      Exchange(sends: ["Flavour": "lemon,vanilla"], expect: .cached)
    }
    Case("several lines of a varying field match their combination", section: "RFC 9111 §4.1", requirement: .should) {
      Exchange(sends: ["Flavour": "lemon, vanilla"], answer: varying)
      Exchange(sends: ["Flavour": "lemon", "Flavour": "vanilla"], expect: .cached)
    }
    for (first, second, name) in normalizations {
      Case("\(name) is normalized", section: "RFC 9111 §4.1", requirement: .may) {
        Exchange(
          sends: [first.name: first.value],
          answer: Answer(headers: ["Cache-Control": "max-age=3600", "Vary": first.name]))
        Exchange(sends: [first.name: second], expect: .cached)
      }
    }
    Case("languages in another order of preference do not match", section: "RFC 9111 §4.1") {
      Exchange(
        sends: ["Accept-Language": "en, de;q=0.5"],
        answer: Answer(headers: ["Cache-Control": "max-age=3600", "Vary": "Accept-Language"]))
      Exchange(sends: ["Accept-Language": "de, en;q=0.5"])
    }
    Case("a Vary without members does not vary", section: "RFC 9110 §12.5.5") {
      Exchange(sends: ["Flavour": "lemon"], answer: Answer(headers: ["Cache-Control": "max-age=3600", "Vary": ""]))
      Exchange(sends: ["Flavour": "vanilla"], expect: .cached)
    }
    Case("Vary may name fields of credentials", section: "RFC 9111 §4.1") {
      Exchange(
        sends: ["Cookie": "a=1"], answer: Answer(headers: ["Cache-Control": "max-age=3600", "Vary": "Cookie"]))
      Exchange(sends: ["Cookie": "a=2"])
    }
    Case("of two matching responses the most recent one is used", section: "RFC 9111 §4") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600"]))
      Exchange(after: .seconds(10), sends: ["Flavour": "lemon", "Cache-Control": "no-cache"], answer: varying)
      Exchange(after: .seconds(10), sends: ["Flavour": "lemon"], expect: .cached(from: 2))
    }
    Case("a stale variant is not replaced by another fresh one", section: "RFC 9111 §4.1") {
      Exchange(
        sends: ["Flavour": "lemon"], answer: Answer(headers: ["Cache-Control": "max-age=60", "Vary": "Flavour"]))
      Exchange(sends: ["Flavour": "vanilla"], answer: varying)
      Exchange(after: .seconds(61), sends: ["Flavour": "lemon"])
    }
    Case("a stale variant is validated by its own entity tag", section: "RFC 9111 §4.3.1") {
      Exchange(sends: ["Flavour": "lemon"], answer: tagged("a"))
      Exchange(sends: ["Flavour": "vanilla"], answer: tagged("b"))
      Exchange(
        after: .seconds(61), sends: ["Flavour": "lemon"], answer: Answer(304, headers: ["ETag": #""a""#]),
        expect: .validated(from: 1), sees: ["If-None-Match": .contains(#""a""#)])
    }
    Case("a 304 refreshes only the variant that it names", section: "RFC 9111 §4.3.4") {
      Exchange(sends: ["Flavour": "lemon"], answer: tagged("a"))
      Exchange(sends: ["Flavour": "vanilla"], answer: tagged("b"))
      Exchange(
        after: .seconds(61), sends: ["Flavour": "lemon"],
        answer: Answer(304, headers: ["ETag": #""a""#, "Cache-Control": "max-age=60"]), expect: .validated(from: 1))
      Exchange(sends: ["Flavour": "vanilla"], answer: Answer(), expect: .validated)
    }
    Case(
      "a request that matches no variant sends the entity tags of all", section: "RFC 9111 §4.3.1", requirement: .may,
      decision: "a request without a matching variant is sent without a condition"
    ) {
      Exchange(sends: ["Flavour": "lemon"], answer: tagged("a"))
      Exchange(sends: ["Flavour": "vanilla"], answer: tagged("b"))
      Exchange(
        sends: ["Flavour": "mango"],
        answer: Answer(304, headers: ["ETag": #""b""#, "Vary": "Flavour", "Cache-Control": "max-age=60"]),
        expect: .validated(from: 2), sees: ["If-None-Match": .contains(#""a""#)])
    }
    Case("a response that varies by a field of the transport is reused", section: "RFC 9111 §4.1") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "Vary": "Accept-Encoding, User-Agent"]))
      Exchange(expect: .cached)
    }
    Case(
      "a response without Vary does not displace matching ones with it", section: "RFC 9111 §4.1", requirement: .should
    ) {
      Exchange(sends: ["Flavour": "lemon"], answer: varying)
      Exchange(
        after: .seconds(1), sends: ["Flavour": "mango"], answer: Answer(headers: ["Cache-Control": "max-age=3600"]))
      Exchange(sends: ["Flavour": "lemon"], expect: .cached(from: 1))
    }
    Case("a varying field of middleware counts", section: "RFC 9111 §4.1") {
      Exchange(adds: ["Flavour": "lemon"], answer: varying)
      Exchange(adds: ["Flavour": "vanilla"])
    }
    Case("a cookie that the client adds counts", section: "RFC 9111 §4.1") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "Vary": "Cookie"]))
      Exchange(path: "/login", answer: Answer(headers: ["Set-Cookie": "a=1; Path=/"]))
      Exchange(sees: ["Cookie": "a=1"])
    }
    Case("a response is reused for the same cookie", section: "RFC 9111 §4.1", requirement: .may) {
      Exchange(path: "/login", answer: Answer(headers: ["Set-Cookie": "a=1; Path=/"]))
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "Vary": "Cookie"]), sees: ["Cookie": "a=1"])
      Exchange(expect: .cached)
    }
  }

  private static let varying = Answer(headers: ["Cache-Control": "max-age=3600", "Vary": "Flavour"])

  private static func tagged(_ tag: String) -> Answer {
    Answer(headers: ["Cache-Control": "max-age=60", "Vary": "Flavour", "ETag": "\"\(tag)\""])
  }

  private static let normalizations: [((name: String, value: String), String, String)] = [
    (("Accept-Language", "en-GB, de"), "EN-gb, DE", "the case of letters in Accept-Language"),
    (("Accept-Language", "en, de;q=0.5"), "de;q=0.5, en", "the order of languages with preferences"),
    (("Accept-Language", "en,de;q=0.5"), "en, de; q=0.5", "white space in Accept-Language"),
    (("Accept-Encoding", "gzip, br"), "br, GZIP", "the order and case of codings"),
    (("Accept", "text/html, text/plain"), "TEXT/plain, text/html", "the order and case of media types"),
  ]
}
