import Heliograph

extension CaseGroup {
  /// The syntax of `Cache-Control` in responses.
  static let directiveSyntax = CaseGroup("syntax of directives") {
    Case("directives ignore the case of letters", section: "RFC 9111 §5.2") {
      Exchange(answer: Answer(headers: ["Cache-Control": "MAX-Age=3600"]))
      Exchange(expect: .cached)
    }
    Case("the name of Cache-Control ignores the case of letters", section: "RFC 9110 §5.1") {
      Exchange(answer: Answer(headers: ["cache-CONTROL": "max-age=3600"]))
      Exchange(expect: .cached)
    }
    Case("NO-STORE is no-store", section: "RFC 9111 §5.2") {
      Exchange(answer: Answer(headers: ["Cache-Control": "NO-STORE, Max-Age=3600", "ETag": #""a""#]))
      Exchange()
    }
    Case("white space around directives is ignored", section: "RFC 9110 §5.6.1") {
      Exchange(answer: Answer(headers: ["Cache-Control": "  public ,\t max-age=3600  "]))
      Exchange(expect: .cached)
    }
    Case("directives need no space after the comma", section: "RFC 9110 §5.6.1") {
      Exchange(answer: Answer(headers: ["Cache-Control": "public,max-age=3600,no-transform"]))
      Exchange(expect: .cached)
    }
    Case("empty elements of the list are ignored", section: "RFC 9110 §5.6.1.2") {
      Exchange(answer: Answer(headers: ["Cache-Control": ", ,max-age=3600,,"]))
      Exchange(expect: .cached)
    }
    Case("directives on several lines count together", section: "RFC 9110 §5.3") {
      Exchange(answer: Answer(headers: ["Cache-Control": "no-transform", "Cache-Control": "max-age=3600"]))
      Exchange(expect: .cached)
    }
    Case("no-store on a second line counts", section: "RFC 9110 §5.3") {
      Exchange(
        answer: Answer(headers: ["Cache-Control": "max-age=3600", "Cache-Control": "no-store", "ETag": #""a""#]))
      Exchange()
    }
    Case("a quoted max-age is understood", section: "RFC 9111 §5.2", requirement: .should) {
      Exchange(answer: Answer(headers: ["Cache-Control": #"max-age="3600""#]))
      Exchange(expect: .cached)
    }
    Case("a quoted max-age is understood with an escape", section: "RFC 9110 §5.6.4") {
      Exchange(answer: Answer(headers: ["Cache-Control": #"max-age="36\00""#]))
      Exchange(after: .seconds(60), expect: .cached)
    }
    Case("max-age may have leading zeros", section: "RFC 9111 §1.2.2") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=003600"]))
      Exchange(after: .seconds(60), expect: .cached)
    }
    Case("unknown directives are ignored", section: "RFC 9111 §5.2.3") {
      Exchange(answer: Answer(headers: ["Cache-Control": "flavour=vanilla, max-age=3600, sprinkles"]))
      Exchange(expect: .cached)
    }
    Case("an unknown directive may have a quoted argument", section: "RFC 9111 §5.2") {
      Exchange(answer: Answer(headers: ["Cache-Control": #"community="UCI, and others", max-age=3600"#]))
      Exchange(expect: .cached)
    }
    Case("max-age in a quoted argument does not count", section: "RFC 9111 §5.2") {
      Exchange(answer: Answer(headers: ["Cache-Control": #"extension="a, max-age=3600, b""#]))
      Exchange()
    }
    Case("no-store in a quoted argument does not count", section: "RFC 9111 §5.2") {
      Exchange(answer: Answer(headers: ["Cache-Control": #"extension="a, no-store, b", max-age=3600"#]))
      Exchange(expect: .cached)
    }
    Case("an escaped quotation mark does not end a quoted argument", section: "RFC 9110 §5.6.4") {
      Exchange(answer: Answer(headers: ["Cache-Control": #"extension="a\", no-store, \"b", max-age=3600"#]))
      Exchange(expect: .cached)
    }
    Case("an escaped backslash does not escape the end of a quoted argument", section: "RFC 9110 §5.6.4") {
      Exchange(answer: Answer(headers: ["Cache-Control": #"extension="\\", no-store, max-age=3600"#, "ETag": #""a""#]))
      Exchange()
    }
    Case("a directive whose name begins with no-store is another one", section: "RFC 9111 §5.2.3") {
      Exchange(answer: Answer(headers: ["Cache-Control": "no-store-please, max-age=3600"]))
      Exchange(expect: .cached)
    }
    Case("a directive whose name ends with max-age is another one", section: "RFC 9111 §5.2.3") {
      Exchange(answer: Answer(headers: ["Cache-Control": "x-max-age=3600"]))
      Exchange()
    }
    Case("no-store with an argument is obeyed", section: "RFC 9111 §5.2.2.5", requirement: .should) {
      Exchange(answer: Answer(headers: ["Cache-Control": "no-store=1, max-age=3600", "ETag": #""a""#]))
      Exchange()
    }
    Case("directives separated by semicolons make a response stale", section: "RFC 9111 §4.2.1", requirement: .should) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600; public"]))
      Exchange()
    }
    Case("an empty Cache-Control changes nothing", section: "RFC 9111 §5.2") {
      Exchange(answer: Answer(headers: ["Cache-Control": "", "Expires": "{now+3600}"]))
      Exchange(expect: .cached)
    }
    Case("no-store after a quotation mark without an end is obeyed", section: "RFC 9111 §4.2.1", requirement: .should) {
      Exchange(answer: Answer(headers: ["Cache-Control": #"extension="a, no-store, max-age=3600"#, "ETag": #""a""#]))
      Exchange()
    }
    Case(
      "max-age after a quotation mark without an end does not count", section: "RFC 9111 §4.2.1", requirement: .may,
      decision: "the quotation mark is taken for a part of its directive, so that later directives count"
    ) {
      Exchange(answer: Answer(headers: ["Cache-Control": #"extension="a, max-age=3600"#]))
      Exchange()
    }
    Case("elements without a name are ignored", section: "RFC 9111 §5.2.3", requirement: .may) {
      Exchange(answer: Answer(headers: ["Cache-Control": #"=, ="a", /, max-age=3600"#]))
      Exchange(expect: .cached)
    }
    Case("a Cache-Control of eight kilobytes is understood", section: "RFC 9111 §5.2.3", requirement: .should) {
      Exchange(
        answer: Answer(headers: ["Cache-Control": String(repeating: "extension=1, ", count: 640) + "max-age=3600"]))
      Exchange(expect: .cached)
    }
  }
}
