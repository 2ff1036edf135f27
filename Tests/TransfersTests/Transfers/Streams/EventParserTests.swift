import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

/// The rules of https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation, one by one.
struct EventParserTests {
  private func events(_ text: String, lastEventID: String = "") -> [ServerSentEvent] {
    var parser = EventParser(lastEventID: lastEventID, limit: 1_000)
    return parser.events(in: [Data(text.utf8)])
  }

  private func event(_ data: String, id: String? = nil, type: String = "message") -> ServerSentEvent {
    ServerSentEvent(id: id, type: type, data: data)
  }

  @Test func anEventHasDataTypeAndID() {
    expectEqual(events("event: add\nid: 7\ndata: {}\n\n"), [event("{}", id: "7", type: "add")])
    expectEqual(events("data: a\n\ndata: b\n\n"), [event("a"), event("b")])
  }

  @Test func theDescriptionHasNoSecrets() {
    let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln"
    expectEqual("\(event("{}", id: "7", type: "add"))", "add 7 (2 bytes)")
    expectEqual("\(event("{}", id: token))", "message <redacted> (2 bytes)")
    expectEqual("\(event("{}", id: "https://h/x?token=hunter2"))", "message https://h/x?token=<redacted> (2 bytes)")
    expectEqual("\(event("", type: "password=hunter2"))", "password=<redacted> (0 bytes)")
  }

  @Test func dataMayHaveSeveralLines() {
    expectEqual(events("data: YHOO\ndata: +2\ndata: 10\n\n"), [event("YHOO\n+2\n10")])
    expectEqual(events("data\ndata\n\n"), [event("\n")])
    expectEqual(events("data: a\ndata:\n\n"), [event("a\n")])
  }

  @Test func aFieldWithoutValueIsEmpty() {
    expectEqual(events("data\n\n"), [event("")])
    expectEqual(events("data:\n\n"), [event("")])
  }

  @Test func oneSpaceAfterTheColonIsRemoved() {
    expectEqual(
      events("data:test\n\ndata: test\n\ndata:  test\n\ndata:\ttest\n\n").map(\.data),
      [
        "test", "test", " test", "\ttest",
      ])
    expectEqual(events("data: a: b\n\n"), [event("a: b")])
  }

  @Test func anEventWithoutDataIsNotDispatched() {
    expectEqual(events("event: add\nid: 1\n\ndata: b\n\n"), [event("b", id: "1")])
    expectEqual(events("\n\n\n"), [])
  }

  @Test func commentsAndUnknownFieldsAreIgnored() {
    expectEqual(events(": hello\ndata: a\n:\ndata: b\ncolour: red\nData: c\n data: d\n\n:\n\n"), [event("a\nb")])
  }

  @Test func theIDPersistsUntilItIsReset() {
    expectEqual(
      events("id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n"), [event("a", id: "1"), event("b", id: "1"), event("c")])
    expectEqual(events("data: a\n\n", lastEventID: "9"), [event("a", id: "9")])
  }

  @Test func anIDThatCouldNotBeSentBackIsIgnored() {
    var parser = EventParser(limit: 10_000)
    let ids = ["1", String(repeating: "x", count: 4_097), String(repeating: "y", count: 4_096)]
    let read = parser.events(in: ids.map { Data("id: \($0)\ndata: a\n\n".utf8) })
    expectEqual(read.map(\.id), ["1", "1", ids[2]])
  }

  @Test func anIDWithNullIsIgnored() {
    for control in ["\u{0}", "\u{1}", "\u{1F}", "\u{7F}"] {
      expectEqual(events("id: 1\ndata: a\n\nid: 2\(control)\ndata: b\n\n").map(\.id), ["1", "1"])
    }
    expectEqual(events("id: 1\t2\ndata: a\n\n").map(\.id), ["1\t2"])
  }

  @Test func theIDOfAnIncompleteEventDoesNotCount() {
    var parser = EventParser(limit: 1_000)
    expectEqual(parser.events(in: [Data("id: 1\n\nid: 2\ndata: b\n".utf8)]), [])
    expectEqual(parser.lastEventID, "1")
  }

  @Test func theTypeIsThatOfOneEvent() {
    expectEqual(events("event: add\nevent: remove\ndata: a\n\ndata: b\n\n"), [event("a", type: "remove"), event("b")])
    expectEqual(events("event: add\n\ndata: a\n\n"), [event("a")])
    expectEqual(events("event:\ndata: a\n\n"), [event("a")])
  }

  @Test func anIncompleteEventAtTheEndIsDropped() {
    expectEqual(events("data: a\n\ndata: b\n"), [event("a")])
    expectEqual(events("data: a\n\ndata: b"), [event("a")])
  }

  @Test(arguments: ["\n", "\r\n", "\r"]) func eachLineBreakEndsALine(_ lineBreak: String) {
    let text = "id: 1\ndata: a\n\ndata: b\ndata: c\n\n".replacingOccurrences(of: "\n", with: lineBreak)
    expectEqual(events(text), [event("a", id: "1"), event("b\nc", id: "1")])
    var parser = EventParser(limit: 1_000)
    expectEqual(parser.events(in: Data(text.utf8).parts(of: 1)), events(text))
  }

  @Test func aCarriageReturnAtTheEndOfAPieceDispatchesAtOnce() {
    var parser = EventParser(limit: 1_000)
    expectEqual(parser.events(in: [Data("data: a\r\n\r".utf8)]), [event("a")])
    expectEqual(parser.events(in: [Data("\ndata: b\r\n\r".utf8)]), [event("b")])
    expectEqual(parser.events(in: [Data("\n\n".utf8)]), [])
  }

  @Test func aByteOrderMarkIsRemovedOnce() {
    expectEqual(events("\u{FEFF}data: a\n\n"), [event("a")])
    expectEqual(events("\u{FEFF}\u{FEFF}data: a\n\n"), [])
    expectEqual(events("data: a\n\n\u{FEFF}data: b\n\n"), [event("a")])
  }

  @Test(
    arguments: [
      ("1500", .milliseconds(1_500)), ("0", .zero), ("", nil), ("1.5", nil), ("-1", nil), ("1s", nil), (" 5", nil),
      ("٣", nil), ("99999999999999999999", .milliseconds(Int.max)),
    ] as [(String, Duration?)]) func theReconnectionTimeHasDigitsOnly(_ value: String, _ expected: Duration?)
  {
    var parser = EventParser(limit: 1_000)
    expectEqual(parser.events(in: [Data("retry: \(value)\n".utf8)]), [])
    expectEqual(parser.reconnectionTime, expected)
  }

  @Test func invalidBytesAreReplaced() {
    var parser = EventParser(limit: 1_000)
    expectEqual(parser.events(in: [Data("data: a".utf8) + [0xFF, 0x0A, 0x0A]]), [event("a\u{FFFD}")])
  }

  @Test func anEventBeyondTheLimitIsAnError() throws {
    var parser = EventParser(limit: 10)
    parser.append(Data("data:12345\ndata:6789\n\ndata:12345\ndata:67890\n\n".utf8))
    let first = try parser.next()
    expectEqual(first?.data, "12345\n6789")
    let error = #expect(throws: NetworkError.self) { try parser.next() }
    expectEqual(error?.code, .responseTooLarge)
    expectEqual(error?.reason, "event over the limit of 10 bytes")
  }

  @Test func anyPiecesOfAnyBytesGiveTheSameEvents() {
    var dice = ParameterDice()
    let words = [
      "data", "event", "id", "retry", ":", ": ", " ", "\n", "\n", "\r", "\r\n", "\n\n", "1", "é", "\u{FEFF}", "\0", "x",
    ]
    for _ in 0..<3_000 {
      var bytes = Data((0..<dice.count(30)).map { _ in words[dice.count(words.count - 1)] }.joined().utf8)
      if !bytes.isEmpty, dice.count(3) == 0 { bytes[dice.count(bytes.count - 1)] = UInt8(dice.count(255)) }
      var (whole, cut) = (EventParser(limit: 1_000), EventParser(limit: 1_000))
      let pieces = bytes.parts(upTo: 4, &dice)
      expectEqual(whole.events(in: [bytes]), cut.events(in: pieces), "\(Array(bytes)), \(dice.seed)")
      expectEqual(whole.lastEventID, cut.lastEventID)
      expectEqual(whole.reconnectionTime, cut.reconnectionTime)
    }
  }

  @Test func theDescriptionHasNoData() {
    expectEqual("\(event("secret", id: "1\n", type: "add"))", "add 1\\n (6 bytes)")
  }
}
