import Heliograph

extension CaseGroup {
  /// Range requests and partial responses.
  static let ranges = CaseGroup("ranges") {
    for (range, body, contentRange) in parts {
      Case("\(range) is answered by a part of the stored response", section: "RFC 9110 §14.2", requirement: .may) {
        Exchange(answer: whole)
        Exchange(
          sends: ["Range": range], expect: .cached, status: 206, body: body,
          gives: ["Content-Range": .equal(contentRange), "Content-Length": .equal("\(body.utf8.count)")])
      }
    }
    Case("the stored response stays complete after a range of it", section: "RFC 9111 §3.3") {
      Exchange(answer: whole)
      Exchange(sends: ["Range": "bytes=2-4"], answer: part(2...4), expect: .any, status: 206, body: "234")
      Exchange(expect: .cached(from: 1))
    }
    Case("a range beyond the end is not satisfied", section: "RFC 9110 §14.2", requirement: .should) {
      Exchange(answer: whole)
      Exchange(sends: ["Range": "bytes=10-12"], answer: unsatisfiable, expect: .any, status: 416)
    }
    Case("a range of an unknown unit is ignored", section: "RFC 9110 §14.2", requirement: .may) {
      Exchange(answer: whole)
      Exchange(sends: ["Range": "lines=1-2"], expect: .cached)
    }
    Case("a malformed range is ignored", section: "RFC 9110 §14.2", requirement: .may) {
      Exchange(answer: whole)
      Exchange(sends: ["Range": "bytes=4-2"], expect: .cached)
    }
    Case("a range of a HEAD request is ignored", section: "RFC 9110 §14.2") {
      Exchange(answer: whole)
      Exchange(.head, sends: ["Range": "bytes=2-4"], expect: .any, status: 200)
    }
    Case("several ranges are not answered by one part", section: "RFC 9110 §14.2") {
      Exchange(answer: whole)
      Exchange(
        sends: ["Range": "bytes=0-1,4-5"], answer: Answer(headers: ["ETag": #""a""#], body: "0123456789"),
        expect: .any, gives: ["Content-Range": .absent])
    }
    Case("If-Range with the entity tag is answered by a part", section: "RFC 9111 §4.3.2", requirement: .should) {
      Exchange(answer: whole)
      Exchange(sends: ["Range": "bytes=2-4", "If-Range": #""a""#], expect: .cached, status: 206, body: "234")
    }
    for validator in [#""b""#, #"W/"a""#, "{start-60}"] {
      Case(
        "If-Range with \(validator) is answered by the whole response", section: "RFC 9111 §4.3.2", requirement: .should
      ) {
        Exchange(answer: whole)
        Exchange(
          sends: ["Range": "bytes=2-4", "If-Range": validator], expect: .cached, status: 200, body: "0123456789")
      }
    }
    Case(
      "If-Range with a weak stored entity tag is answered by the whole response", section: "RFC 9111 §4.3.2",
      requirement: .should
    ) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=3600", "ETag": #"W/"a""#], body: "0123456789"))
      Exchange(
        sends: ["Range": "bytes=2-4", "If-Range": #"W/"a""#], expect: .cached, status: 200, body: "0123456789")
    }
    Case("If-Range with the modification date is answered by a part", section: "RFC 9111 §4.3.2", requirement: .should)
    {
      Exchange(
        answer: Answer(headers: ["Cache-Control": "max-age=3600", "Last-Modified": "{start-3600}"], body: "0123456789"))
      Exchange(sends: ["Range": "bytes=2-4", "If-Range": "{start-3600}"], expect: .cached, status: 206, body: "234")
    }
    Case(
      "If-Range with a later date is answered by the whole response", section: "RFC 9111 §4.3.2", requirement: .should
    ) {
      Exchange(
        answer: Answer(headers: ["Cache-Control": "max-age=3600", "Last-Modified": "{start-3600}"], body: "0123456789"))
      Exchange(
        sends: ["Range": "bytes=2-4", "If-Range": "{start-60}"], expect: .cached, status: 200, body: "0123456789")
    }
    Case("If-None-Match precedes a range", section: "RFC 9110 §13.2.2", requirement: .should) {
      Exchange(answer: whole)
      Exchange(sends: ["Range": "bytes=2-4", "If-None-Match": #""a""#], expect: .notModified)
    }
    Case("a range is passed on if nothing is stored", section: "RFC 9110 §14.2") {
      Exchange(
        sends: ["Range": "bytes=2-4"], answer: part(2...4), body: "234", gives: ["Content-Range": "bytes 2-4/10"],
        sees: ["Range": "bytes=2-4"])
    }
    Case("a range of a stale response reaches the server", section: "RFC 9111 §4") {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60", "ETag": #""a""#], body: "0123456789"))
      Exchange(after: .seconds(61), sends: ["Range": "bytes=2-4"], answer: part(2...4), expect: .any, body: "234")
    }
    Case("a range of a stale response updates it", section: "RFC 9111 §4.3.4", requirement: .may) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60", "ETag": #""a""#], body: "0123456789"))
      Exchange(after: .seconds(61), sends: ["Range": "bytes=2-4"], answer: part(2...4), expect: .any, body: "234")
      Exchange(
        expect: .cached(from: 2), status: 200, body: "0123456789",
        gives: ["Content-Range": .absent, "Content-Length": "10"])
    }
    Case("several ranges of a stale response leave it", section: "RFC 9110 §14.6", requirement: .may) {
      Exchange(answer: Answer(headers: ["Cache-Control": "max-age=60", "ETag": #""a""#], body: "0123456789"))
      Exchange(
        after: .seconds(61), sends: ["Range": "bytes=0-1,4-5"],
        answer: Answer(206, headers: ["ETag": #""a""#, "Content-Type": "multipart/byteranges; boundary=x"]),
        expect: .any)
      Exchange(expect: .validated(from: 1))
    }
    Case("a partial response is not the answer to a request without a range", section: "RFC 9111 §3.3") {
      Exchange(sends: ["Range": "bytes=2-4"], answer: part(2...4))
      Exchange(answer: whole, expect: .any, status: 200, body: "0123456789")
    }
    Case("a partial response is not the answer to a range beyond it", section: "RFC 9111 §3.3") {
      Exchange(sends: ["Range": "bytes=2-4"], answer: part(2...4))
      Exchange(sends: ["Range": "bytes=6-8"], answer: part(6...8), expect: .forwarded, body: "678")
    }
    Case("a stored partial response answers the same range", section: "RFC 9111 §3.3", requirement: .may) {
      Exchange(sends: ["Range": "bytes=2-4"], answer: part(2...4))
      Exchange(
        sends: ["Range": "bytes=2-4"], expect: .cached, status: 206, body: "234",
        gives: ["Content-Range": "bytes 2-4/10"])
    }
    Case("a stored partial response answers a range within it", section: "RFC 9111 §3.3", requirement: .may) {
      Exchange(sends: ["Range": "bytes=2-6"], answer: part(2...6))
      Exchange(
        sends: ["Range": "bytes=3-4"], expect: .cached, status: 206, body: "34",
        gives: ["Content-Range": "bytes 3-4/10"])
    }
    Case("a stale partial response is not reused", section: "RFC 9111 §4") {
      Exchange(sends: ["Range": "bytes=2-4"], answer: part(2...4))
      Exchange(
        after: .seconds(3601), sends: ["Range": "bytes=2-4"], answer: part(2...4), expect: .forwarded, body: "234")
    }
    Case("a partial response with no-store is not stored", section: "RFC 9111 §5.2.2.5") {
      Exchange(
        sends: ["Range": "bytes=2-4"],
        answer: Answer(206, headers: ["Cache-Control": "no-store", "Content-Range": "bytes 2-4/10"], body: "234"))
      Exchange(
        sends: ["Range": "bytes=2-4"], answer: part(2...4), expect: .network, body: "234")
    }
    Case(
      "parts with the same strong entity tag are combined", section: "RFC 9111 §3.4", requirement: .may,
      diskDecision: "only parts in memory are combined"
    ) {
      Exchange(sends: ["Range": "bytes=0-4"], answer: part(0...4))
      Exchange(sends: ["Range": "bytes=5-9"], answer: part(5...9), expect: .forwarded)
      Exchange(
        expect: .cached(from: 2), status: 200, body: "0123456789",
        gives: ["Content-Range": .absent, "Content-Length": "10"])
    }
    Case(
      "combined parts answer a range over both", section: "RFC 9111 §3.4", requirement: .may,
      diskDecision: "only parts in memory are combined"
    ) {
      Exchange(sends: ["Range": "bytes=0-4"], answer: part(0...4))
      Exchange(sends: ["Range": "bytes=5-7"], answer: part(5...7), expect: .forwarded)
      Exchange(sends: ["Range": "bytes=3-6"], expect: .cached(from: 2), status: 206, body: "3456")
    }
    Case("parts with a weak entity tag are not combined", section: "RFC 9110 §15.3.7.3") {
      Exchange(sends: ["Range": "bytes=0-4"], answer: part(0...4, tag: #"W/"a""#))
      Exchange(sends: ["Range": "bytes=5-9"], answer: part(5...9, tag: #"W/"a""#), expect: .forwarded)
      Exchange(answer: Answer(body: "new"), expect: .any, status: 200, body: "new")
    }
    Case("parts with different entity tags are not combined", section: "RFC 9110 §15.3.7.3") {
      Exchange(sends: ["Range": "bytes=0-4"], answer: part(0...4))
      Exchange(sends: ["Range": "bytes=5-9"], answer: part(5...9, tag: #""b""#), expect: .forwarded)
      Exchange(answer: Answer(headers: ["ETag": #""b""#], body: "new"), expect: .any, status: 200, body: "new")
    }
    Case("a part with an invalid Content-Range is not combined", section: "RFC 9110 §14.4") {
      Exchange(sends: ["Range": "bytes=0-4"], answer: part(0...4))
      Exchange(
        sends: ["Range": "bytes=5-9"],
        answer: Answer(
          206, headers: ["Cache-Control": "max-age=3600", "ETag": #""a""#, "Content-Range": "bytes 5-9/8"],
          body: "56789"),
        expect: .any, status: 206)
      Exchange(answer: Answer(headers: ["ETag": #""b""#], body: "new"), expect: .any, status: 200, body: "new")
    }
    Case("a part of an unknown unit is not combined", section: "RFC 9110 §14.4") {
      Exchange(sends: ["Range": "bytes=0-4"], answer: part(0...4))
      Exchange(
        sends: ["Range": "lines=5-9"],
        answer: Answer(
          206, headers: ["Cache-Control": "max-age=3600", "ETag": #""a""#, "Content-Range": "lines 5-9/10"],
          body: "56789"),
        expect: .any, status: 206)
      Exchange(answer: Answer(headers: ["ETag": #""b""#], body: "new"), expect: .any, status: 200, body: "new")
    }
    Case("a 206 whose body is not as long as its range is not reused", section: "RFC 9110 §14.4") {
      Exchange(
        sends: ["Range": "bytes=0-4"],
        answer: Answer(
          206, headers: ["Cache-Control": "max-age=3600", "ETag": #""a""#, "Content-Range": "bytes 0-4/10"],
          body: "0123456"), expect: .any)
      Exchange(sends: ["Range": "bytes=5-9"], answer: part(5...9), expect: .any, status: 206, body: "56789")
      Exchange(answer: Answer(body: "new"), expect: .any, status: 200, body: "new")
    }
    Case(
      "a stored part is completed by a request for the rest", section: "RFC 9111 §3.3", requirement: .may,
      diskDecision: "only parts in memory are combined"
    ) {
      Exchange(sends: ["Range": "bytes=0-4"], answer: part(0...4))
      Exchange(
        answer: part(5...9), expect: .any, status: 200, body: "0123456789",
        sees: ["Range": "bytes=5-", "If-Range": #""a""#])
    }
    Case(
      "the rest keeps the fields of the stored part", section: "RFC 9111 §3.4", requirement: .may,
      diskDecision: "only parts in memory are combined"
    ) {
      Exchange(sends: ["Range": "bytes=0-4"], answer: part(0...4, adding: described))
      Exchange(answer: bareRest, expect: .any, status: 200, body: "0123456789", gives: descriptions)
      Exchange(expect: .cached, status: 200, body: "0123456789", gives: descriptions)
    }
    Case(
      "combined parts have the fields of both", section: "RFC 9111 §3.4", requirement: .may,
      diskDecision: "only parts in memory are combined"
    ) {
      Exchange(sends: ["Range": "bytes=0-4"], answer: part(0...4, adding: described))
      Exchange(sends: ["Range": "bytes=5-9"], answer: bareRest, expect: .forwarded, body: "56789")
      Exchange(expect: .cached, status: 200, body: "0123456789", gives: descriptions)
    }
    Case("a response that has changed replaces the stored part", section: "RFC 9111 §3.4", requirement: .should) {
      Exchange(sends: ["Range": "bytes=0-4"], answer: part(0...4))
      Exchange(
        answer: Answer(headers: ["Cache-Control": "max-age=3600", "ETag": #""b""#], body: "abcdefghij"),
        expect: .forwarded)
      Exchange(expect: .cached(from: 2))
    }
    Case("a whole response to a range request is stored", section: "RFC 9111 §3", requirement: .may) {
      Exchange(sends: ["Range": "bytes=2-4"], answer: whole)
      Exchange(expect: .cached)
    }
    Case("a 416 is delivered", section: "RFC 9110 §15.5.17") {
      Exchange(
        sends: ["Range": "bytes=20-30"], answer: unsatisfiable, gives: ["Content-Range": "bytes */10"])
    }
    Case("a 416 is not reused for another request", section: "RFC 9110 §15.5.17") {
      Exchange(sends: ["Range": "bytes=20-30"], answer: unsatisfiable)
      Exchange(answer: whole, expect: .forwarded)
    }
    Case(
      "a 416 does not disturb the stored response", section: "RFC 9110 §15.5.17", requirement: .may
    ) {
      Exchange(answer: whole)
      Exchange(
        sends: ["Range": "bytes=20-30", "Cache-Control": "no-cache"], answer: unsatisfiable, expect: .any, status: 416)
      Exchange(expect: .cached(from: 1))
    }
    Case("a 206 to a request without a range is not stored as complete", section: "RFC 9111 §3.3") {
      Exchange(answer: part(2...4), expect: .any)
      Exchange(answer: whole, expect: .any, status: 200, body: "0123456789")
    }
    Case("a range of a stored error is ignored", section: "RFC 9110 §14.2") {
      Exchange(answer: Answer(404, headers: ["Cache-Control": "max-age=3600"], body: "0123456789"))
      Exchange(sends: ["Range": "bytes=2-4"], answer: Answer(404, body: "0123456789"), expect: .any, status: 404)
    }
    Case(
      "a part that is the whole answers a request without a range", section: "RFC 9110 §15.3.7.3", requirement: .may
    ) {
      Exchange(sends: ["Range": "bytes=0-"], answer: part(0...9))
      Exchange(expect: .cached, status: 200, body: "0123456789", gives: ["Content-Range": .absent])
    }
    Case(
      "overlapping parts are combined", section: "RFC 9111 §3.4", requirement: .may,
      diskDecision: "only parts in memory are combined"
    ) {
      Exchange(sends: ["Range": "bytes=0-6"], answer: part(0...6))
      Exchange(sends: ["Range": "bytes=4-9"], answer: part(4...9), expect: .forwarded)
      Exchange(expect: .cached(from: 2), status: 200, body: "0123456789")
    }
    Case("parts with a gap are not the whole", section: "RFC 9110 §15.3.7.3") {
      Exchange(sends: ["Range": "bytes=0-3"], answer: part(0...3))
      Exchange(sends: ["Range": "bytes=6-9"], answer: part(6...9), expect: .forwarded)
      Exchange(answer: whole, expect: .any, status: 200, body: "0123456789")
    }
    Case("parts of different complete lengths are not combined", section: "RFC 9110 §14.4") {
      Exchange(sends: ["Range": "bytes=0-4"], answer: part(0...4))
      Exchange(
        sends: ["Range": "bytes=5-9"],
        answer: Answer(
          206, headers: ["Cache-Control": "max-age=3600", "ETag": #""a""#, "Content-Range": "bytes 5-9/12"],
          body: "56789"), expect: .any, status: 206)
      Exchange(answer: Answer(body: "new"), expect: .any, status: 200, body: "new")
    }
  }

  private static let parts = [
    ("bytes=2-4", "234", "bytes 2-4/10"), ("bytes=0-0", "0", "bytes 0-0/10"), ("bytes=7-", "789", "bytes 7-9/10"),
    ("bytes=-3", "789", "bytes 7-9/10"), ("bytes=8-100", "89", "bytes 8-9/10"),
    ("bytes=-100", "0123456789", "bytes 0-9/10"), ("BYTES=2-4", "234", "bytes 2-4/10"),
  ]

  private static let whole = Answer(headers: ["Cache-Control": "max-age=3600", "ETag": #""a""#], body: "0123456789")
  private static let unsatisfiable = Answer(416, headers: ["Content-Range": "bytes */10"], body: "")

  private static let described: HTTPHeaders = ["Content-Type": "application/json", "X-Kept": "1", "X-Changed": "1"]
  /// The second half of ten bytes, without the fields that a 206 to `If-Range` need not repeat.
  private static let bareRest = Answer.raw(
    """
    HTTP/1.1 206 Partial Content
    Date: {now}
    Cache-Control: max-age=3600
    ETag: "a"
    X-Changed: 2
    Content-Range: bytes 5-9/10
    Content-Length: 5

    56789
    """, status: 206)
  /// The fields of ``described`` as changed by ``bareRest``.
  private static let descriptions: FieldChecks = [
    "Content-Type": "application/json", "X-Kept": "1", "X-Changed": "2", "Content-Range": .absent,
    "Content-Length": "10",
  ]

  /// A part of ten bytes.
  private static func part(
    _ range: ClosedRange<Int>, tag: String = #""a""#, adding added: HTTPHeaders = [:]
  ) -> Answer {
    var headers: HTTPHeaders = [
      "Cache-Control": "max-age=3600", "ETag": tag,
      "Content-Range": "bytes \(range.lowerBound)-\(range.upperBound)/10",
    ]
    headers.merge(added)
    return Answer(206, headers: headers, body: range.map { "\($0)" }.joined())
  }
}
